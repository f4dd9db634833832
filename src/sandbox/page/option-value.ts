import type { ShownOption } from '../page-protocol.ts';

export type OptionValue = string | number | boolean;

export type ReadValue = { value: OptionValue } | { problem: string };

const YES = new Set(['true', 'yes']);
const NO = new Set(['false', 'no']);

/**
 * The words in the menu of an option, beginning with the one that it starts with. A boolean option starts with what
 * differs from its default, because nobody adds it for that; the description says which it is: "(default: yes)".
 */
export function menuOf({ kind, choices, description }: ShownOption): readonly string[] {
  if (kind !== 'boolean') return choices.map(({ name }) => name);
  return /\bdefault: yes\b/i.test(description) ? ['False', 'True'] : ['True', 'False'];
}

/** The text of an option as the value that Discord's client would send, or one sentence about what is expected. */
export function readOptionValue(option: ShownOption, typed: string): ReadValue {
  const text = typed.trim();
  if (option.choices.length > 0) return readChoice(option, text);
  switch (option.kind) {
    case 'boolean':
      return readBoolean(option, text.toLowerCase());
    case 'string':
      return readString(option, text);
    default:
      return readNumber(option, text);
  }
}

function readChoice({ name, choices }: ShownOption, text: string): ReadValue {
  const wanted = text.toLowerCase();
  const choice = choices.find(({ name, value }) => [name, String(value)].some((form) => form.toLowerCase() === wanted));
  if (choice) return { value: choice.value };
  return { problem: `${name} must be one of ${choices.map((choice) => choice.name).join(', ')}.` };
}

function readBoolean({ name }: ShownOption, text: string): ReadValue {
  if (YES.has(text)) return { value: true };
  if (NO.has(text)) return { value: false };
  return { problem: `${name} must be True or False.` };
}

function readString({ name, min = 0, max = 6000 }: ShownOption, text: string): ReadValue {
  const length = [...text].length;
  if (length < min)
    return { problem: `${name} must be at least ${min} ${min === 1 ? 'character' : 'characters'} long.` };
  if (length > max) return { problem: `${name} must be at most ${max} characters long; this is ${length}.` };
  return { value: text };
}

function readNumber({ name, kind, min, max }: ShownOption, text: string): ReadValue {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) return { problem: `${name} must be a number.` };
  if (kind === 'integer' && !Number.isInteger(value)) return { problem: `${name} must be a whole number.` };
  if (min !== undefined && value < min) return { problem: `${name} must be at least ${min}.` };
  if (max !== undefined && value > max) return { problem: `${name} must be at most ${max}.` };
  return { value };
}
