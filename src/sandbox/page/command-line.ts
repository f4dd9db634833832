import type { ShownCommand, ShownOption } from '../page-protocol.ts';
import { type OptionValue, readOptionValue } from './option-value.ts';

/** A typed line, parsed as far as possible: a form can continue with `texts`. */
export interface ReadLine {
  command: ShownCommand | undefined;
  /** The text for each option, by its name. */
  texts: Record<string, string>;
  options: Record<string, OptionValue>;
  /** One sentence; `undefined` = can be sent. */
  problem: string | undefined;
}

/**
 * Parses a line with a slash: `/card id:base1-4 private:True`, or the short form `/card base1-4`: words before the first `option:` are for
 * the first required option that is not named, or else for the first with suggestions.
 */
export function readCommandLine(line: string, commands: readonly ShownCommand[]): ReadLine {
  const typed = line.trim().slice(1);
  const command = commands.find(({ name }) => startsWithName(typed, name));
  if (!command) {
    const problem = `There is no command /${typed.split(/\s/)[0]} here.`;
    return { command: undefined, texts: {}, options: {}, problem };
  }
  const rest = typed.slice(command.name.length);

  const { bare, named } = split(rest, command.options);
  if (bare === '') return readTexts(command, named);

  const open = command.options.filter(({ name }) => !(name in named));
  const target = open.find(({ required }) => required) ?? open.find(({ autocomplete }) => autocomplete);
  if (target) return readTexts(command, { ...named, [target.name]: bare });
  return { ...readTexts(command, named), problem: `/${command.name} does not know what to do with “${bare}”.` };
}

/** Parses the text for each option, from a line or a form. */
export function readTexts(command: ShownCommand, texts: Record<string, string>): ReadLine {
  const options: Record<string, OptionValue> = {};
  for (const option of command.options) {
    const text = texts[option.name];
    if (text === undefined || text.trim() === '') {
      if (option.required) return { command, texts, options, problem: `${option.name} is required.` };
      continue;
    }
    const read = readOptionValue(option, text);
    if ('problem' in read) return { command, texts, options, problem: read.problem };
    options[option.name] = read.value;
  }
  return { command, texts, options, problem: undefined };
}

/** What Discord's client sends while an option is typed: its text as it is, and the valid values of other options. */
export function halfTyped(
  command: ShownCommand,
  texts: Record<string, string>,
  focused: string,
): Record<string, OptionValue> {
  const fitting = command.options.flatMap((option): [string, OptionValue][] => {
    const text = texts[option.name];
    if (text === undefined || text.trim() === '' || option.name === focused) return [];
    const read = readOptionValue(option, text);
    return 'value' in read ? [[option.name, read.value]] : [];
  });
  return { ...Object.fromEntries(fitting), [focused]: texts[focused] ?? '' };
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
function split(rest: string, options: readonly ShownOption[]): { bare: string; named: Record<string, string> } {
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
