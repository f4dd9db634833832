import { MAX_CARD_ID_LENGTH } from '../model/card-id.ts';
import type { CardPage, ListedCard, Unclear } from '../model/invocation.ts';
import type { Requester } from '../model/quota.ts';
import type { Candidate, CardIndex } from './card-index.ts';
import { isLabel, type Reading, readLabel, readLine } from './lines.ts';
import { find, MOST_FOUND, newerFirst } from './search.ts';
import {
  type CatalogCard,
  formOf,
  HASH,
  hasDigit,
  idKey,
  isSameId,
  looseFormOf,
  mayBeId,
  nameKey,
  printedNumbers,
  queryOf,
  SHORTEST_NAME,
  tokenText,
  withoutSize,
} from './text.ts';

/** What a member who typed something as an id may have meant. */
export type Resolution =
  /**
   * An id of the catalog as it stands, or a text of a form that ids have: to be looked up. `isKnown`: the catalog has
   * it.
   */
  | { kind: 'id'; isKnown?: true }
  /** An id in another spelling, or the name of one card. */
  | { kind: 'one'; card: CatalogCard }
  /** Cards that have all words as they were typed: the first page. */
  | ({ kind: 'several' } & CardPage)
  /** The text has no form that ids have; at most three similar cards. */
  | { kind: 'none'; similar: readonly CatalogCard[] }
  /** Names cannot be searched right now, and the text is more likely a name than an id. */
  | { kind: 'unsearched' };

/** With fewer confirmed ids, their forms say nothing of other texts. */
const IDS_THAT_SHOW_FORMS = 100;
/** A printed number that says more than its place in a set. */
const NUMBER = /^(?=.*\d)(?=.*\p{L})\S+$/u;
/** This is the form of the example in the documentation and in texts for members: whoever types it means an id. */
const EXAMPLE_FORM = formOf('base1-4');

/**
 * What a text that may not be an id means.
 *
 * @param index absent while the catalog cannot be searched
 */
export function resolve(index: CardIndex | undefined, text: string, who: Requester): Resolution {
  const id = text.trim();
  if (!index) return { kind: hasDigit(readLine(id)?.name ?? id) && !isLabel(id) ? 'id' : 'unsearched' };
  const exact = exactly(index, id);
  const [known] = alone(exact);
  if (known) return known.id === id ? { kind: 'id', isKnown: true } : { kind: 'one', card: known };
  const named = exact.find(({ name }) => nameKey(name) === nameKey(id));
  if (exact.length > 0) return { kind: 'several', ...pageOf(exact, named) };
  return hasIdForm(index, id) ? { kind: 'id' } : meantBySearch(index, id, who);
}

function meantBySearch(index: CardIndex, id: string, who: Requester): Resolution {
  const { words } = queryOf(id);
  const { has, cards } = find(index, id, who);
  const [numbered] = NUMBER.test(id) ? alone(numberedSo(index, id)) : [];
  if (numbered) return { kind: 'one', card: numbered };
  const mayBeId = !isLabel(id) && !isForeign(index, id);
  // While few ids are confirmed, what has no digit is more often a name that somebody typed.
  if (mayBeId && hasDigit(id)) return { kind: 'id' };
  const [named] = alone(index.withWords(words.map((word) => ({ word, inName: true }))));
  if (named) return { kind: 'one', card: named.card };
  if (mayBeId && has === 'part') return { kind: 'id' };
  if (has !== 'all') return { kind: 'none', similar: cards.slice(0, MOST_FOUND) };
  // A search does not find all of more cards than a page holds.
  const isAll = cards.length < MOST_FOUND;
  const total = isAll ? 0 : index.countWithWords(words.map((word) => ({ word, begins: true })));
  return { kind: 'several', ...pageOf(cards), total: Math.max(cards.length, total) };
}

