import { ApplicationCommandUpdateRequestSchema } from 'discord-api-spec/zod';
import {
  ApplicationCommandType as CommandType,
  type InteractionContextType as Context,
  ApplicationIntegrationType as Installed,
} from 'discord-api-types/v10';

import { type CommandOption, localeMistakes, nameMistakes, optionMistakes } from './command-option-rules.ts';
import { fieldsIn, type Mistake, notEmulated, type Path, readForm, refuse, when, within } from './forms.ts';

/** A command as a bot registers it, with defaults for omitted fields. */
export interface CommandForm {
  type: CommandType.ChatInput | CommandType.User | CommandType.Message;
  name: string;
  name_localizations: CommandOption['name_localizations'];
  description: string;
  description_localizations: CommandOption['description_localizations'];
  options: CommandOption[];
  nsfw: boolean;
  default_member_permissions: string | null;
  dm_permission: boolean | null;
  contexts: Context[] | null;
  integration_types: Installed[];
}

/** @throws ApiError 50035 with `at` before every path */
export function readCommand(body: unknown, at: Path = []): CommandForm {
  const sent = fieldsIn(body, at);
  const { default_member_permissions: bits, nsfw, type, handler } = sent;
  const isText = typeof bits === 'string' && /^\d+$/.test(bits); // of the documentation; the specification has a number
  const read = readForm<Partial<CommandForm>>(
    ApplicationCommandUpdateRequestSchema,
    { ...sent, ...(isText && { default_member_permissions: Number(bits) }) },
    at,
  );
  const form: CommandForm = {
    type: read.type ?? CommandType.ChatInput,
    name: read.name ?? '',
    name_localizations: read.name_localizations ?? null,
    description: read.description ?? '',
    description_localizations: read.description_localizations ?? null,
    options: (read.options ?? []).map(stored),
    nsfw: nsfw === true,
    default_member_permissions: bits == null ? null : String(bits),
    dm_permission: read.dm_permission ?? null,
    contexts: read.contexts ?? null,
    integration_types: read.integration_types ?? [Installed.GuildInstall],
  };
  const mistakes = form.type === CommandType.ChatInput ? chatMistakes(form) : menuMistakes(form);
  // The documentation has this field, the specification lacks it.
  const isOdd = !['undefined', 'boolean'].includes(typeof nsfw);
  refuse(
    [
      ...mistakes,
      ...when(isOdd, ['nsfw'], 'BOOLEAN_TYPE_CONVERT', 'Must be either true or false.'),
      ...notEmulated(type === CommandType.PrimaryEntryPoint, ['type']),
      ...notEmulated(handler != null, ['handler']),
    ],
    at,
  );
  return form;
}

function stored({ required, autocomplete, ...option }: CommandOption): CommandOption {
  const { name_localizations = null, description_localizations = null } = option;
  const set = { ...(required && { required }), ...(autocomplete && { autocomplete }) };
  return { ...option, name_localizations, description_localizations, ...set };
}

function chatMistakes(form: CommandForm): Mistake[] {
  const { description } = form;
  return [
    ...nameMistakes(form),
    ...when(description === '', ['description'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.'),
    ...within(['options'], optionMistakes(form.options)),
  ];
}

/** interactions/application-commands, "Application Command Structure": it has neither, and its name may have blanks. */
function menuMistakes({ description, options, ...form }: CommandForm): Mistake[] {
  const isDescribed = description !== '' || form.description_localizations !== null;
  return [
    ...localeMistakes(form),
    ...when(isDescribed, ['description'], 'BASE_TYPE_CHOICES', 'Context menu commands cannot have description'),
    ...when(options.length > 0, ['options'], 'BASE_TYPE_MAX_LENGTH', 'Context menu commands cannot have options'),
  ];
}
