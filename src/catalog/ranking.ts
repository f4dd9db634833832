import type { Candidate, Popularity } from './card-index.ts';
import type { CatalogCard } from './catalog-card.ts';
import {
  alsoText,
  hasDigit,
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
  'wordsInOrder',
  'wordsInName',
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
  if (query.words.length === 0)
    return query.nameKey !== '' && nameKey(card.name) === query.nameKey ? 'name' : undefined;
  return printedAs(query, card) ?? (isIdOf ? 'looseId' : worded(query, card));
}

/** What was typed is the card's name or number, or its name begins so. */
function printedAs({ nameKey: typed, words }: Query, { name, number = '' }: CatalogCard): Closeness | undefined {
  const key = nameKey(name);
  if (key === typed) return 'name';
  if (printedNumbers(number).includes(words.join(' '))) return 'number';
  const tokens = tokensOf(name);
  const begins = key.startsWith(typed);
  if (begins && tokens.some((_, at) => tokens.slice(0, at + 1).join('') === typed)) return 'firstWords';
  if (isInOrder(words, tokens)) return 'wordsInOrder';
  if (words.every((word) => ` ${tokens.join(' ')} `.includes(` ${word} `))) return 'wordsInName';
  return begins ? 'nameBeginning' : undefined;
}

/** The parts of what was typed begin the words of the name one after another, as `kr du` those of `Kris Dunn`. */
function isInOrder(words: readonly string[], tokens: readonly string[]): boolean {
  const parts = words.join(' ').split(' ');
  return parts.length > 1 && parts.every((part, at) => tokens[at]?.startsWith(part));
}

/** What was typed is in what is printed on the card, or in its other names. */
function worded(query: Query, card: CatalogCard): Closeness | undefined {
  const printed = ` ${tokenText(card.name)} ${otherText(card)} `;
  if (otherNamesOf(card).includes(query.nameKey)) return 'otherName';
  return wordsIn(printed, query) ?? wordsIn(`${printed}${alsoText(card)} `, query);
}

/** How well a text has all words. */
function wordsIn(text: string, { words }: Query): Closeness | undefined {
  const areIn = (end: string) => words.every((word) => text.includes(` ${word}${end}`));
  if (areIn(' ')) return 'wholeWords';
  return areIn('') ? 'wordBeginnings' : undefined;
}

/** The name holds what was typed, which may also be a part of many other names. */
const IN_NAME: ReadonlySet<Closeness> = new Set(['firstWords', 'wordsInName']);
const MOST_OF_ONE_NAME = 2;
/** With fewer cards, a name is rather not meant by a word in its middle than one that begins so. */
const WELL_KNOWN = 5;
/** How many suggestions a member sees without scrolling. */
const FIRST = 5;

const collator = new Intl.Collator('en', { numeric: true });

/**
 * Best first. Among cards that fit equally well: those of whose number the typed figures are most, what this server,
 * then everybody asks for most, then names that hold all words, sets that hold the fewest others, names with more
 * cards, shorter names, and of one name the newest card. Of names that hold what was typed, two cards each are among
 * the first five.
 */
export function ranked(
  query: Query,
  fitting: readonly Ranked[],
  asked: ReadonlyMap<string, Popularity> = new Map(),
): CatalogCard[] {
  const calledSo = new Set(fitting.filter(({ closeness }) => closeness === 'otherName').map(({ card }) => card.name));
  const keyed = fitting.map((each) => {
    const { card, isDenied, place = Number.MAX_SAFE_INTEGER, printings } = each;
    const { here, everywhere } = asked.get(card.id) ?? { here: 0, everywhere: 0 };
    const as = countedAs(each, query, calledSo.size > FIRST);
    const isInName = IN_NAME.has(as);
    const isOneWord = isInName && query.words.length === 1;
    const fit = CLOSENESS.indexOf(as) + (isDenied ? CLOSENESS.length : 0);
    const outsideName = wordsOutsideName(query, card);
    const released = Date.parse(card.released ?? '') || 0;
    const best = [
      fit,
      figuresFromNumber(outsideName, card),
      -here,
      -everywhere,
      isOneWord ? -printings : place,
      outsideName.length,
      untypedInSet(outsideName, card),
      -printings,
      card.name.length,
    ];
    return { card, isInName, key: [...best, card.name, -released, card.id] };
  });
  keyed.sort((a, b) => compare(a.key, b.key));
  const first: CatalogCard[] = [];
  const later: CatalogCard[] = [];
  for (const { card, isInName } of keyed) {
    const isThird = first.filter(({ name }) => name === card.name).length >= MOST_OF_ONE_NAME;
    if (!isInName) later.push(card);
    else (first.length < FIRST && isThird ? later : first).push(card);
  }
  return keyed[0]?.isInName ? [...first, ...later] : keyed.map(({ card }) => card);
}

/** @param isKind what was typed is another name of so many that it is rather a kind of cards */
function countedAs({ closeness, printings }: Ranked, { words }: Query, isKind: boolean): Closeness {
  if (closeness === 'otherName' && isKind) return 'wholeWords';
  if (closeness !== 'wordsInName') return closeness;
  if (printings < WELL_KNOWN) return 'wholeWords';
  return words.length === 1 ? 'firstWords' : closeness;
}

/** The words that are not in the card's name. */
function wordsOutsideName({ words }: Query, { name }: CatalogCard): string[] {
  const tokens = ` ${tokenText(name)}`;
  return words.filter((word) => !tokens.includes(` ${word}`));
}

/**
 * How far the figures that were typed are from the card's number: they are the whole, its last, one in it or in the id.
 */
function figuresFromNumber(words: readonly string[], { id, number = '' }: CatalogCard): number {
  const has = (text: string, word: string) => ` ${tokenText(text)} `.includes(` ${word} `);
  const places = words.filter(hasDigit).map((word) => {
    const isLast = ` ${tokenText(number.replace(/[/_].*/s, ''))}`.endsWith(` ${word}`);
    const fits = [printedNumbers(number).includes(word), isLast, has(number, word), has(id, word), true];
    return fits.indexOf(true);
  });
  return places.reduce((sum, each) => sum + each, 0);
}

/** How many words of the card's set were not typed, if one was that is no figure. */
function untypedInSet(typed: readonly string[], { set = '' }: CatalogCard): number {
  const parts = typed.join(' ').split(' ');
  const isTyped = (token: string) => parts.some((part) => part !== '' && token.startsWith(part));
  const tokens = typed.length > 0 ? tokensOf(set) : [];
  return tokens.some((token) => isTyped(token) && !hasDigit(token))
    ? tokens.filter((token) => !isTyped(token)).length
    : Number.MAX_SAFE_INTEGER;
}

type Key = readonly (number | string)[];

function compare(a: Key, b: Key): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  const [one = 0, other = 0] = [a[at], b[at]];
  return typeof one === 'number' ? one - Number(other) : collator.compare(one, String(other));
}
