import type { Requester } from '../model/quota.ts';
import { type FoundInList, type LineMeaning, type ListMeaning, MOST_FOUND, MOST_LISTED } from './answers.ts';
import type { Candidate, CardIndex } from './card-index.ts';
import { type ListLine, merged, type PastedLine, type Reading, type ReadList, readLine } from './lines.ts';
import {
  called,
  exactly,
  firstFound,
  inOneMenu,
  listed,
  mayBeUnknownId,
  numberedSo,
  only,
  printed,
  resolve,
} from './meaning.ts';
import { search } from './search.ts';
import type { CatalogCard } from './text.ts';
import { hasDigit, idKey, mayBeId, nameKey, otherNamesOf, tokenText, wordsOf } from './text.ts';

/**
 * What a line of a pasted list means. A printing that a line names is never replaced by another, and nothing is taken
 * for a typing error: a wrong price in a sum is seen by nobody.
 *
 * @param index absent while the catalog cannot be searched
 */
export function meantLine(index: CardIndex | undefined, line: PastedLine): LineMeaning {
  const { name, typed, count, set, number, mayBeHeading } = line;
  const whole = index && count !== undefined ? withMarks(called(index, typed), typed) : []; // it begins with a number
  const cards = whole.length > 0 ? whole : said(index, line, mayBeHeading ? [itself] : ALL_WAYS);
  const meant = { cards: cards.slice(0, MOST_FOUND).map(listed) };
  if (cards.length > 0) return whole.length > 0 ? { ...meant, name: typed, count: 1 } : meant;
  if (mayBeHeading) return { cards: [], isHeading: true };
  const isId = set === undefined && number === undefined && mayBeUnknownId(index, name);
  return { cards: isId ? [{ id: name, name }] : [] };
}

/**
 * What a list comes to, once it is known what its lines mean. Every line is in it: counted, without a card, or passed
 * over.
 */
export function meantBy({ lines, passedOver }: ReadList, meant: readonly LineMeaning[]) {
  const read = lines.map((line, at) => ({ ...line, cards: [], ...meant[at] }));
  const counted = read.filter(({ isHeading }) => !isHeading);
  const headings = read.flatMap(({ isHeading, typed }) => (isHeading ? [typed] : []));
  return { lines: merged(counted), passedOver: [...new Set([...passedOver, ...headings])] };
}

/** The cards whose name a reading may mean. */
type Way = (index: CardIndex, reading: Reading) => readonly CatalogCard[];

const itself: Way = (index, { name }) => called(index, name);

/** The cards that a line says: all of its text, or a printing that one of its readings says in one of these ways. */
function said(index: CardIndex | undefined, line: ListLine, ways: readonly Way[]): readonly CatalogCard[] {
  return index ? firstFound(waysToSay(index, line, ways)) : [];
}

function* waysToSay(index: CardIndex, line: ListLine, ways: readonly Way[]) {
  yield withMarks(exactly(index, line.text), line.text); // a name may end in what looks like a set
  for (const way of ways)
    for (const reading of readingsOf(line)) {
      const { name, set, number } = reading;
      yield withMarks(printed(way(index, reading), reading), [name, set, number].join(' '));
    }
}

function readingsOf(line: ListLine): Reading[] {
  return [line, ...(line.others ?? [])];
}

/** A mark whose meaning is not known, unless the card has it in its name, set or number. */
const MARK = /[*{}<>[\]^~+=|@$%†‡?!]/g;

/** Those that have every mark of a text. */
function withMarks(cards: readonly CatalogCard[], text: string): readonly CatalogCard[] {
  const marks = text.match(MARK) ?? [];
  return cards.filter((card) => {
    const said = Object.values(card).join(' ').normalize('NFKC');
    return marks.every((mark) => said.includes(mark));
  });
}

/** The cards with this printed number, if all have one name. */
const byNumber: Way = (index, { name, set, number }) => {
  const cards = set === undefined && number === undefined && mayBeId(name) ? numberedSo(index, name) : [];
  return cards.every((card) => card.name === cards[0]?.name) ? cards : [];
};

