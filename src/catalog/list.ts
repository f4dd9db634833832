import type { ListedCard, Unclear } from '../model/invocation.ts';
import type { Requester } from '../model/quota.ts';
import type { CardIndex } from './card-index.ts';
import { type ListLine, merged, type PastedLine, type Reading, type ReadList, readLine } from './lines.ts';
import {
  alone,
  called,
  exactly,
  firstFound,
  inOneMenu,
  listed,
  mayBeUnknownId,
  numberedSo,
  printed,
  resolve,
} from './meaning.ts';
import { MOST_FOUND, search } from './search.ts';
import {
  type CatalogCard,
  hasDigit,
  idKey,
  mayBeId,
  nameKey,
  otherNamesOf,
  SHORTEST_NAME,
  tokenText,
  wordsOf,
} from './text.ts';

/**
 * The cards that a line of a pasted list may mean, the newest first: several are printings of one. None: it is not
 * clear.
 */
export interface LineMeaning {
  cards: readonly ListedCard[];
  /** It is no line of a card at all. */
  isHeading?: true;
  /** Names could not be searched now. */
  isUnsearched?: true;
  /** The line is this name, and what looks like its count is of that. */
  name?: string;
  count?: 1;
}

/**
 * What a line of a pasted list means. A printing that a line names is never replaced by another, and nothing is taken
 * for a typing error: a wrong price in a sum is seen by nobody.
 *
 * @param index absent while the catalog cannot be searched
 */
export function meantLine(index: CardIndex | undefined, line: PastedLine): LineMeaning {
  const { name, typed, count, set, number, mayBeHeading } = line;
  const whole = index && count !== undefined ? withMarks(called(index, typed), typed) : []; // it begins with a number
  const said = index ? firstFound(waysToSay(index, line, mayBeHeading ? [itself] : ALL_WAYS)) : [];
  const cards = whole.length > 0 ? whole : said;
  const meant = { cards: cards.slice(0, MOST_FOUND).map(listed) };
  if (cards.length > 0) return whole.length > 0 ? { ...meant, name: typed, count: 1 } : meant;
  if (mayBeHeading) return { cards: [], isHeading: true };
  const isId = !set && !number && mayBeUnknownId(index, name);
  return { cards: isId ? [{ id: name, name }] : [] };
}

/**
 * What a list comes to, once it is known what its lines mean. Every line is in it: counted, without a card, or passed
 * over.
 */
export function meantBy({ lines, passedOver }: ReadList, meant: readonly LineMeaning[]) {
  const read = lines.map((line, at) => ({ ...line, cards: [], ...meant[at] }));
  const counted = read.filter(({ isHeading }) => !isHeading);
  const headings = read.flatMap(({ isHeading, typed }) => (isHeading ? typed : []));
  return { lines: merged(counted), passedOver: [...new Set([...passedOver, ...headings])] };
}

/** The cards whose name a reading may mean. */
type Way = (index: CardIndex, reading: Reading) => readonly CatalogCard[];

const itself: Way = (index, { name }) => called(index, name);

/** The cards that a line says: all of its text, or a printing that one of its readings says in one of these ways. */
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
  const cards = !set && !number && mayBeId(name) ? numberedSo(index, name) : [];
  return cards.every((card) => card.name === cards[0]?.name) ? cards : [];
};

