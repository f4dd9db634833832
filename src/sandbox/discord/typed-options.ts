import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType as OptionType,
} from 'discord-api-types/v10';

type Value = string | number | boolean;
export interface TypedOption {
  name: string;
  type: OptionType;
  value: Value;
}

/**
 * The options of a typed command as Discord's own client checks and sends them.
 *
 * @throws Error in plain words when an option is missing, unknown, or of the wrong kind.
 */
export function typedOptions(command: APIApplicationCommand, typed: Readonly<Record<string, Value>>): TypedOption[] {
  const declared = command.options ?? [];
  const stranger = Object.keys(typed).find((name) => !declared.some((option) => option.name === name));
  if (stranger !== undefined) throw new Error(`/${command.name} has no option "${stranger}".`);

  return declared.flatMap((option) => {
    const value = typed[option.name];
    if (value === undefined || value === '') {
      if ('required' in option && option.required)
        throw new Error(`/${command.name} needs the option "${option.name}".`);
      return [];
    }
    const problem = misfit(option, value);
    if (problem !== undefined) throw new Error(`The option "${option.name}" of /${command.name} ${problem}.`);
    return [{ name: option.name, type: option.type, value: chosen(option, value) }];
  });
}

/** What is shown above the reply, such as `/card id:base1-4`. */
export function commandLine(name: string, options: readonly TypedOption[]): string {
  return [`/${name}`, ...options.map((option) => `${option.name}:${option.value}`)].join(' ');
}

function misfit(option: APIApplicationCommandOption, value: Value): string | undefined {
  if ('choices' in option && option.choices?.length) {
    return option.choices.some((choice) => choice.name === value || choice.value === value)
      ? undefined
      : `is none of ${option.choices.map(({ name }) => name).join(', ')}`;
  }
  switch (option.type) {
    case OptionType.String:
      return textMisfit(value, option.min_length ?? 0, option.max_length ?? 6_000);
    case OptionType.Integer:
      return Number.isSafeInteger(value) ? numberMisfit(value, option) : 'must be a whole number';
    case OptionType.Number:
      return Number.isFinite(value) ? numberMisfit(value, option) : 'must be a number';
    case OptionType.Boolean:
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    default:
      return 'is of a kind that cannot be typed here';
  }
}

function textMisfit(value: Value, min: number, max: number): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  const length = [...value].length;
  return length < min || length > max ? `must have ${min} to ${max} characters` : undefined;
}

function numberMisfit(value: Value, { min_value, max_value }: { min_value?: number; max_value?: number }) {
  if (min_value !== undefined && Number(value) < min_value) return `must be at least ${min_value}`;
  if (max_value !== undefined && Number(value) > max_value) return `must be at most ${max_value}`;
  return undefined;
}

/** People pick a choice by its name; the bot gets its value. */
function chosen(option: APIApplicationCommandOption, value: Value): Value {
  if (!('choices' in option)) return value;
  return option.choices?.find((choice) => choice.name === value)?.value ?? value;
}