/** The only one that there is; none where there are several, since it is not clear which is meant. */
export function alone<T>(all: readonly T[]): readonly T[] {
  return all.length === 1 ? all : [];
}

/** Whether a text that no known card has is rather an id than a name. */
export function mayBeUnknownId(index: CardIndex | undefined, text: string): boolean {
  if (!index) return mayBeId(text);
  return hasIdForm(index, text) || (mayBeId(text) && !isForeign(index, text));
}

function hasIdForm(index: CardIndex, text: string): boolean {
  const form = formOf(text);
  return form === EXAMPLE_FORM || index.isConfirmedForm(form);
}

/** Confirmed ids, and lists that were imported, show which forms ids have. */
function isForeign(index: CardIndex, text: string): boolean {
  return index.confirmedIds() >= IDS_THAT_SHOW_FORMS || index.lacksImportedForm(looseFormOf(text));
}

/** The known cards of which a text is the label of a suggestion, the id, also in another spelling, or else the name. */
export function exactly(index: CardIndex, text: string): readonly CatalogCard[] {
  const ofLabel = firstFound(readLabel(text).map((label) => printed(called(index, label.name), label)));
  if (ofLabel.length > 0) return ofLabel;
  const ofId = withId(index, text);
  return ofId.length > 0 ? ofId : called(index, text);
}

/** The first of some lists that has cards, or none. */
export function firstFound(lists: Iterable<readonly CatalogCard[]>): readonly CatalogCard[] {
  for (const cards of lists) if (cards.length > 0) return cards;
  return [];
}

/**
 * The cards whose id this is, as it stands, or in another case or with other separators, or with fewer leading zeros.
 */
function withId(index: CardIndex, text: string): CatalogCard[] {
  const sameId = index.withIdKey(idKey(text)).flatMap(({ card }) => (isSameId(text, card.id) ? card : []));
  const itself = sameId.find(({ id }) => id === text);
  if (itself) return [itself];
  if (sameId.length > 0 || !hasDigit(text) || /[,;\r\n]/.test(text) || text.length > MAX_CARD_ID_LENGTH) return sameId;
  return spelledSo(index, text, ({ id }) => [tokenText(id)]); // `op1-25` is `OP01-025`
}

/** The cards with this printed number. */
export function numberedSo(index: CardIndex, text: string): CatalogCard[] {
  return spelledSo(index, text, ({ number = '' }) => printedNumbers(number));
}

/** The cards of which one text has the same tokens as this one, if few have them. */
function spelledSo(index: CardIndex, text: string, textsOf: (card: CatalogCard) => string[]): CatalogCard[] {
  const word = tokenText(text);
  return newestFirst(index.allWithWords([{ word }]) ?? []).filter((card) => textsOf(card).includes(word));
}

/** Which cards of a name are wanted. */
export interface PrintingsPart {
  /** From 0; the last one when there are fewer. */
  page: number;
  /** Without the card whose id was given. */
  isOthers: boolean;
}

/** No game has so many cards of one name. */
const MOST_PRINTINGS = 5_000;

/** A page of the cards of the same name as the one with this id; none when that card is not known. */
export function printings(index: CardIndex, id: string, part: PrintingsPart): CardPage {
  const [shown] = withId(index, id);
  return pageOf(shown ? called(index, shown.name) : [], shown, part);
}

/** All cards that are called so, the newest first. */
export function called(index: CardIndex, name: string): CatalogCard[] {
  const key = nameKey(name);
  return key === '' ? [] : newestFirst(index.withNameKey(key, MOST_PRINTINGS));
}

/** Those that are gone come last. */
function newestFirst(candidates: readonly Candidate[]): CatalogCard[] {
  return candidates
    .toSorted((one, other) => one.denied - other.denied || newerFirst(one.card, other.card))
    .map(({ card }) => card);
}

