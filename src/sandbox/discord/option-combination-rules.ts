import { ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';

/** A mistake at a path within an option. */
export interface OptionProblem {
  path: readonly (string | number)[];
  code: string;
  message: string;
}

interface Option {
  type: number;
  name: string;
  required?: boolean | undefined;
  autocomplete?: boolean | undefined;
  choices?: readonly { value: string | number }[] | undefined;
  min_value?: number | undefined;
  max_value?: number | undefined;
  options?: readonly Option[] | undefined;
}

const { Subcommand, SubcommandGroup, String: Text, Integer, Number: Decimal, Channel, Attachment } = OptionType;
const SUBCOMMANDS: readonly number[] = [Subcommand, SubcommandGroup];

// interactions/application-commands, "Application Command Option Structure", column "Valid Option Types"
const VALID_TYPES: Readonly<Record<string, readonly number[]>> = {
  choices: [Text, Integer, Decimal],
  autocomplete: [Text, Integer, Decimal],
  min_value: [Integer, Decimal],
  max_value: [Integer, Decimal],
  min_length: [Text],
  max_length: [Text],
  channel_types: [Channel],
  file_types: [Attachment],
  options: SUBCOMMANDS,
};

/** Fields that an option type does not allow, or not together. Messages as reported (discord-api-docs#3611, #4359). */
export function fieldProblems(option: Option): OptionProblem[] {
  const fields = Object.entries(option).filter(([, value]) => isSet(value));
  const misplaced = fields
    .filter(([field]) => !isValidFor(field, option.type))
    .map(([field]) => notConfigurable(field));
  const exclusive = option.autocomplete && option.choices?.length ? [BOTH] : [];
  return [...misplaced, ...exclusive, ...valueProblems(option)];
}

/** An empty list and `false` count as absent. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

function isValidFor(field: string, type: number): boolean {
  if (field === 'required') return !SUBCOMMANDS.includes(type);
  return VALID_TYPES[field]?.includes(type) ?? true;
}

const BOTH: OptionProblem = {
  path: ['choices'],
  code: 'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
  message: 'Autocomplete and choices exclude each other.',
};

function notConfigurable(field: string): OptionProblem {
  const name = field.replaceAll('_', ' ');
  return {
    path: [field],
    code: `APPLICATION_COMMAND_${field.toUpperCase()}_INVALID`,
    message: `${name.charAt(0).toUpperCase()}${name.slice(1)} cannot be configured for this type of option`,
  };
}

/** Choices and bounds have to be values of the option. */
function valueProblems(option: Option): OptionProblem[] {
  const bounds = (['min_value', 'max_value'] as const).map((field) => ({ path: [field], value: option[field] }));
  const choices = (option.choices ?? []).map(({ value }, index) => ({ path: ['choices', index, 'value'], value }));
  return [...bounds, ...choices]
    .filter(({ path, value }) => value !== undefined && isValidFor(String(path[0]), option.type))
    .filter(({ value }) => !isOfType(option.type, value))
    .map(({ path }) => ({ path, ...WRONG_VALUE }));
}

function isOfType(type: number, value: unknown): boolean {
  if (type === Text) return typeof value === 'string';
  return type === Integer ? Number.isSafeInteger(value) : typeof value === 'number';
}

const WRONG_VALUE = {
  code: 'APPLICATION_COMMAND_CHOICE_VALUE_INVALID',
  message: 'The value is not of the type of the option.',
};

/**
 * Validates the combination of options at one level. The codes are as reported: discord-api-docs#7617, #5615.
 *
 * @param within the type of the enclosing option; undefined = the command itself
 */
export function orderProblems(options: readonly Option[], within: number | undefined): OptionProblem[] {
  return options.flatMap((option, index) => {
    const before = options.slice(0, index);
    return [
      ...(mayStand(option, before, within) ? [] : [at(index, ...MIXED)]),
      ...(option.required && before.some(({ type, required }) => !(required || SUBCOMMANDS.includes(type)))
        ? [at(index, ...REQUIRED_LATE)]
        : []),
      ...(before.some(({ name }) => name === option.name) ? [at(index, ...SAME_NAME)] : []),
    ];
  });
}

/** A group contains only subcommands, a subcommand only options with values, a command one kind or the other. */
function mayStand({ type }: Option, before: readonly Option[], within: number | undefined): boolean {
  if (within === SubcommandGroup) return type === Subcommand;
  if (within === Subcommand) return !SUBCOMMANDS.includes(type);
  return before[0] === undefined || SUBCOMMANDS.includes(before[0].type) === SUBCOMMANDS.includes(type);
}

const MIXED = [
  'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
  'Sub-command and sub-command group option types are mutually exclusive to all other types',
] as const;
const REQUIRED_LATE = [
  'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
  'Required options must be placed before non-required options',
] as const;
const SAME_NAME = ['APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option name already exists'] as const;

function at(index: number, code: string, message: string): OptionProblem {
  return { path: ['options', index], code, message };
}
