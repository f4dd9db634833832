import {
  type APIApplicationCommand,
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType as OptionType,
} from 'discord-api-types/v10';
import type { OptionInput } from './chat.ts';
import type { FileStore, PreparedFile } from './file-store.ts';

import { chosen, misfit, type OptionValue } from './option-value-rules.ts';
import type { Resolvable } from './resolvable.ts';

/** An option as it is sent; a subcommand contains its options. */
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
  /** The subcommand group and the subcommand; empty = the command itself. */
  path: readonly APIApplicationCommandOption[];
  declared: readonly APIApplicationCommandBasicOption[];
}

/** `/deck cards add`, as shown and typed. */
export function lineOf({ command, path }: Callable): string {
  return `/${[command, ...path].map(({ name }) => name).join(' ')}`;
}

/** The command itself or the subcommand with these names. @throws Error with a sentence. */
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
 * The options of a typed command as Discord's client validates and sends them, in the order of their declaration.
 *
 * @throws Error with a sentence when an option is missing, unknown, or of the wrong type.
 */
export function typedOptions(
  called: Callable,
  typed: Readonly<Record<string, OptionValue>>,
  known: Resolvable,
): TypedOption[] {
  rejectUnknownOptions(called, typed);
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

/** The options of a command that is still being typed: not validated, the focused one as text. */
export function halfTypedOptions(
  called: Callable,
  typed: Readonly<Record<string, OptionValue>>,
  focused: string,
): TypedOption[] {
  rejectUnknownOptions(called, typed);
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

/** Nests options in the subcommand, and that in its group. */
export function withinPath({ path }: Callable, options: TypedOption[]): TypedOption[] {
  return path.reduceRight((inner, { name, type }) => [{ name, type, options: inner }], options);
}

/** The line above the reply, such as `/card id:base1-4`. @param shown the name for an id */
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

function rejectUnknownOptions(called: Callable, typed: Readonly<Record<string, OptionValue>>): void {
  const unknownName = Object.keys(typed).find((name) => !called.declared.some((option) => option.name === name));
  if (unknownName !== undefined) throw new Error(`${lineOf(called)} has no option "${unknownName}".`);
}

/** Typed options with each file replaced by the id of an attachment. */
export function attach(
  typed: Readonly<Record<string, OptionInput>>,
  channelId: string,
  files: FileStore,
): { values: Record<string, OptionValue>; prepared: PreparedFile[] } {
  const prepared: PreparedFile[] = [];
  const values = Object.entries(typed).map(([name, value]): [string, OptionValue] => {
    if (typeof value !== 'object') return [name, value];
    const file = files.prepare({ contentType: undefined, ...value }, channelId, { ephemeral: true });
    prepared.push(file);
    return [name, file.attachment.id];
  });
  return { values: Object.fromEntries(values), prepared };
}