/** @param cards all that there are @param shown one of them, if all have its name */
function pageOf(
  cards: readonly CatalogCard[],
  shown?: CatalogCard,
  { page = 0, isOthers }: Partial<PrintingsPart> = {},
): CardPage {
  const wanted = isOthers ? cards.filter(({ id }) => id !== shown?.id) : cards;
  const at = Math.max(0, Math.min(page, Math.ceil(wanted.length / MOST_FOUND) - 1));
  const onPage = wanted.slice(at * MOST_FOUND, (at + 1) * MOST_FOUND);
  return { cards: onPage, page: at, total: wanted.length, ...(shown && { name: shown.name }) };
}

const CODE_OF_SET = /^(?=\d*[A-Z])[A-Z\d]{2,6}$/;
/** What games call sets otherwise than everybody else: Arena, and Pokémon TCG Live. */
const SAME_SETS = new Map([
  ['DAR', 'DOM'],
  ['MEW', '151'],
  ['PR-SV', 'SVP'],
  ['PR-SW', 'SWSHP'],
  ['PR-SM', 'SMP'],
  ['PR-XY', 'XYP'],
  ['PR-BLW', 'BWP'],
]);
const CODE = /(?<![\p{L}\d])[A-Z][A-Z\d]{1,5}(?![\p{L}\d])/gu;

/** Those of the cards of one name that a line says, by set and number; all where it says neither. */
export function printed(cards: readonly CatalogCard[], line: Reading): readonly CatalogCard[] {
  return line.set || line.number ? firstFound(waysToPrint(cards, line)) : cards;
}

function* waysToPrint(cards: readonly CatalogCard[], { set = '', number = '', isInBrackets }: Reading) {
  const ids = [`${set}-${number}`, number || set];
  yield cards.filter(({ id }) => ids.some((each) => isSameId(each, id)));
  const sets = [SAME_SETS.get(set) ?? set, set.replace(/ Set$/, '')].map(nameKey);
  const inSet = cards.filter(
    (card) => !set || [card.set, ...codesOf(card)].some((own = '') => sets.includes(nameKey(own))),
  );
  if (!number) {
    yield cards.filter((card) => tokenText(card.number ?? '') === tokenText(set));
    yield inSet;
  } else {
    for (const read of [String, tokenText, withoutSize])
      yield inSet.filter((card) => read(card.number ?? '') === read(number));
    yield inSet.filter(endsNumber(number));
    // A side of a double-faced card may be counted as `51a`; of several cards without a number, any may be meant.
    const likely = set ? inSet : [];
    yield alone(likely.filter((card) => withoutSide(card.number ?? '') === withoutSide(number)));
    yield alone(likely.filter((card) => !card.number));
  }
  // Where no codes are known, the one card with this number whose set may have this code.
  const isCode = inSet.length === 0 && CODE_OF_SET.test(set);
  const numbered = isCode ? cards.filter(endsNumber(number)) : [];
  yield alone(numbered.filter((card) => abbreviates(set, card)));
  yield alone(isInBrackets ? numbered : []).filter((card) => codesOf(card).length === 0);
  // A list without sets tells no printings apart; a number may be more than a set.
  if (!/^\d+$/.test(set))
    yield alone(cards).filter((card) => !card.set && (!number || !card.number || endsNumber(number)(card)));
}

/** It may be printed behind the set's code, as in `OP01-025`. */
function endsNumber(number: string) {
  const typed = withoutSize(number);
  return ({ number: own = '' }: CatalogCard) => typed !== '' && ` ${withoutSize(own)}`.endsWith(` ${typed}`);
}

function withoutSide(number: string): string {
  return tokenText(number).replace(/ [a-z]$/, '');
}

/**
 * By what else than its name a set is known: a code in that or before the number in the id, and what else finds the
 * card.
 */
function codesOf({ id, set = '', also = [] }: CatalogCard): string[] {
  const [, ofId = []] = (HASH.test(id) ? null : /^(.+)[-_ ]/.exec(id)) ?? [];
  return [...(set.match(CODE) ?? []), ...also].concat(ofId);
}

