import type { OptionValue } from '../discord/chat.ts';
import type { CommandOption } from '../discord/command-option-rules.ts';
import type { ShownCommand } from '../page-protocol.ts';
import { optionValue } from './option-value.ts';

/** A typed line, parsed as far as possible: a form can continue with `texts`. */
export interface ReadLine {
  command: ShownCommand | undefined;
  /** The text for each option, by its name. */
  texts: Record<string, string>;
  /** Why it cannot be sent, in one sentence. */
  problem?: string;
}

/**
 * Parses a line with a slash: `/card id:base1-4 private:True`, or the short form `/card base1-4`: words before the first `option:` are for
 * the first required option that is not named, or else for the first with suggestions.
 */
export function readCommandLine(line: string, commands: readonly ShownCommand[]): ReadLine {
  const typed = line.trim().slice(1);
  const command = commands.find(({ name }) => startsWithName(typed, name));
  if (!command) return { command, texts: {}, problem: `There is no command /${typed.split(/\s/)[0]} here.` };
  const rest = typed.slice(command.name.length);

  const { bare, named } = split(rest, command.options);
  if (bare === '') return { command, texts: named };

  const open = command.options.filter(({ name }) => !(name in named));
  const target = open.find(({ required }) => required) ?? open.find(({ autocomplete }) => autocomplete);
  if (target) return { command, texts: { ...named, [target.name]: bare } };
  return { command, texts: named, problem: `/${command.name} does not know what to do with “${bare}”.` };
}

/** The values of the options that have a text, from a line or a form. Whether they fit is for Discord to say. */
export function optionValues({ options }: ShownCommand, texts: Record<string, string>): Record<string, OptionValue> {
  const typed = options.filter(({ name }) => texts[name]?.trim());
  return Object.fromEntries(typed.map((option) => [option.name, optionValue(option, texts[option.name] ?? '')]));
}

/** Commands whose name begins with the typed text, for the list above the composer; `[]` once more than a name is typed. */
export function suggestCommands(line: string, commands: readonly ShownCommand[]): readonly ShownCommand[] {
  const typed = /^\/(.*)$/.exec(line)?.[1]?.toLowerCase();
  return typed === undefined ? [] : commands.filter(({ name }) => name.startsWith(typed));
}

/** One name can begin with another: `watch` and `watches`. */
function startsWithName(typed: string, name: string): boolean {
  const next = typed.at(name.length);
  return typed.toLowerCase().startsWith(name) && (next === undefined || /\s/.test(next));
}

/** An option's value extends to the next word that begins with another option's name and a colon. */
function split(rest: string, options: readonly CommandOption[]): { bare: string; named: Record<string, string> } {
  const names = new Set(options.map(({ name }) => name));
  const named: Record<string, string> = {};
  const bare: string[] = [];
  let current: string | undefined;
  for (const word of rest.split(/\s+/).filter(Boolean)) {
    const colon = word.indexOf(':');
    const name = word.slice(0, Math.max(colon, 0)).toLowerCase();
    if (names.has(name)) {
      current = name;
      named[name] = word.slice(colon + 1);
    } else if (current === undefined) bare.push(word);
    else named[current] = `${named[current]} ${word}`;
  }
  return { bare: bare.join(' '), named };
}
