import type { CatalogCard } from './catalog-card.ts';
import type { Exact } from './resolution.ts';
import { nameKey } from './words.ts';

/** Commas, semicolons or line breaks separate the ids and names of a list, with or without blanks around them. */
const PIECE = /[^\s,;](?:[^,;\r\n]*[^\s,;])?/g;
/** A name such as `Jace, the Mind Sculptor` is taken for two parts at first; no known name has more than three. */
const MOST_JOINED = 3;

/** One card of a list, as it was typed. */
export interface ListPart {
  text: string;
  /** Absent when the text stands for no known card, or for several. */
  card?: CatalogCard;
}

/** What a text is exactly among the known cards. */
export type FindExact = (text: string) => Exact | undefined;

/** The parts of a list in their order. Up to three neighbouring pieces are one part if that is what a known card is called. */
export function* partsOf(list: string, findExact: FindExact): Generator<ListPart> {
  const pieces = piecesOf(list);
  for (let at = 0; at < pieces.length; ) {
    let length = Math.min(MOST_JOINED, pieces.length - at);
    let part = joined(list, pieces.slice(at, at + length), findExact);
    while (!part.cards && length > 1) part = joined(list, pieces.slice(at, at + --length), findExact);
    const [card, ...others] = part.cards ?? [];
    yield { text: part.text, ...(card && others.length === 0 && { card }) };
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

/** Pieces count as one name only where the name has its separators: `Mew, Two` is not `Mewtwo`. */
function joined(list: string, pieces: readonly Piece[], findExact: FindExact): { text: string; cards?: CatalogCard[] } {
  const text = list.slice(pieces[0]?.start, pieces.at(-1)?.end);
  const exact = findExact(text);
  const isSame = ({ name }: CatalogCard) => pieces.length === 1 || String(keysOf(name)) === String(keysOf(text));
  const cards = exact?.cards.filter((card) => exact.by !== 'name' || isSame(card)) ?? [];
  return { text, ...(cards.length > 0 && { cards }) };
}

function keysOf(text: string): string[] {
  return piecesOf(text).map(({ start, end }) => nameKey(text.slice(start, end)));
}
