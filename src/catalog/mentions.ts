import { idFault } from '../model/card-id.ts';
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

/** Fewer digits are more often a count or a price than an id that is not known. */
const FEWEST_DIGITS = 4;

/**
 * The cards of a text: exact known names, the longest first, then what has the form of a confirmed id, however few
 * there are; at most ten, in the order of the text.
 */
export function mentions(index: CardIndex, text: string): Mentions {
  const words = text
    .split(BETWEEN_WORDS)
    .map((word) => word.replace(AROUND_WORD, ''))
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS);
  const named = namesIn(index, words);
  const found = words.map((word, at) => named.get(at) ?? { text: word, ids: idsIn(index, word) });
  const ids = new Set(found.flatMap((mention) => (mention.ids.length === 1 ? mention.ids : [])));
  // A name of several cards is clear when the text has the id of one of them.
  const unclear = found.filter((mention) => mention.ids.length > 1 && !mention.ids.some((id) => ids.has(id)));
  const names = new Set(unclear.map((mention) => mention.text));
  const ambiguous = [...names].slice(0, MOST_MENTIONS).map((text) => {
    const cards = called(index, text);
    return { text, cards, total: cards.length };
  });
  return { ids: [...ids].slice(0, MOST_MENTIONS), ambiguous: inOneMenu(ambiguous) };
}

/** A name or an id, and the cards that are called so. */
interface Mention {
  text: string;
  ids: readonly string[];
}

/** The longest names by the place of their first word; at the places of their other words is nothing. */
function namesIn(index: CardIndex, words: readonly string[]): Map<number, Mention> {
  const found = new Map<number, Mention>();
  for (let length = Math.min(LONGEST_NAME_WORDS, words.length); length > 0; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      const places = Array.from({ length }, (_, offset) => at + offset);
      const text = words.slice(at, at + length).join(' ');
      const isFree = text.length >= SHORTEST_NAME && !places.some((place) => found.has(place));
      const called = isFree ? index.withNameKey(nameKey(text)) : [];
      if (called.length === 0) continue;
      for (const place of places) found.set(place, { text: '', ids: [] });
      found.set(at, { text, ids: called.map(({ card }) => card.id) });
    }
  }
  return found;
}

/** A word without a digit is an id only when it is a known one: ids without digits would make every word one. */
function idsIn(index: CardIndex, word: string): string[] {
  if (idFault(word)) return [];
  const spelledSo = index.withIdKey(idKey(word)).map(({ card }) => card.id);
  if (spelledSo.includes(word)) return [word];
  if (!hasDigit(word)) return [];
  const isNumber = /^\p{N}+$/u.test(word);
  if (isNumber) return word.length >= FEWEST_DIGITS && index.hasConfirmedNumber(word.length) ? [word] : [];
  const sameIds = spelledSo.filter((id) => isSameId(word, id));
  if (sameIds.length === 1) return sameIds;
  return index.isConfirmedForm(formOf(word)) ? [word] : [];
}
