import { ApplicationCommandUpdateRequestSchema } from 'discord-api-spec/zod';
import {
  ApplicationCommandType as CommandType,
  type InteractionContextType as Context,
  ApplicationIntegrationType as Installed,
  Locale,
  ApplicationCommandOptionType as OptionType,
} from 'discord-api-types/v10';

import type { CommandOption, Translations } from './chat.ts';
import { fieldsIn, type Mistake, notEmulated, type Path, readForm, refuse, when, within } from './forms.ts';

/** A command as a bot registers it, with defaults for omitted fields. */
export interface CommandForm {
  type: CommandType.ChatInput | CommandType.User | CommandType.Message;
  name: string;
  name_localizations: Translations;
  description: string;
  description_localizations: Translations;
  options: CommandOption[];
  nsfw: boolean;
  default_member_permissions: string | null;
  /** Of programs that name no contexts. */
  dm_permission: boolean;
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
    options: (read.options ?? []).map(({ required, autocomplete, ...option }) => {
      const { name_localizations = null, description_localizations = null } = option;
      const set = { ...(required && { required }), ...(autocomplete && { autocomplete }) };
      return { ...option, name_localizations, description_localizations, ...set };
    }),
    nsfw: nsfw === true,
    default_member_permissions: bits == null ? null : String(bits),
    dm_permission: read.dm_permission ?? true,
    contexts: read.contexts ?? null,
    integration_types: read.integration_types ?? [Installed.GuildInstall],
  };
  // The documentation has this field, the specification lacks it.
  const isOdd = !['undefined', 'boolean'].includes(typeof nsfw);
  refuse(
    [
      ...(form.type === CommandType.ChatInput ? chatMistakes(form) : menuMistakes(form)),
      ...localeMistakes(form),
      ...when(isOdd, ['nsfw'], 'BOOLEAN_TYPE_CONVERT'),
      ...notEmulated(type === CommandType.PrimaryEntryPoint, ['type']),
      ...notEmulated(handler != null, ['handler']),
    ],
    at,
  );
  return form;
}

function chatMistakes(form: CommandForm): Mistake[] {
  const isBlank = form.description === '';
  return [
    ...nameMistakes(form),
    ...when(isBlank, ['description'], 'BASE_TYPE_BAD_LENGTH'),
    ...form.options.flatMap((option, index) =>
      within(['options', index], optionMistakes(option, form.options.slice(0, index))),
    ),
  ];
}

/** interactions/application-commands, "Application Command Structure": it has neither, and its name may have blanks. */
function menuMistakes({ description, description_localizations, options }: CommandForm): Mistake[] {
  const isDescribed = description !== '' || description_localizations !== null;
  return [
    ...when(isDescribed, ['description'], 'BASE_TYPE_CHOICES'),
    ...when(options.length > 0, ['options'], 'BASE_TYPE_MAX_LENGTH'),
  ];
}

const EMULATED: readonly OptionType[] = [OptionType.String, OptionType.Integer, OptionType.Boolean, OptionType.Number];

/** What the specification does not say of an option. The codes as reported: discord-api-docs#7617, #5615 */
function optionMistakes(option: CommandOption, before: readonly CommandOption[]): Mistake[] {
  const isLate = option.required === true && before.some(({ required }) => !required);
  const isTaken = before.some(({ name }) => name === option.name);
  return [
    ...when(isLate, [], 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID'),
    ...when(isTaken, [], 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS'),
    ...nameMistakes(option),
    ...localeMistakes(option),
    ...notEmulated(!EMULATED.includes(option.type), []),
    ...notEmulated('choices' in option, ['choices']),
    ...notEmulated(option.autocomplete === true && option.type !== OptionType.String, ['autocomplete']),
  ];
}

// interactions/application-commands, "Application Command Naming"
const NAMING = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** Of a slash command or an option. */
function nameMistakes({ name, name_localizations }: Pick<CommandOption, 'name' | 'name_localizations'>): Mistake[] {
  const translated = Object.entries(name_localizations ?? {});
  const names = [
    { path: ['name'], text: name },
    ...translated.map(([locale, text]) => ({ path: ['name_localizations', locale], text })),
  ];
  return names.flatMap(({ path, text }) => {
    const isWrong = !NAMING.test(text) || text !== text.toLowerCase();
    return when(isWrong, path, 'APPLICATION_COMMAND_INVALID_NAME');
  });
}

const LOCALES: ReadonlySet<string> = new Set(Object.values(Locale));

const TRANSLATED = ['name_localizations', 'description_localizations'] as const;

/** reference.md, "Locales" */
function localeMistakes(part: Partial<Record<(typeof TRANSLATED)[number], Translations>>): Mistake[] {
  return TRANSLATED.flatMap((field) =>
    Object.keys(part[field] ?? {}).flatMap((locale) =>
      when(!LOCALES.has(locale), [field, locale], 'BASE_TYPE_INVALID'),
    ),
  );
}

/** A choice that a bot suggests for an option. */
export interface ChoiceForm {
  name: string;
  name_localizations?: Translations;
  value: string;
}

const LONGEST_VALUE = 100; // interactions/application-commands, "Application Command Option Choice Structure"

/** The specification allows a value as long as an option's text. */
export function choiceMistakes(choices: readonly ChoiceForm[]): Mistake[] {
  return choices.flatMap((choice, index) =>
    within(
      [index],
      [...when(choice.value.length > LONGEST_VALUE, ['value'], 'BASE_TYPE_MAX_LENGTH'), ...localeMistakes(choice)],
    ),
  );
}
