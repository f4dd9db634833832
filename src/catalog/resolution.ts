import { MAX_CARD_ID_LENGTH } from '../model/card-id.ts';
import type { Requester } from '../model/quota.ts';
import type { Candidate, CardIndex } from './card-index.ts';
import { MOST_FOUND, type Resolution } from './catalog.ts';
import type { CatalogCard } from './catalog-card.ts';
import { mayBeLabel, withLabel } from './label.ts';
import { type ListLine, readLine } from './list-line.ts';
import { isNamed, printed } from './named-printing.ts';
import { called, pageOf } from './printings.ts';
import { closeness } from './ranking.ts';
import { find } from './search.ts';
import {
  formOf,
  hasDigit,
  idKey,
  isSameId,
  looseFormOf,
  mayBeId,
  nameKey,
  type Query,
  queryOf,
  tokenText,
} from './words.ts';

/** With fewer confirmed ids, their forms say nothing of other texts. */
const IDS_THAT_SHOW_FORMS = 100;
/** A printed number that says more than its place in a set. */
const NUMBER = /^(?=.*\d)(?=.*\p{L})\S+$/u;
/** This is the form of the example in the documentation and in texts for members: whoever types it means an id. */
const EXAMPLE_FORM = formOf('base1-4');

/** The known cards of which a text is the id, also in another spelling, the label or the name. */
export interface Exact {
  /** otherPrinting: the name is that of these cards, and none of them is the printing that is named with it. */
  by: 'id' | 'label' | 'name' | 'otherPrinting';
  /** At least one. */
  cards: readonly CatalogCard[];
}

/** `undefined` when a text is nothing of a known card. */
export function exactly(index: CardIndex, text: string): Exact | undefined {
  const sameId = cardsOf(index.withIdKey(idKey(text))).filter(({ id }) => isSameId(text, id));
  const itself = sameId.filter(({ id }) => id === text);
  const ofId = [itself, sameId].find((cards) => cards.length > 0) ?? withoutZeros(index, text);
  if (ofId.length > 0) return { by: 'id', cards: ofId };
  const labelled = withLabel(index, text);
  if (labelled.length > 0) return { by: 'label', cards: labelled };
  const key = nameKey(text);
  const sameName = key === '' ? [] : cardsOf(index.withNameKey(key));
  return sameName.length > 0 ? { by: 'name', cards: sameName } : undefined;
}

/** The cards of whose id this is a spelling with fewer leading zeros: `op1-25` is `OP01-025`. */
function withoutZeros(index: CardIndex, text: string): CatalogCard[] {
  const word = hasDigit(text) && text.length <= MAX_CARD_ID_LENGTH ? tokenText(text) : '';
  const spelledSo = word === '' ? [] : cardsOf(index.allWithWords([[{ word, begins: false }]]) ?? []);
  return spelledSo.filter(({ id }) => tokenText(id) === word);
}

/** The same for a line of a list, which may name a printing. */
export function exactlyIn(index: CardIndex, line: ListLine): Exact | undefined {
  if (!isNamed(line)) return exactly(index, line.name);
  const named = [line, ...(line.others ?? [])].map((reading) => ({ reading, cards: called(index, reading.name) }));
  const meant = named.map(({ reading, cards }) => printed(cards, reading)).find((cards) => cards.length > 0);
  if (meant) return { by: 'name', cards: meant };
  const other = named.find(({ cards }) => cards.length > 0);
  return other && { by: 'otherPrinting', cards: other.cards };
}

/** What a part of a list means. A printing that is not known may be another of that name, and is no id. */
export function resolvePart(index: CardIndex, text: string, who: Requester): Resolution {
  const meant = resolve(index, text, who);
  const isClear = meant.kind === 'one' || meant.kind === 'several' || (meant.kind === 'id' && meant.isKnown);
  const line = isClear ? undefined : readLine(text);
  const exact = line && exactlyIn(index, line);
  return exact?.by === 'otherPrinting' ? { kind: 'several', ...pageOf(exact.cards) } : meant;
}

/** What a text that may not be an id means. */
export function resolve(index: CardIndex, text: string, who: Requester): Resolution {
  const id = text.trim();
  const exact = exactly(index, id);
  if (exact) return meaningOf(exact, index, id);
  if (hasIdForm(index, id)) return { kind: 'id' };
  const query = queryOf(id);
  const { has, cards } = find(index, query, who);
  const numbered = onlyOneNumbered(query, cards);
  if (numbered) return { kind: 'one', card: numbered };
  const mayBeId = !mayBeLabel(id) && !isForeign(index, id);
  // While few ids are confirmed, what has no digit is more often a name that somebody typed.
  if (mayBeId && hasDigit(id)) return { kind: 'id' };
  const inName = query.words.map((word) => [{ word, begins: false, inName: true }]);
  const [only, ...others] = index.withWords(inName);
  if (only && others.length === 0) return { kind: 'one', card: only.card };
  if (mayBeId && (has === 'part' || cards.length === 0)) return { kind: 'id' };
  if (has !== 'all') return { kind: 'none', similar: cards.slice(0, MOST_FOUND) };
  return { kind: 'several', ...pageOf(cards), total: Math.max(cards.length, countOf(index, query, cards)) };
}

/** Whether a text that no known card has is rather an id than a name. */
export function mayBeUnknownId(index: CardIndex, text: string): boolean {
  return hasIdForm(index, text) || (mayBeId(text) && !isForeign(index, text));
}

function hasIdForm(index: CardIndex, text: string): boolean {
  const form = formOf(text);
  return form === EXAMPLE_FORM || index.isConfirmedForm(form);
}

/** Confirmed ids, and lists that were imported, show which forms ids have. */
function isForeign(index: CardIndex, text: string): boolean {
  const isImported = index.hasImportedForm(null);
  return index.confirmedIds() >= IDS_THAT_SHOW_FORMS || (isImported && !index.hasImportedForm(looseFormOf(text)));
}

/** A search does not find all of more cards than a page holds. */
function countOf(index: CardIndex, { words }: Query, cards: readonly CatalogCard[]): number {
  return cards.length < MOST_FOUND ? 0 : index.countWithWords(words.map((word) => [{ word, begins: true }]));
}

function onlyOneNumbered(query: Query, cards: readonly CatalogCard[]): CatalogCard | undefined {
  const [card, ...others] = NUMBER.test(query.text) ? cards.filter((each) => closeness(query, each) === 'number') : [];
  return others.length === 0 ? card : undefined;
}

/** What a text means while the catalog cannot be searched. */
export function unsearched(text: string): Resolution {
  return hasDigit(readLine(text)?.name ?? text) && !mayBeLabel(text) ? { kind: 'id' } : { kind: 'unsearched' };
}

function meaningOf({ by, cards }: Exact, index: CardIndex, text: string): Resolution {
  const [only, ...others] = cards;
  if (only && others.length === 0)
    return only.id === text ? { kind: 'id', isKnown: true } : { kind: 'one', card: only };
  if (by !== 'name') return { kind: 'several', ...pageOf(cards) };
  return { kind: 'several', ...pageOf(called(index, text), undefined, only) };
}

function cardsOf(candidates: readonly Candidate[]): CatalogCard[] {
  return candidates.map(({ card }) => card);
}
