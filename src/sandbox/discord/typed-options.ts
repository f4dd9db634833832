import {
  type APIApplicationCommand,
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType as OptionType,
} from 'discord-api-types/v10';

import { chosen, misfit, type OptionValue } from './option-value-rules.ts';
import type { Resolvable } from './resolvable.ts';

/** An option as it is sent: of a subcommand with the options in it. */
export interface TypedOption {
  name: string;
  type: OptionType;
  value?: OptionValue;
  options?: TypedOption[];
  focused?: true;
}

/** A command, or one of its subcommands. */
export interface Callable {
  command: APIApplicationCommand;
  /** The subcommand group and the subcommand, from outside; empty = the command itself. */
  path: readonly APIApplicationCommandOption[];
  declared: readonly APIApplicationCommandBasicOption[];
}

/** `/deck cards add`, as it is shown and typed. */
export function lineOf({ command, path }: Callable): string {
  return `/${[command, ...path].map(({ name }) => name).join(' ')}`;
}

/** The command itself or the subcommand that these names lead to. @throws Error in plain words. */
export function callable(command: APIApplicationCommand, names: readonly string[]): Callable {
  let declared = command.options ?? [];
  const path = names.map((name) => {
    const found = declared.find((option) => isSubcommand(option) && option.name === name);
    if (!found) throw new Error(`/${[command.name, ...names].join(' ')} is not registered.`);
    declared = ('options' in found && found.options) || [];
    return found;
  });
  const inner = declared.find(isSubcommand);
  if (inner) throw new Error(`/${[command.name, ...names].join(' ')} needs a subcommand, such as "${inner.name}".`);
  return { command, path, declared: declared as readonly APIApplicationCommandBasicOption[] };
}

/**
 * The options of a typed command as Discord's own client checks and sends them, in the order of their declaration.
 *
 * @throws Error in plain words when an option is missing, unknown, or of the wrong kind.
 */
export function typedOptions(
  called: Callable,
  typed: Readonly<Record<string, OptionValue>>,
  known: Resolvable,
): TypedOption[] {
  refuseStrangers(called, typed);
  return called.declared.flatMap((option) => {
    const value = typed[option.name];
    if (value === undefined || value === '') {
      if (option.required) throw new Error(`${lineOf(called)} needs the option "${option.name}".`);
      return [];
    }
    const problem = misfit(option, value, known);
    if (problem !== undefined) throw new Error(`The option "${option.name}" of ${lineOf(called)} ${problem}.`);
    return [{ name: option.name, type: option.type, value: chosen(option, value) }];
  });
}

/** The options of a command that is still being typed: unchecked, the focused one as text. */
export function halfTypedOptions(
  called: Callable,
  typed: Readonly<Record<string, OptionValue>>,
  focused: string,
): TypedOption[] {
  refuseStrangers(called, typed);
  const option = called.declared.find(({ name }) => name === focused);
  if (!(option && 'autocomplete' in option && option.autocomplete)) {
    throw new Error(`The option "${focused}" of ${lineOf(called)} has no autocomplete.`);
  }
  return called.declared.flatMap(({ name, type }) => {
    const value = typed[name];
    if (name === focused) return [{ name, type, value: String(value ?? ''), focused: true as const }];
    return value === undefined || value === '' ? [] : [{ name, type, value }];
  });
}

/** Puts options into the subcommand, and that into its group. */
export function withinPath({ path }: Callable, options: TypedOption[]): TypedOption[] {
  return path.reduceRight((inner, { name, type }) => [{ name, type, options: inner }], options);
}

/** What is shown above the reply, such as `/card id:base1-4`. @param shown how an id is called */
export function commandLine(
  called: Callable,
  options: readonly TypedOption[],
  shown: (option: TypedOption) => string = ({ value }) => String(value),
): string {
  return [lineOf(called), ...options.map((option) => `${option.name}:${shown(option)}`)].join(' ');
}

function isSubcommand({ type }: APIApplicationCommandOption): boolean {
  return type === OptionType.Subcommand || type === OptionType.SubcommandGroup;
}

function refuseStrangers(called: Callable, typed: Readonly<Record<string, OptionValue>>): void {
  const stranger = Object.keys(typed).find((name) => !called.declared.some((option) => option.name === name));
  if (stranger !== undefined) throw new Error(`${lineOf(called)} has no option "${stranger}".`);
}
