import type { CardIndex } from './card-index.ts';
import type { Mentions } from './catalog.ts';
import { inOneMenu } from './list.ts';
import { called } from './printings.ts';
import { formOf, hasDigit, idKey, isSameId, nameKey } from './words.ts';

const MOST_MENTIONS = 10;
const MOST_WORDS = 500;
const LONGEST_NAME_WORDS = 8;
/** A shorter word is too often no name. */
const SHORTEST_NAME = 3;
const BETWEEN_WORDS = /[\s,;()[\]{}"<>`*|]+/;
const AROUND_WORD = /^[._~:!?]+|[._~:!?]+$/g;
const LONGEST_ID = 100;

/** Fewer digits are more often a count or a price than an id that is not known. */
const FEWEST_DIGITS = 4;

/**
 * The cards of a text: exact known names, the longest first, then what has the form of a confirmed id, however few there
 * are; at most ten, in the order of the text.
 */
export function mentions(index: CardIndex, text: string): Mentions {
  const words = text
    .split(BETWEEN_WORDS)
    .map((word) => word.replace(AROUND_WORD, ''))
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS);
  const { found, isTaken } = namesIn(index, words);
  for (const [at, word] of words.entries()) {
    const id = isTaken.has(at) ? undefined : idIn(index, word);
    if (id !== undefined) found.set(at, { id });
  }
  const inOrder = [...found].toSorted(([a], [b]) => a - b).map(([, mention]) => mention);
  const ids = new Set(inOrder.flatMap((mention) => ('id' in mention ? mention.id : [])));
  const isMeant = (printings: readonly string[]) => printings.some((id) => ids.has(id));
  const names = new Set(
    inOrder.flatMap((mention) => ('name' in mention && !isMeant(mention.printings) ? mention.name : [])),
  );
  const ambiguous = [...names].slice(0, MOST_MENTIONS).map((text) => {
    const cards = called(index, text);
    return { text, cards, total: cards.length };
  });
  return { ids: [...ids].slice(0, MOST_MENTIONS), ambiguous: inOneMenu(ambiguous) };
}

/** An id, or the name of several cards, which is unclear unless the text holds the id of one of them. */
type Mention = { id: string } | { name: string; printings: readonly string[] };

/** @returns the names by the place of their first word, and the places of all their words */
function namesIn(
  index: CardIndex,
  words: readonly string[],
): { found: Map<number, Mention>; isTaken: ReadonlySet<number> } {
  const found = new Map<number, Mention>();
  const isTaken = new Set<number>();
  for (let length = Math.min(LONGEST_NAME_WORDS, words.length); length > 0; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      const places = Array.from({ length }, (_, offset) => at + offset);
      const isFree = !places.some((place) => isTaken.has(place));
      const named = isFree ? nameIn(index, words.slice(at, at + length)) : undefined;
      if (!named) continue;
      for (const place of places) isTaken.add(place);
      found.set(at, named);
    }
  }
  return { found, isTaken };
}

function nameIn(index: CardIndex, words: readonly string[]): Mention | undefined {
  const name = words.join(' ');
  const named = name.length < SHORTEST_NAME ? [] : index.withNameKey(nameKey(name));
  const [first, ...others] = named;
  if (!first) return undefined;
  return others.length === 0 ? { id: first.card.id } : { name, printings: named.map(({ card }) => card.id) };
}

/** A word without a digit is an id only when it is a known one: ids without digits would make every word one. */
function idIn(index: CardIndex, word: string): string | undefined {
  if (word.length > LONGEST_ID || word === '.' || word === '..') return undefined;
  if (index.has(word)) return word;
  if (!hasDigit(word)) return undefined;
  const isNumber = /^\p{N}+$/u.test(word);
  if (isNumber) return word.length >= FEWEST_DIGITS && index.hasConfirmedNumber(word.length) ? word : undefined;
  const [spelledSo, ...others] = index.withIdKey(idKey(word)).filter(({ card }) => isSameId(word, card.id));
  if (spelledSo && others.length === 0) return spelledSo.card.id;
  return index.isConfirmedForm(formOf(word)) ? word : undefined;
}
