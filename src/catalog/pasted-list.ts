import { decodeHTMLStrict } from 'entities/decode';
import type { ListedCard } from '../model/invocation.ts';
import { type ListLine, readLine } from './list-line.ts';
import { mayBeId, nameKey } from './words.ts';

/** A line of a list that a member pasted. */
export interface PastedLine extends ListLine {
  /** The line as it stands in the list; where several say the same, the first of them. */
  typed: string;
  /** How many lines of the list say so. */
  times: number;
  /** It has no count where most have one, or none in front: unless a card is called so, it is a heading. */
  mayBeHeading?: boolean;
  /** Those that it means, once that is known. */
  cards?: readonly ListedCard[];
}

/** What a member pasted, or why it is no list. */
export type PastedList =
  /** Each line once, letter for letter. `passedOver`: those that are headings, comments and sums in any case. */
  | { lines: readonly PastedLine[]; passedOver: readonly string[] }
  | { refusal: 'empty' | 'headingsOnly' | 'table' | 'tooManyCards' }
  /** The count of this line is none that anybody owns. */
  | { refusal: 'count'; line: string };

/** How many different cards a list may have. */
export const MOST_DIFFERENT = 100;
/** With headings, and with lines that say the same in other words. */
const MOST_READ = 4 * MOST_DIFFERENT;
const FEWEST = 1;
const MOST = 999;
/** No longer line says a card; it is not read, so that whatever was pasted is read in milliseconds. */
const LONGEST_LINE = 300;

const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;
const FULL_WIDTH = /[！-～]/g;
const TO_ASCII = '！'.charCodeAt(0) - '!'.charCodeAt(0);
/**
 * A row of a table has several tabs, or a cell that is a number, empty or quoted, which hardly a part of a name is;
 * names have thousands.
 */
const ROW = /\t.*\t|^\d+\s*[;,](?!\d{3}\D)|[;,]\s*(?:\d+\s*)?[;,]|[;,\t]\s*\d+$|[;,]"|"[;,]\S/;
/** How the file of a program begins: XML, in which only Magic Online's cards are read. */
const FILE = /^<(?!https?:)[?/a-z]/i;
/**
 * Links, what stands around names that somebody has emphasised, and what Star Wars: Unlimited has before a card's
 * title.
 */
const LINK = /\[(?<name>[^\]]*)\]\(https?:[^\s)]*\)|<?https?:\S+/g;
const EMPHASIS = /\*\*|__|`|_(?=\()|(?<=\))_|\s\|(?=\s)/g;
/** Sums, lines without a letter or digit, and what is said of a deck. */
const NO_CARD =
  /^(?:\d+\s+(?:cards?|influence spent|agenda points)(?:\s*[(:,].*)?|[^\p{L}\p{N}]*|(?:name|layout [a-z]+|format|packs|deck (?:xp|size|name)|exported|cards up to)\b\s*[:=].*|\w+=.*)$/iu;
/** A card in a file of Magic Online. */
const ELEMENT = /^<Cards [^>]*\bQuantity="(?<n>\d+)"[^>]*\bName="(?<name>[^"]*)".*$/;
/** In front of a card that a deck has once. */
const ROLE =
  /^(?:commander|companion|leader|hero|investigator|identity|stronghold|role|base|main|side(?:board)?|extra):\s+/i;
/** `Sol Ring: 4`, `Sol Ring (4)`, and a heading without its figure. More digits are rather a set: `Mew (151)`. */
const BEHIND = /^(?<name>.*[^\s:(])\s*(?::(?:\s+(?<n>\d{1,2}))?|\s\((?<n>\d{1,2})\))$/;
/** It is not understood, and no heading. */
const NUMBER_IN_FRONT = /^\W*\d/;

/** The lines of a list as games and tools export them. */
export function readPastedList(text: string): PastedList {
  const pasted = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(INVISIBLE, '').trim())
    .filter((line) => SAYS_SOMETHING.test(line));
  if (pasted.length === 0) return { refusal: 'empty' };
  if (isTable(pasted)) return { refusal: 'table' };
  const each = Map.groupBy(pasted, (line) => line);
  if (each.size >= MOST_READ) return { refusal: 'tooManyCards' };
  const read = Array.from(each, ([typed, { length: times }]) => ({ typed, times, line: readTyped(typed) }));
  const lines = withHeadings(read.flatMap(({ line, ...as }) => (line ? [{ ...line, ...as }] : [])));
  if (lines.length === 0) return { refusal: 'headingsOnly' };
  const uncounted = lines.find(({ count }) => count < FEWEST || count > MOST);
  if (uncounted) return { refusal: 'count', line: uncounted.typed };
  if (merged(lines.filter(({ mayBeHeading }) => !mayBeHeading)).length > MOST_DIFFERENT)
    return { refusal: 'tooManyCards' };
  return { lines, passedOver: read.flatMap(({ typed, line }) => (line ? [] : [typed])) };
}

function isTable(lines: readonly string[]): boolean {
  const rows = lines.filter((line) => ROW.test(line));
  const isFile = FILE.test(lines[0] ?? '') && !lines.some((line) => ELEMENT.test(line));
  return isFile || (lines.length > 1 && 2 * rows.length >= lines.length);
}

/** Lines that say the same, and mean the same once that is known, are one, with the counts of all. */
export function merged<Line extends PastedLine>(lines: readonly Line[]): Line[] {
  return [...Map.groupBy(lines, keyOf).values()].flatMap((same) => {
    const count = same.reduce((sum, line) => sum + line.times * line.count, 0);
    const times = same.reduce((sum, line) => sum + line.times, 0);
    return same.slice(0, 1).map((line) => ({ ...line, count, times }));
  });
}

/** Where most lines have a count, one without is rather a heading. */
function withHeadings(lines: readonly PastedLine[]): PastedLine[] {
  const areCounted = 2 * lines.filter(({ isCounted }) => isCounted).length > lines.length;
  const mayBe = ({ mayBeHeading = false, isCounted, text }: PastedLine) =>
    mayBeHeading || (areCounted && !isCounted && !mayBeId(text) && !NUMBER_IN_FRONT.test(text));
  return lines.map((line) => ({ ...line, mayBeHeading: mayBe(line) }));
}

/** @returns `undefined` for what is no card in any case */
function readTyped(typed: string): Omit<PastedLine, 'typed' | 'times'> | undefined {
  if (typed.length > LONGEST_LINE) return { text: typed, name: typed, count: 1, isCounted: false };
  const card = typed.replace(ELEMENT, '$<n> $<name>');
  if (FILE.test(card)) return undefined;
  const line = decodeHTMLStrict(card)
    .replaceAll('（', ' (')
    .replace(FULL_WIDTH, (sign) => String.fromCharCode(sign.charCodeAt(0) - TO_ASCII))
    .replace(LINK, '$<name>')
    .replace(EMPHASIS, '')
    .trim();
  if (NO_CARD.test(line)) return undefined;
  const read = readLine(line.replace(ROLE, '').replace(/\s+/g, ' '));
  const { name = '', n } = (!read?.isCounted && BEHIND.exec(line)?.groups) || {};
  const behind = readLine(name);
  if (!read || !name || !behind) return read;
  return { ...behind, count: Number(n ?? 1), isCounted: n !== undefined, mayBeHeading: true };
}

function keyOf({ name, set = '', number = '', finish, cards = [] }: PastedLine): string {
  return JSON.stringify([nameKey(name), nameKey(set), nameKey(number), finish, ...cards.map(({ id }) => id)]);
}