/** What comes behind it is a title or the other side of a card, which lists leave out. */
const BEHIND_NAME = /,\s|\s\/\/\s|\s[&–-]\s|:\s|\s\(/;
/** A shorter one is no part of a name. */
const SHORTEST_NAME = 3;

/**
 * All printings of the one card that is called so without its title, or in another language; of several where set and
 * number tell which.
 */
const alsoCalled: Way = (index, { name, set, number }) => {
  const key = nameKey(name);
  const words = wordsOf(name).map((word) => [{ word, begins: false }]);
  if (key.length < SHORTEST_NAME) return [];
  const isTitled = ({ card }: Candidate) => nameKey(card.name.split(BEHIND_NAME)[0] ?? '') === key;
  const isOther = ({ card }: Candidate) => otherNamesOf(card).includes(key);
  const titled = index.withNameBeginning(tokenText(name)).filter(isTitled);
  const found = titled.length > 0 ? titled : (index.allWithWords(words) ?? []).filter(isOther);
  const names = [...new Set(found.map(({ card }) => card.name))];
  const isToldApart = names.length === 1 || (set !== undefined && number !== undefined);
  return isToldApart ? names.flatMap((each) => called(index, each)) : [];
};

const ALL_WAYS: readonly Way[] = [itself, byNumber, alsoCalled];

/** More parts are not read: a list of so many is refused anyway. */
const MOST_READ = 4 * MOST_LISTED;

/**
 * What a list of ids and names means. A part takes as long as a search, and others may have their turn before it. A
 * part that is no known card as a whole is split at its blanks if each piece may be an id.
 *
 * @param index absent while the catalog cannot be searched
 */
export function* resolveList(
  index: CardIndex | undefined,
  list: string,
  who: Requester,
): Generator<undefined, ListMeaning> {
  const meant = new Map<string, Partial<ListMeaning>>();
  for (const part of partsOf(list, index).take(MOST_READ)) {
    yield;
    if (!meant.has(part.text)) meant.set(part.text, meaningOf(index, part, who));
  }
  const all = [...meant.values()];
  return {
    ids: [...new Set(all.flatMap(({ ids = [] }) => ids))],
    unclear: inOneMenu(all.flatMap(({ unclear = [] }) => unclear)),
    unsearched: all.flatMap(({ unsearched = [] }) => unsearched),
  };
}

function meaningOf(index: CardIndex | undefined, part: Part, who: Requester): Partial<ListMeaning> {
  const { text, cards } = part;
  const unclear = (all: readonly CatalogCard[], total: number) => ({ unclear: [{ text, cards: all, total }] });
  const card = cardOf(part);
  if (card) return { ids: [card.id] };
  const meant = resolve(index, text, who);
  if (meant.kind === 'one') return { ids: [meant.card.id] };
  const pieces = text.split(/\s+/);
  if (pieces.length > 1 && areIds(index, pieces, who)) return { ids: pieces };
  if (meant.kind === 'several') return unclear(meant.cards, meant.total);
  if (cards.length > 0) return unclear(cards, cards.length);
  if (meant.kind === 'none') return unclear(meant.similar, 0);
  return meant.kind === 'id' ? { ids: [text] } : { unsearched: [text] };
}

/** While any form may be that of an id, a piece without a digit is rather a word of a name. */
function areIds(index: CardIndex | undefined, pieces: readonly string[], who: Requester): boolean {
  if (pieces.length > MOST_LISTED + 1) return false;
  return pieces.every((piece) => {
    const meant = resolve(index, piece, who);
    return meant.kind === 'id' && (meant.isKnown || hasDigit(piece));
  });
}

/** Cards for the last part of a list, which is being typed. */
export function searchInList(index: CardIndex, list: string, who: Requester): FoundInList[] {
  const start = startOfLast(index, list);
  const last = list.slice(start);
  const before = withIds(index, list.slice(0, start));
  if (before === undefined) return [];
  const found = search(index, readLine(last)?.text ?? last, who).filter(({ id }) => !SEPARATOR.test(id));
  return found.map((card) => ({ before, card, looksLikeOthers: looksLikeOthers(index, card) }));
}

/** The last part has separators in it as long as a name with as many begins so. */
function startOfLast(index: CardIndex, list: string): number {
  const last = list.search(/[^,;\r\n]*$/);
  const starts = list.slice(last).trim() === '' ? [] : piecesOf(list).slice(-MOST_JOINED, -1);
  const begun = starts.find(({ index: start }) => {
    const text = list.slice(start);
    const names = index.withNameBeginning(tokenText(text)).map(({ card }) => card.name);
    const begun = names.filter((name) => nameKey(name).startsWith(nameKey(text)));
    return begun.some((name) => piecesOf(name).length >= piecesOf(text).length);
  });
  return begun?.index ?? last;
}

/** What stands before the part that is being typed, with the ids of known cards. @returns `undefined` when the list is full */
function withIds(index: CardIndex, list: string): string | undefined {
  const parts = [...partsOf(list, index).take(MOST_LISTED)];
  const texts = parts.map((part) => {
    const { id = part.text } = cardOf(part) ?? {};
    return `${SEPARATOR.test(id) ? part.text : id}, `;
  });
  return texts.length < MOST_LISTED ? texts.join('') : undefined;
}

/** Whether the label without the id also fits another card. A name alone fits all cards that are called so. */
function looksLikeOthers(index: CardIndex, { id, name, set, number }: CatalogCard): boolean {
  const isName = !set && !number;
  const called = [...index.withNameKey(nameKey(name)), ...(isName ? index.withIdKey(idKey(name)) : [])];
  return called.some(({ card }) => card.id !== id && (isName || (card.set === set && card.number === number)));
}

/** Separate the ids and names of a list, with or without blanks around them. */
const SEPARATOR = /[,;\r\n]/;
const PIECE = /[^\s,;](?:[^,;\r\n]*[^\s,;])?/g;
/** A name such as `Jace, the Mind Sculptor` is taken for two parts at first; no known name has more than three. */
const MOST_JOINED = 3;
/** A count, a name with commas of which none comes before another count or behind a set, and a set at the end. */
const COUNTED_LINE = /^\d{1,3}x?\s(?:(?![;\r\n]|,\s*\d+x?\s|[)\]][^,;]*,).)+$/is;

