import { type APIApplicationCommand, ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';

import type { OptionValue } from './chat.ts';
import type { CommandOption } from './command-option-rules.ts';

type TypedValues = Readonly<Record<string, OptionValue>>;

/** An option as it is sent. */
export interface TypedOption {
  name: string;
  type: OptionType;
  value: OptionValue;
  focused?: true;
}

/**
 * The options of a typed command as Discord's client validates and sends them, in the order of their declaration.
 *
 * @throws Error with a sentence when an option is missing, unknown, or of the wrong type.
 */
export function typedOptions(command: APIApplicationCommand, typed: TypedValues): TypedOption[] {
  return declaredIn(command, typed).flatMap((option) => {
    const { name, type, required } = option;
    const value = typed[name];
    if (value === undefined || value === '') {
      if (required) throw new Error(`/${command.name} needs the option "${name}".`);
      return [];
    }
    const problem = misfit(option, value);
    if (problem !== undefined) throw new Error(`The option "${name}" of /${command.name} ${problem}.`);
    return [{ name, type, value }];
  });
}

/** The options of a command that is still being typed: not validated, the focused one as text. */
export function halfTypedOptions(command: APIApplicationCommand, typed: TypedValues, focused: string): TypedOption[] {
  const declared = declaredIn(command, typed);
  if (!declared.some(({ name, autocomplete }) => name === focused && autocomplete)) {
    throw new Error(`The option "${focused}" of /${command.name} has no autocomplete.`);
  }
  return declared.flatMap(({ name, type }) => {
    const value = typed[name];
    if (name === focused) return [{ name, type, value: String(value ?? ''), focused: true as const }];
    return value === undefined || value === '' ? [] : [{ name, type, value }];
  });
}

/** The line above the reply, such as `/card id:base1-4`. */
export function commandLine({ name }: APIApplicationCommand, options: readonly TypedOption[]): string {
  return [`/${name}`, ...options.map((option) => `${option.name}:${option.value}`)].join(' ');
}

/** @throws Error with a sentence when something else is typed */
function declaredIn({ name, options = [] }: APIApplicationCommand, typed: TypedValues): CommandOption[] {
  const declared = options as CommandOption[]; // as they were registered
  const unknownName = Object.keys(typed).find((each) => !declared.some((option) => option.name === each));
  if (unknownName !== undefined) throw new Error(`/${name} has no option "${unknownName}".`);
  return declared;
}

/** Why a value is invalid for an option, as the end of a sentence; undefined = valid. */
function misfit(option: CommandOption, value: OptionValue): string | undefined {
  const { type } = option;
  if (type === OptionType.Boolean) return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === OptionType.String) return textMisfit(value, option);
  if (type === OptionType.Integer && !Number.isSafeInteger(value)) return 'must be a whole number';
  return Number.isFinite(value) ? numberMisfit(Number(value), option) : 'must be a number';
}

function textMisfit(value: OptionValue, { min_length: min = 0, max_length: max = 6_000 }: CommandOption) {
  if (typeof value !== 'string') return 'must be text';
  const length = [...value].length;
  return length < min || length > max ? `must have ${min} to ${max} characters` : undefined;
}

function numberMisfit(value: number, { min_value, max_value }: CommandOption): string | undefined {
  if (min_value !== undefined && value < min_value) return `must be at least ${min_value}`;
  return max_value !== undefined && value > max_value ? `must be at most ${max_value}` : undefined;
}
