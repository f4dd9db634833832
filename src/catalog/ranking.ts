import type { Asked, Candidate } from './card-index.ts';
import type { CatalogCard, FoundCard } from './catalog-card.ts';
import { isMistypedBeginning, isTypingError } from './typing-error.ts';
import {
  alsoText,
  idKey,
  isSameId,
  nameKey,
  nameText,
  otherNamesOf,
  otherText,
  printedNumbers,
  type Query,
  spellingsOf,
  tokensOf,
  tokenText,
  wordsOf,
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
  'otherNameBeginning',
  'mistyped',
  'mistypedBeginning',
  'twoErrors',
] as const;
export type Closeness = (typeof CLOSENESS)[number];

export interface Ranked extends Candidate {
  closeness: Closeness;
  /** It has only a part of what was typed. */
  isPart?: true;
}

const MISTYPED: ReadonlySet<Closeness> = new Set(['mistyped', 'mistypedBeginning', 'twoErrors'] as const);

/** The card has all that was typed, without an error. */
export function isAsTyped({ closeness, isPart }: Ranked): boolean {
  return !isPart && !MISTYPED.has(closeness);
}

/** A shorter text is too often one error apart from another. */
const SHORTEST_MISTYPED_NAME = 5;
const SHORTEST_MISTYPED_QUERY = 4;
const SHORTEST_MISTYPED_BEGINNING = 4;

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

/** What was typed is in what is printed on the card, or in its other names, or is mistyped. */
function worded(query: Query, card: CatalogCard): Closeness | undefined {
  const printed = ` ${nameText(card.name)} ${otherText(card)} `;
  const inPrinted = wordsIn(printed, query);
  if (inPrinted.fit) return inPrinted.fit;
  const other = otherNamesOf(card);
  if (other.includes(query.nameKey)) return 'otherName';
  const { missing, fit } = other.length > 0 ? wordsIn(`${printed}${alsoText(card)} `, query) : inPrinted;
  if (fit) return fit;
  if (other.some((key) => key.startsWith(query.nameKey))) return 'otherNameBeginning';
  const isLongEnough =
    nameKey(card.name).length >= SHORTEST_MISTYPED_NAME && query.nameKey.length >= SHORTEST_MISTYPED_QUERY;
  return isLongEnough ? mistyped(missing, card.name) : undefined;
}

/** The words that a text lacks; if none, how well it has them. */
function wordsIn(text: string, { words }: Query): { missing: readonly string[]; fit?: Closeness } {
  const isIn = (word: string, end: string) => spellingsOf(word).some((each) => text.includes(` ${each}${end}`));
  const missing = words.filter((word) => !isIn(word, ''));
  if (missing.length > 0) return { missing };
  return { missing, fit: words.every((word) => isIn(word, ' ')) ? 'wholeWords' : 'wordBeginnings' };
}

function mistyped(words: readonly string[], name: string): Closeness | undefined {
  const tokens = tokensOf(name);
  const begun = words.filter((word) => !tokens.some((token) => isTypingError(word, token)));
  if (begun.length === 0) return 'mistyped';
  const isBegun = (word: string) => tokens.some((token) => isMistypedBeginning(word, token));
  const areAll = begun.every((word) => word.length >= SHORTEST_MISTYPED_BEGINNING && isBegun(word));
  return areAll ? 'mistypedBeginning' : undefined;
}

/** With the other name that was typed, if that is not how the name begins. */
export function foundAs({ nameKey: typed }: Query, card: CatalogCard): FoundCard {
  if (typed === '' || nameKey(card.name).startsWith(typed)) return card;
  const knownAs = card.also?.find((name) => nameKey(name).startsWith(typed));
  return knownAs === undefined ? card : { ...card, knownAs };
}

const collator = new Intl.Collator('en', { numeric: true });

/**
 * Best first. Among cards that fit equally well: those whose whole number was typed, what this server, then everybody asks
 * for most, then names that hold all words, names with more cards, shorter names, and of one name the newest card.
 */
export function ranked(query: Query, candidates: Iterable<Ranked>, asked: ReadonlyMap<string, Asked>): Ranked[] {
  const keys = Array.from(candidates, (each) => {
    const { card, isDenied, closeness } = each;
    const { here, everywhere } = asked.get(card.id) ?? { here: 0, everywhere: 0 };
    const outsideName = query.words.length - wordsInName(query, card);
    const tier = CLOSENESS.indexOf(closeness) + (isDenied ? CLOSENESS.length : 0);
    const { place = Number.MAX_SAFE_INTEGER, printings } = each;
    const isMeantWhole = MISTYPED.has(closeness) && wordsOf(card.name).length === query.words.length;
    return {
      each,
      order: [
        tier,
        numberFit(query, card),
        -here,
        -everywhere,
        place,
        outsideName,
        -Number(isMeantWhole),
        -printings,
        card.name.length,
      ],
    };
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

/** How many of the words are in the card's name. */
export function wordsInName({ words }: Query, { name }: CatalogCard): number {
  const tokens = ` ${tokenText(name)}`;
  return words.filter((word) => tokens.includes(` ${word}`)).length;
}

/** 0 when the card's whole number was typed, such as `4/102`; 1 when the number alone; else 2. */
function numberFit({ words }: Query, { number = '' }: CatalogCard): number {
  const typed = ` ${words.join(' ')} `;
  const place = printedNumbers(number).findIndex((printed) => typed.includes(` ${printed} `));
  return place < 0 ? 2 : place;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function compareNames(a: CatalogCard, b: CatalogCard): number {
  const [ofA, ofB] = [a.released ?? '', b.released ?? ''];
  return collator.compare(a.name, b.name) || collator.compare(ofB, ofA) || collator.compare(a.id, b.id);
}