/** Where Arena exports the name of a deck. */
const DECK_NAME = /^About\s+Name .*/im;

/** One card of a list, as it was typed, without its count. */
interface Part {
  text: string;
  /** How many pieces of the list it takes. */
  length: number;
  /** Those that it says, or else other printings of its name. */
  cards: readonly CatalogCard[];
  isSaid: boolean;
}

function cardOf({ cards, isSaid }: Part): CatalogCard | undefined {
  return isSaid ? only(cards) : undefined;
}

/** The parts of a list in their order, without headings. */
function* partsOf(typed: string, index: CardIndex | undefined): Generator<Part> {
  const list = typed.replace(DECK_NAME, '');
  const pieces = piecesOf(list);
  for (let at = 0; at < pieces.length; ) {
    const part = partAt(list, pieces.slice(at, at + MOST_JOINED), index);
    if (part) yield part;
    at += part?.length ?? 1;
  }
}

/**
 * Reads the most of these pieces that are one known card, as they were typed, or else as a line of a deck; if none is,
 * the first. Several are one name only where the name has separators, too: `Mew, Two` is not `Mewtwo`.
 *
 * @returns `undefined` for a heading
 */
function partAt(list: string, pieces: readonly RegExpExecArray[], index: CardIndex | undefined): Part | undefined {
  for (let { length } = pieces; length > 0; length--) {
    const typed = list.slice(pieces[0]?.index, endOf(pieces[length - 1]));
    const line = readLine(typed);
    const known = index && knownAs(index, typed, line);
    const isOne = length === 1 || known?.cards.some(({ id, name }) => SEPARATOR.test(id + name));
    if (known && isOne) return { ...known, length };
    const isOneCard = length === 1 || (line?.set !== undefined && COUNTED_LINE.test(typed));
    const text = line?.mayBeHeading ? typed : line?.text;
    if (text !== undefined && isOneCard) return { text, length, cards: [], isSaid: false };
  }
  return undefined;
}

/** What is known of a part as it was typed, or else as a line. */
function knownAs(index: CardIndex, typed: string, line: ListLine | undefined) {
  const asTyped = line?.text === typed ? [] : [{ text: typed, name: typed }];
  for (const each of [...asTyped, ...(line ? [line] : [])]) {
    const exact = said(index, each, [itself]);
    const cards = exact.length > 0 ? exact : firstFound(readingsOf(each).map(({ name }) => called(index, name)));
    if (cards.length > 0) return { text: each.text, cards, isSaid: exact.length > 0 };
  }
  return undefined;
}

function piecesOf(list: string): RegExpExecArray[] {
  return [...list.matchAll(PIECE)];
}

function endOf(piece: RegExpExecArray | undefined): number | undefined {
  return piece && piece.index + piece[0].length;
}
