import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CatalogCard } from '../../../src/catalog/text.ts';

export const LISTS = ['pokemon', 'yugioh', 'fab', 'netrunner', 'arkham'] as const;
/** Lists by no text of which the search is tuned: what may be expected for a game of which nobody thought. */
export const HELD_OUT = ['marvel'] as const;
export type List = (typeof LISTS)[number] | (typeof HELD_OUT)[number];

/** A text as a member types it. */
export interface TypedText {
  list: List;
  kind: string;
  typed: string;
  /** `Name`, `Name @ Set`, `Name # number or id` or `# number or id`, with `*` for any text, and ` | ` between those that are meant as well. */
  meant: string;
  /** Whether the search may be tuned by it, as by half of the texts of a list that is not held out; the others are reported. */
  isTuning: boolean;
}

export function isHeldOut(list: List): boolean {
  return HELD_OUT.some((heldOut) => heldOut === list);
}

/** The texts of one list, from the file of its name beside this one. */
export function typedTexts(list: List): TypedText[] {
  return rows(`${list}.tsv`).map(([kind = '', typed = '', meant = '']) => ({
    ...{ list, kind, typed, meant },
    isTuning: !isHeldOut(list) && createHash('sha256').update(typed).digest().readUInt8() % 2 === 0,
  }));
}

/** Rows of a file of tab-separated values beside this one, without its header. */
export function rows(file: string): string[][] {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.slice(1).map((line) => line.split('\t'));
}

/** Whether a card is one of those that are meant. */
export function isMeant(meant: string): (card: CatalogCard) => boolean {
  const alternatives = meant.split(' | ').map((alternative) => {
    const [, name = '', sign, rest = ''] = /^(.*?)(?:(?:^| )([@#]) (.*))?$/u.exec(alternative) ?? [];
    return { isNamed: fitting(name || '*'), sign, fits: fitting(rest) };
  });
  return ({ id, name, set = '', number = '' }) =>
    alternatives.some(({ isNamed, sign, fits }) => {
      if (!isNamed(name)) return false;
      return sign === '@' ? fits(set) : sign === undefined || fits(id) || fits(number);
    });
}

/** A list may add something in brackets, such as the colour, to what a field says. */
function fitting(wanted: string): (text: string) => boolean {
  const parts = wanted.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}(?: \\(.*\\))?$`, 'u');
  return (text) => pattern.test(text);
}
