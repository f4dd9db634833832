import {
  ApplicationCommandType as CommandType,
  InteractionContextType as Context,
  EntryPointCommandHandlerType as EntryPointHandler,
  ApplicationIntegrationType as Installed,
} from 'discord-api-types/v10';
import * as z from 'zod';

import { descriptions, MENU_NAME, NAME, names } from './command-name-rules.ts';
import { type CommandOption, CommandOptions } from './command-option-rules.ts';
import { complaint, list, snowflake, text, unused } from './field-rules.ts';

const LONGEST_COMMAND = 8_000; // interactions/application-commands, "Slash Commands"

// Discord's specification has a number, its documentation a number in text.
const permissions = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((bits) => /^\d+$/.test(bits) && Number(bits) <= 2 ** 54, complaint('NUMBER_TYPE_COERCE', 'Not permissions.'));

const base = {
  id: unused(snowflake),
  nsfw: z.boolean().default(false),
  default_member_permissions: permissions.nullable().default(null),
  dm_permission: z.boolean().nullable().default(null),
  contexts: list(z.literal([Context.Guild, Context.BotDM, Context.PrivateChannel]), { min: 1, max: 3 })
    .nullable()
    .default(null),
  integration_types: list(z.literal([Installed.GuildInstall, Installed.UserInstall]), { min: 1, max: 2 }).default([
    Installed.GuildInstall,
  ]),
};

const ChatCommand = z
  .object({
    type: z.literal(CommandType.ChatInput),
    name: NAME,
    name_localizations: names,
    description: text({ min: 1, max: 100 }),
    description_localizations: descriptions(100),
    options: CommandOptions.default([]),
    ...base,
  })
  .refine(
    (command) => commandLength(command) <= LONGEST_COMMAND,
    complaint('APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${LONGEST_COMMAND})`),
  );

const MenuCommand = z.object({
  type: z.literal([CommandType.User, CommandType.Message]),
  name: MENU_NAME,
  name_localizations: descriptions(32),
  description: z.literal('').default(''),
  description_localizations: z.null().default(null),
  options: list(z.never(), { max: 0 }).default([]),
  ...base,
});

/** The command that launches an app's activity; "Entry Point Commands". */
const EntryPointCommand = z.object({
  type: z.literal(CommandType.PrimaryEntryPoint),
  name: MENU_NAME,
  name_localizations: descriptions(32),
  description: text({ max: 100 }).default(''),
  description_localizations: descriptions(100),
  options: list(z.never(), { max: 0 }).default([]),
  handler: z.literal([EntryPointHandler.AppHandler, EntryPointHandler.DiscordLaunchActivity]).exactOptional(),
  ...base,
});

/** A command as a bot registers it, with defaults for omitted fields. */
export const CommandForm = z.preprocess(
  (value) => (typeof value === 'object' && value !== null && !('type' in value) ? { ...value, type: 1 } : value),
  z.discriminatedUnion('type', [ChatCommand, MenuCommand, EntryPointCommand]),
);
export type CommandForm = z.infer<typeof CommandForm>;

interface Counted {
  name: string;
  description?: string;
  name_localizations: Record<string, string> | null;
  description_localizations?: Record<string, string> | null;
  value?: string | number;
  options?: CommandOption[];
  choices?: Counted[];
}

/** Characters of all names, descriptions and values; for localized ones the longest translation counts. */
function commandLength(part: Counted): number {
  const own =
    longest(part.name, part.name_localizations) +
    longest(part.description ?? '', part.description_localizations ?? null) +
    (typeof part.value === 'string' ? part.value.length : 0);
  return [...(part.options ?? []), ...(part.choices ?? [])].reduce((sum, inner) => sum + commandLength(inner), own);
}

function longest(text: string, translations: Record<string, string> | null): number {
  return Math.max(text.length, ...Object.values(translations ?? {}).map((translation) => translation.length));
}
