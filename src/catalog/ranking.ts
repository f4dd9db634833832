import type { Asked, Candidate } from './card-index.ts';
import type { CatalogCard } from './catalog-card.ts';
import {
  alsoText,
  idKey,
  isSameId,
  nameKey,
  otherNamesOf,
  otherText,
  printedNumbers,
  type Query,
  tokensOf,
  tokenText,
} from './words.ts';

/** How well a card fits, best first. */
const CLOSENESS = [
  'id',
  'sameId',
  'name',
  'number',
  'otherName',
  'firstWords',
  'nameBeginning',
  'looseId',
  'wholeWords',
  'wordBeginnings',
  'mistyped',
] as const;
export type Closeness = (typeof CLOSENESS)[number];

export interface Ranked extends Candidate {
  closeness: Closeness;
}

/** How well a card fits what was typed; `undefined` when it does not. */
export function closeness(query: Query, card: CatalogCard): Closeness | undefined {
  if (card.id === query.text) return 'id';
  const isIdOf = query.idKey !== '' && idKey(card.id) === query.idKey;
  if (isIdOf && isSameId(query.text, card.id)) return 'sameId';
  if (query.nameKey === '') return undefined;
  return printedAs(query, card) ?? (isIdOf ? 'looseId' : worded(query, card));
}

/** What was typed is the card's name or number, or its name begins so. */
function printedAs({ nameKey: typed, words }: Query, { name, number = '' }: CatalogCard): Closeness | undefined {
  const key = nameKey(name);
  if (key === typed) return 'name';
  if (printedNumbers(number).includes(words.join(' '))) return 'number';
  if (!key.startsWith(typed)) return undefined;
  const tokens = tokensOf(name);
  const endsWord = tokens.some((_, at) => tokens.slice(0, at + 1).join('') === typed);
  return endsWord ? 'firstWords' : 'nameBeginning';
}

/** What was typed is in what is printed on the card, or in its other names. */
function worded(query: Query, card: CatalogCard): Closeness | undefined {
  const printed = ` ${tokenText(card.name)} ${otherText(card)} `;
  const other = otherNamesOf(card);
  const fit = wordsIn(printed, query);
  if (fit) return fit;
  if (other.includes(query.nameKey)) return 'otherName';
  return wordsIn(`${printed}${alsoText(card)} `, query);
}

/** How well a text has all words. */
function wordsIn(text: string, { words }: Query): Closeness | undefined {
  const areIn = (end: string) => words.every((word) => text.includes(` ${word}${end}`));
  if (areIn(' ')) return 'wholeWords';
  return areIn('') ? 'wordBeginnings' : undefined;
}

const collator = new Intl.Collator('en', { numeric: true });

/**
 * Best first. Among cards that fit equally well: those whose whole number was typed, what this server, then everybody asks
 * for most, then names that hold all words, names with more cards, shorter names, and of one name the newest card.
 */
export function ranked(
  query: Query,
  fitting: readonly Ranked[],
  asked: ReadonlyMap<string, Asked> = new Map(),
): CatalogCard[] {
  const keyed = fitting.map(({ card, isDenied, closeness, place = Number.MAX_SAFE_INTEGER, printings }) => {
    const { here, everywhere } = asked.get(card.id) ?? { here: 0, everywhere: 0 };
    const fit = CLOSENESS.indexOf(closeness) + (isDenied ? CLOSENESS.length : 0);
    const outsideName = query.words.length - wordsInName(query, card);
    const released = Date.parse(card.released ?? '') || 0;
    const best = [fit, -here, -everywhere, place, outsideName, -printings, card.name.length];
    return { card, key: [...best, card.name, -released, card.id] };
  });
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ card }) => card);
}

/** How many of the words are in the card's name. */
function wordsInName({ words }: Query, { name }: CatalogCard): number {
  const tokens = ` ${tokenText(name)}`;
  return words.filter((word) => tokens.includes(` ${word}`)).length;
}

type Key = readonly (number | string)[];

function compare(a: Key, b: Key): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  const [one = 0, other = 0] = [a[at], b[at]];
  return typeof one === 'number' ? one - Number(other) : collator.compare(one, String(other));
}