/** What comes behind it is a title or the other side of a card, which lists leave out. */
const BEHIND_NAME = /,\s|\s\/\/\s|\s[&–-]\s|:\s|\s\(/;

/**
 * All printings of the one card that is called so without its title, or in another language; of several where set and
 * number tell which.
 */
const alsoCalled: Way = (index, { name, set, number }) => {
  const key = nameKey(name);
  const words = [...new Set(wordsOf(name))].map((word) => ({ word }));
  if (key.length < SHORTEST_NAME) return [];
  const begun = index.withNameBeginning(tokenText(name));
  const titled = begun.filter(({ card }) => nameKey(card.name.split(BEHIND_NAME)[0] ?? '') === key);
  const others = () => (index.allWithWords(words) ?? []).filter(({ card }) => otherNamesOf(card).includes(key));
  const found = titled.length > 0 ? titled : others();
  const names = [...new Set(found.map(({ card }) => card.name))];
  const isToldApart = names.length === 1 || (set && number);
  return isToldApart ? names.flatMap((each) => called(index, each)) : [];
};

const ALL_WAYS = [itself, byNumber, alsoCalled];

/** How many cards a list may have: Discord's limit of embeds in one message. */
export const MOST_LISTED = 10;

/** The cards of a list that was typed, each once, in its order; more than `MOST_LISTED` in all may not be complete. */
interface ListMeaning {
  ids: readonly string[];
  /** What is no id, and the name of no card or of several; a menu holds all cards that they may mean. */
  unclear: readonly Unclear[];
  /** What is more likely a name than an id, while names cannot be searched. */
  unsearched: readonly string[];
}

/** All pieces of a work at once. */
export function atOnce<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

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
  // More parts are not read: a list of so many is refused anyway.
  for (const part of partsOf(list, index).take(4 * MOST_LISTED)) {
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
  const { text, said, cards } = part;
  const unclear = (all: readonly CatalogCard[], total: number) => ({ unclear: [{ text, cards: all, total }] });
  const [card] = alone(said);
  if (card) return { ids: [card.id] };
  const meant = resolve(index, text, who);
  if (meant.kind === 'one') return { ids: [meant.card.id] };
  const pieces = text.split(/\s+/);
  // While any form may be that of an id, a piece without a digit is rather a word of a name.
  const isId = (piece: string) => {
    const each = resolve(index, piece, who);
    return each.kind === 'id' && (each.isKnown || hasDigit(piece));
  };
  if (pieces.length > 1 && pieces.length <= MOST_LISTED + 1 && pieces.every(isId)) return { ids: pieces };
  if (meant.kind === 'several') return unclear(meant.cards, meant.total);
  if (cards.length > 0) return unclear(cards, cards.length);
  if (meant.kind === 'none') return unclear(meant.similar, 0);
  return meant.kind === 'id' ? { ids: [text] } : { unsearched: [text] };
}

/**
 * Cards for the last part of a list, which is being typed; each with the list up to it, in which cards have their ids,
 * and whether its name, set and number are those of another card, too.
 */
export function searchInList(index: CardIndex, list: string, who: Requester) {
  const start = startOfLast(index, list);
  const last = list.slice(start);
  const parts = [...partsOf(list.slice(0, start), index).take(MOST_LISTED)];
  if (parts.length === MOST_LISTED) return [];
  const before = parts
    .map(({ text, said }) => {
      const [{ id } = { id: text }] = alone(said);
      return `${SEPARATOR.test(id) ? text : id}, `;
    })
    .join('');
  return search(index, readLine(last)?.text ?? last, who)
    .filter(({ id }) => !SEPARATOR.test(id))
    .map((card) => ({ before, card, looksLikeOthers: looksLikeOthers(index, card) }));
}

/** The last part has separators in it as long as a name with as many begins so. */
function startOfLast(index: CardIndex, list: string): number {
  const last = list.search(/[^,;\r\n]*$/);
  const starts = list.slice(last).trim() === '' ? [] : piecesOf(list).slice(-MOST_JOINED, -1);
  const begun = starts.find(({ index: start }) => {
    const text = list.slice(start);
    return index
      .withNameBeginning(tokenText(text))
      .some(
        ({ card: { name } }) =>
          nameKey(name).startsWith(nameKey(text)) && piecesOf(name).length >= piecesOf(text).length,
      );
  });
  return begun?.index ?? last;
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
  /** The known cards that it says. */
  said: readonly CatalogCard[];
  /** The same, or else other printings of its name. */
  cards: readonly CatalogCard[];
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
    const last = pieces[length - 1];
    const typed = list.slice(pieces[0]?.index, last && last.index + last[0].length);
    const line = readLine(typed);
    const known = index && knownAs(index, typed, line);
    const isOne = length === 1 || known?.cards.some(({ id, name }) => SEPARATOR.test(id + name));
    if (known && isOne) return { ...known, length };
    const isOneCard = length === 1 || (line?.set && COUNTED_LINE.test(typed));
    const text = line?.mayBeHeading ? typed : line?.text;
    if (text !== undefined && isOneCard) return { text, length, said: [], cards: [] };
  }
  return undefined;
}

/** What is known of a part as it was typed, or else as a line. */
function knownAs(index: CardIndex, typed: string, line: ListLine | undefined) {
  const asTyped = line?.text === typed ? [] : [{ text: typed, name: typed }];
  for (const each of [...asTyped, ...(line ? [line] : [])]) {
    const said = firstFound(waysToSay(index, each, [itself]));
    const cards = said.length > 0 ? said : firstFound(readingsOf(each).map(({ name }) => called(index, name)));
    if (cards.length > 0) return { text: each.text, said, cards };
  }
  return undefined;
}

function piecesOf(list: string): RegExpExecArray[] {
  return [...list.matchAll(PIECE)];
}
