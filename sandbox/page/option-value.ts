import type { OptionValue } from '../discord/chat.ts';
import type { CommandOption } from '../discord/command-option-rules.ts';

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
export function optionValue({ type }: CommandOption, typed: string): OptionValue {
  const text = typed.trim();
  if (type === TEXT) return text;
  if (type === BOOLEAN) return BOOLEANS[text.toLowerCase()] ?? text;
  return Number.isFinite(Number(text)) ? Number(text) : text;
}
