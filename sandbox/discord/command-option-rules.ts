import { Locale, ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';

import { type Mistake, notEmulated, type Path, when, within } from './forms.ts';

type Translations = Readonly<Record<string, string>> | null;

/** A choice that a bot suggests for an option. */
export interface ChoiceForm {
  name: string;
  name_localizations?: Translations;
  value: string;
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
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
}

const EMULATED: readonly OptionType[] = [OptionType.String, OptionType.Integer, OptionType.Boolean, OptionType.Number];

/** What the specification does not say of options. */
export function optionMistakes(options: readonly (CommandOption & { choices?: unknown })[]): Mistake[] {
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
        ...notEmulated(!EMULATED.includes(option.type), []),
        ...notEmulated(option.choices !== undefined, ['choices']),
        ...notEmulated(option.autocomplete === true && option.type !== OptionType.String, ['autocomplete']),
      ],
    );
  });
}

const REQUIRED_LATE = 'Required options must be placed before non-required options';

const LONGEST_VALUE = 100; // interactions/application-commands, "Application Command Option Choice Structure"

/** The specification allows a value as long as an option's text. */
export function choiceMistakes(choices: readonly ChoiceForm[]): Mistake[] {
  return choices.flatMap(({ value, name_localizations }, index) => {
    const isLong = value.length > LONGEST_VALUE;
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
