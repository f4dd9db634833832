import type { CatalogCard } from './catalog-card.ts';
import { type ListLine, readLine } from './list-line.ts';
import type { Exact } from './resolution.ts';
import { nameKey } from './words.ts';

/** Commas, semicolons or line breaks separate the ids and names of a list, with or without blanks around them. */
const PIECE = /[^\s,;](?:[^,;\r\n]*[^\s,;])?/g;
/** A name such as `Jace, the Mind Sculptor` is taken for two parts at first; no known name has more than three. */
const MOST_JOINED = 3;

/** A count, a name with commas of which none comes before another count or behind a set, and a set at the end. */
const COUNTED_LINE = /^\d{1,3}x?\s(?:(?![;\r\n]|,\s*\d+x?\s|[)\]][^,;]*,).)+$/is;
/** Where Arena exports the name of a deck. */
const DECK_NAME = /^About\s+Name .*/im;

/** One card of a list, as it was typed, without its count. */
export interface ListPart {
  text: string;
  /** The text is what one or several cards are called, or is one card in any case. */
  isKnown: boolean;
  /** Absent when the text stands for no known card, or for several. */
  card?: CatalogCard;
}

/** What a line is exactly among the known cards. */
export type FindExact = (line: ListLine) => Exact | undefined;

/**
 * The parts of a list in their order, without headings. Up to three neighbouring pieces are one part if that is what a
 * known card is called.
 */
export function* partsOf(typed: string, findExact: FindExact): Generator<ListPart> {
  const list = typed.replace(DECK_NAME, '');
  const pieces = piecesOf(list);
  for (let at = 0; at < pieces.length; ) {
    let length = Math.min(MOST_JOINED, pieces.length - at);
    let part = joined(list, pieces.slice(at, at + length), findExact);
    while (!part?.isKnown && length > 1) part = joined(list, pieces.slice(at, at + --length), findExact);
    if (part) yield part;
    at += length;
  }
}

/** Whether an id in a list is read as one part. */
export function isListable(id: string): boolean {
  const pieces = piecesOf(id);
  return pieces.length <= MOST_JOINED && pieces[0]?.start === 0 && pieces.at(-1)?.end === id.length;
}

/** A name that begins with the last pieces of a list, and what stands before them, if that can be. */
export function* beginningsOf(list: string): Generator<{ before: string; text: string }> {
  const pieces = piecesOf(list);
  for (const { start } of pieces.slice(-MOST_JOINED, -1))
    yield { before: list.slice(0, start), text: list.slice(start) };
}

/** Whether a name begins so, with the same separators. */
export function beginsSo(name: string, text: string): boolean {
  const ofName = keysOf(name);
  const typed = keysOf(text);
  const last = typed.length - 1;
  return typed.every((key, at) => (at < last ? ofName[at] === key : ofName[at]?.startsWith(key)));
}

interface Piece {
  start: number;
  end: number;
}

function piecesOf(list: string): Piece[] {
  return Array.from(list.matchAll(PIECE), ({ 0: text, index }) => ({ start: index, end: index + text.length }));
}

/**
 * Reads the pieces as one name, as it was typed, or else as a line of a deck. Pieces count as one name only where the
 * name has its separators: `Mew, Two` is not `Mewtwo`.
 *
 * @returns `undefined` for a heading
 */
function joined(list: string, pieces: readonly Piece[], findExact: FindExact): ListPart | undefined {
  const typed = list.slice(pieces[0]?.start, pieces.at(-1)?.end);
  const line = readLine(typed);
  for (const each of [
    { text: typed, count: 1, isCounted: false, name: typed },
    ...(line && line.name !== typed ? [line] : []),
  ]) {
    const { by, cards = [] } = findExact(each) ?? {};
    const isCalledSo = ({ name }: CatalogCard) => String(keysOf(name)) === String(keysOf(each.name));
    const meant = by === 'id' || by === 'label' || pieces.length === 1 ? cards : cards.filter(isCalledSo);
    const [card, ...others] = meant;
    if (card) return { text: each.text, isKnown: true, ...(others.length === 0 && by !== 'otherPrinting' && { card }) };
  }
  const isOneCard = pieces.length > 1 && COUNTED_LINE.test(typed) && line?.set !== undefined;
  return line && { text: line.text, isKnown: isOneCard };
}

function keysOf(text: string): string[] {
  return piecesOf(text).map(({ start, end }) => nameKey(text.slice(start, end)));
}
