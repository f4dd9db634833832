import type { Asked, Candidate } from './card-index.ts';
import type { CatalogCard } from './catalog-card.ts';
import { isMistypedBeginning, isTypingError } from './typing-error.ts';
import { idKey, nameKey, nameText, otherText, type Query, tokensOf, wordsOf } from './words.ts';

/** How well a card fits, best first. */
const CLOSENESS = [
  'id',
  'sameId',
  'name',
  'nameBeginning',
  'wholeWords',
  'wordBeginnings',
  'mistyped',
  'mistypedBeginning',
] as const;
export type Closeness = (typeof CLOSENESS)[number];

export interface Ranked extends Candidate {
  closeness: Closeness;
}

/** A shorter text is too often one error apart from another. */
const SHORTEST_MISTYPED_NAME = 5;
const SHORTEST_MISTYPED_QUERY = 4;
const SHORTEST_MISTYPED_BEGINNING = 4;

/** How well a card fits what was typed; `undefined` when it does not. */
export function closeness(query: Query, card: CatalogCard): Closeness | undefined {
  if (card.id === query.text) return 'id';
  if (query.idKey !== '' && idKey(card.id) === query.idKey) return 'sameId';
  if (query.nameKey === '') return undefined;
  const name = nameKey(card.name);
  if (name === query.nameKey) return 'name';
  if (name.startsWith(query.nameKey)) return 'nameBeginning';
  const text = ` ${nameText(card.name)} ${otherText(card)} `;
  const missing = query.words.filter((word) => !text.includes(` ${word}`));
  if (missing.length === 0)
    return query.words.every((word) => text.includes(` ${word} `)) ? 'wholeWords' : 'wordBeginnings';
  const [word, ...others] = missing;
  const isLongEnough = name.length >= SHORTEST_MISTYPED_NAME && query.nameKey.length >= SHORTEST_MISTYPED_QUERY;
  return word !== undefined && others.length === 0 && isLongEnough ? mistyped(word, card.name) : undefined;
}

function mistyped(word: string, name: string): Closeness | undefined {
  const tokens = tokensOf(name);
  if (tokens.some((token) => isTypingError(word, token))) return 'mistyped';
  if (word.length < SHORTEST_MISTYPED_BEGINNING) return undefined;
  return tokens.some((token) => isMistypedBeginning(word, token)) ? 'mistypedBeginning' : undefined;
}

/** Whether it has all words as they were typed. */
export function isAsTyped({ closeness }: Ranked): boolean {
  return !closeness.startsWith('mistyped');
}

const collator = new Intl.Collator('en', { numeric: true });

/**
 * Best first. Among cards that fit equally well: those whose whole number was typed, what this server, then everybody asks for most, then names that hold all
 * words, shorter names, and the order of names and ids.
 */
export function ranked(query: Query, candidates: Iterable<Ranked>, asked: ReadonlyMap<string, Asked>): Ranked[] {
  const keys = Array.from(candidates, (each) => {
    const { card, isDenied, closeness } = each;
    const { here, everywhere } = asked.get(card.id) ?? { here: 0, everywhere: 0 };
    const name = ` ${tokensOf(card.name).join(' ')}`;
    const outsideName = query.words.filter((word) => !name.includes(` ${word}`)).length;
    const tier = CLOSENESS.indexOf(closeness) + (isDenied ? CLOSENESS.length : 0);
    const isOtherNumber = Number(!holdsNumber(query, card));
    return { each, order: [tier, isOtherNumber, -here, -everywhere, outsideName, name.length] };
  });
  return keys
    .sort((a, b) => compare(a.order, b.order) || compareNames(a.each.card, b.each.card))
    .map(({ each }) => each);
}

/** Candidates that all fit equally well, best first. */
export function rankedAs(closeness: Closeness, query: Query, candidates: readonly Candidate[]): CatalogCard[] {
  const all = candidates.map((candidate) => ({ ...candidate, closeness }));
  return ranked(query, all, new Map()).map(({ card }) => card);
}

/** Whether the card's whole number was typed, such as `4/102`. */
function holdsNumber({ words }: Query, { number = '' }: CatalogCard): boolean {
  const ofNumber = wordsOf(number).join(' ');
  return ofNumber !== '' && ` ${words.join(' ')} `.includes(` ${ofNumber} `);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function compareNames(a: CatalogCard, b: CatalogCard): number {
  return collator.compare(a.name, b.name) || collator.compare(a.id, b.id);
}
