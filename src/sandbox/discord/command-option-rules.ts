import { Locale, ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';

import { type Mistake, type Path, when, within } from './form-error.ts';

type Translations = Readonly<Record<string, string>> | null;

/** A choice of an option, registered or suggested. */
export interface ChoiceForm {
  name: string;
  name_localizations?: Translations;
  value: string | number;
}

/** An option as Discord stores it: `required` and `autocomplete` only when true. */
export interface CommandOption {
  type: OptionType.String | OptionType.Integer | OptionType.Boolean | OptionType.Number;
  name: string;
  description: string;
  name_localizations: Translations;
  description_localizations: Translations;
  required?: true;
  autocomplete?: true;
  choices?: ChoiceForm[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
}

const { String: Text, Integer, Number: Decimal } = OptionType;

// interactions/application-commands, "Application Command Option Structure", column "Valid Option Types"; the last three are
// for kinds of options that are not emulated.
const VALID_TYPES: Readonly<Record<string, readonly OptionType[]>> = {
  ...{ choices: [Text, Integer, Decimal], autocomplete: [Text, Integer, Decimal] },
  ...{ min_value: [Integer, Decimal], max_value: [Integer, Decimal], min_length: [Text], max_length: [Text] },
  ...{ options: [], channel_types: [], file_types: [] },
};

/**
 * What the specification does not say of options.
 *
 * @param sent the options with the fields that their types do not have
 */
export function optionMistakes(options: readonly CommandOption[], sent: readonly object[]): Mistake[] {
  return options.flatMap((option, index) => {
    const before = options.slice(0, index);
    const isLate = option.required === true && before.some(({ required }) => !required);
    const isTaken = before.some(({ name }) => name === option.name);
    return within(
      [index],
      [
        // The codes as reported: discord-api-docs#7617, #5615
        ...when(isLate, [], 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', REQUIRED_LATE),
        ...when(isTaken, [], 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option name already exists'),
        ...nameMistakes(option),
        ...fieldMistakes(option, sent[index] ?? {}),
        ...within(['choices'], choiceMistakes(option.choices ?? [])),
      ],
    );
  });
}

const REQUIRED_LATE = 'Required options must be placed before non-required options';

/** Fields that an option type does not allow, or not together. Messages as reported (discord-api-docs#3611, #4359). */
function fieldMistakes({ type, autocomplete, choices }: CommandOption, sent: object): Mistake[] {
  const both = Boolean(autocomplete && choices?.length);
  return [
    ...when(
      both,
      ['choices'],
      'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
      'Autocomplete and choices exclude each other.',
    ),
    ...Object.entries(sent).flatMap(([field, value]) => {
      const isWrong = isSet(value) && !(VALID_TYPES[field]?.includes(type) ?? true);
      const name = field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');
      const message = `${name} cannot be configured for this type of option`;
      return when(isWrong, [field], `APPLICATION_COMMAND_${field.toUpperCase()}_INVALID`, message);
    }),
  ];
}

/** An empty list and `false` count as absent. */
function isSet(value: unknown): boolean {
  return value != null && value !== false && !(Array.isArray(value) && value.length === 0);
}

const LONGEST_VALUE = 100; // interactions/application-commands, "Application Command Option Choice Structure"

/** The specification allows a value as long as an option's text. */
export function choiceMistakes(choices: readonly ChoiceForm[]): Mistake[] {
  return choices.flatMap(({ value, name_localizations }, index) => {
    const isLong = typeof value === 'string' && value.length > LONGEST_VALUE;
    return within(
      [index],
      [
        ...when(isLong, ['value'], 'BASE_TYPE_MAX_LENGTH', `Must be ${LONGEST_VALUE} or fewer in length.`),
        ...localeMistakes({ name_localizations }),
      ],
    );
  });
}

// interactions/application-commands, "Application Command Naming"
const NAMING = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES: ReadonlySet<string> = new Set(Object.values(Locale));

interface Named {
  name: string;
  name_localizations?: Translations | undefined;
  description_localizations?: Translations;
}

/** Of a slash command or an option. */
export function nameMistakes(part: Named): Mistake[] {
  const names: [Path, string][] = Object.entries(part.name_localizations ?? {}).map(([locale, name]) => [
    ['name_localizations', locale],
    name,
  ]);
  return [
    ...[[['name'], part.name] as [Path, string], ...names].flatMap(([path, name]) => {
      const isWrong = !NAMING.test(name) || name !== name.toLowerCase();
      return when(isWrong, path, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
    }),
    ...localeMistakes(part),
  ];
}

/** reference.md, "Locales" */
export function localeMistakes(part: Omit<Named, 'name'>): Mistake[] {
  return (['name_localizations', 'description_localizations'] as const).flatMap((field) =>
    Object.keys(part[field] ?? {}).flatMap((locale) =>
      when(!LOCALES.has(locale), [field, locale], 'BASE_TYPE_INVALID', 'Not a locale of Discord.'),
    ),
  );
}