/**
 * Whether a set's name has the letters of a code in their order, as `Obsidian Flames` those of OBF, where no codes are
 * known.
 */
function abbreviates(code: string, { set = '', also }: CatalogCard): boolean {
  const [first = '', ...others] = nameKey(code);
  // Whatever is between two letters is not the second, so that nothing is tried twice.
  const letters = first + others.map((letter) => `[^${letter}]*${letter}`).join('');
  return !also && new RegExp(`(?:^| )${letters}`).test(tokenText(set));
}

const MOST_MENTIONS = 10;
const MOST_WORDS = 500;
const LONGEST_NAME_WORDS = 8;
const BETWEEN_WORDS = /[\s,;()[\]{}"<>`*|]+/;
const AROUND_WORD = /^[._~:!?]+|[._~:!?]+$/g;
/** Fewer digits are more often a count or a price than an id that is not known. */
const FEWEST_DIGITS = 4;

/**
 * The cards of a text, in its order, at most ten ids and ten names of several cards: exact known names, at each word the
 * longest, known ids, and what has the form of a confirmed id, however few there are. A word takes some 0.1 ms, and
 * others may have their turn before it.
 */
export function* mentions(index: CardIndex, text: string) {
  const words = text
    .split(BETWEEN_WORDS)
    .map((word) => word.replace(AROUND_WORD, ''))
    .filter(Boolean)
    .slice(0, MOST_WORDS);
  const found = new Map<string, readonly ListedCard[]>();
  for (let at = 0; at < words.length; ) {
    yield;
    const { text, length, cards } = mentionAt(index, words.slice(at, at + LONGEST_NAME_WORDS));
    found.set(text, cards);
    at += length;
  }
  const ids = new Set([...found.values()].flatMap(alone).map(({ id }) => id));
  // A name of several cards is clear when the text has the id of one of them.
  const ambiguous = [...found]
    .filter(([, cards]) => cards.length > 1 && !cards.some(({ id }) => ids.has(id)))
    .slice(0, MOST_MENTIONS)
    .map(([text, cards]) => ({ text, cards, total: cards.length }));
  return { ids: [...ids].slice(0, MOST_MENTIONS), ambiguous: inOneMenu(ambiguous) };
}

/** The longest name that these words begin with, or else the first, which may be an id. */
function mentionAt(index: CardIndex, words: readonly string[]) {
  for (let { length } = words; length > 0; length--) {
    const text = words.slice(0, length).join(' ');
    const cards = text.length < SHORTEST_NAME ? [] : called(index, text);
    if (cards.length > 0) return { text, length, cards };
  }
  const [text = ''] = words;
  return { text, length: 1, cards: withIdOf(index, text) };
}

/** A word without a digit is an id only when it is a known one: ids without digits would make every word one. */
function withIdOf(index: CardIndex, word: string): readonly ListedCard[] {
  const known = alone(withId(index, word));
  if (known.some(({ id }) => id === word)) return known;
  if (!hasDigit(word)) return [];
  const isNumber = /^\p{N}+$/u.test(word);
  if (known.length > 0 && !isNumber) return known;
  const mayBeOne = isNumber
    ? word.length >= FEWEST_DIGITS && index.hasConfirmedNumber(word.length)
    : index.isConfirmedForm(formOf(word));
  return mayBeOne ? [{ id: word, name: word }] : [];
}

/** Each has as many of its cards as fit into a menu with those of the others. */
export function inOneMenu(unclear: readonly Unclear[]): Unclear[] {
  const ofEach = Math.floor(MOST_FOUND / unclear.length);
  return unclear.map((each) => ({ ...each, cards: each.cards.slice(0, ofEach).map(listed) }));
}

/** Without what only searches need. */
export function listed({ id, name, set, number }: ListedCard): ListedCard {
  return { id, name, set, number };
}
