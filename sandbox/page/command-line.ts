import type { OptionValue } from '../discord/chat.ts';
import type { Actions } from './page-server.ts';

/** A command that a member can use, with its options as they were registered. */
export type ShownCommand = Awaited<ReturnType<Actions['commands']>>['commands'][number];
export type CommandOption = ShownCommand['options'][number];

/**
 * Parses a line with a slash: `/card id:base1-4 private:True`, or the short form `/card base1-4`: words before the first `option:` are for
 * the first required option that is not named, or else for the first with suggestions.
 *
 * @returns as far as it can be parsed: the texts of options by their names, with which a form can continue, and why it
 *   cannot be sent, in one sentence
 */
export function readCommandLine(line: string, commands: readonly ShownCommand[]) {
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

// Discord's numbers: the enumeration would bring all of discord-api-types into the page
export const TEXT = 3;
export const BOOLEAN = 5;

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

/**
 * The words in the menu of a boolean option. It begins with what differs from the default, because nobody adds it for that;
 * the description says which it is: "(default: yes)".
 */
export function menuOf({ description }: Pick<CommandOption, 'description'>): readonly string[] {
  return /\bdefault: yes\b/i.test(description) ? ['False', 'True'] : ['True', 'False'];
}

/** The text of an option as the value that Discord's client would send; what is none stays text, which Discord refuses. */
function optionValue({ type }: CommandOption, typed: string): OptionValue {
  const text = typed.trim();
  if (type === TEXT) return text;
  if (type === BOOLEAN) return BOOLEANS[text.toLowerCase()] ?? text;
  return Number.isFinite(Number(text)) ? Number(text) : text;
}
