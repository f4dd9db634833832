import { idFault } from '../model/card-id.ts';
import type { CardIndex } from './card-index.ts';
import { type LineMeaning, MOST_FOUND } from './catalog.ts';
import type { CatalogCard } from './catalog-card.ts';
import type { Reading } from './list-line.ts';
import { isNamed, isNumber, printed } from './named-printing.ts';
import { merged, type PastedLine, type PastedList } from './pasted-list.ts';
import { called } from './printings.ts';
import { exactly, mayBeUnknownId } from './resolution.ts';
import { mayBeId, nameKey, otherNamesOf, tokenText, wordsOf } from './words.ts';

/** What comes behind it is a title or the other side of a card, which lists leave out. */
const BEHIND_NAME = /,\s|\s\/\/\s|\s[&–-]\s|:\s|\s\(/;
/** A mark whose meaning is not known, unless the card has it in its name, set or number. */
const MARK = /[*{}<>[\]^~+=|@$%†‡?!]/g;
/** Others are no part of a name, or would take long to look for. */
const SHORTEST_NAME = 3;
const MOST_WORDS = 12;
const OTHER_SIDE = /\s*\/\/?\s*\p{L}.*$/u;

/**
 * What each line of a pasted list means. A printing that a line names is never replaced by another, and nothing is
 * taken for a typing error: a wrong price in a sum is seen by nobody.
 */
export function resolveLines(index: CardIndex, lines: readonly PastedLine[]): LineMeaning[] {
  return lines.map((line) => {
    const cards = cardsOf(index, line);
    if (cards.length > 0) return listed(cards);
    if (line.mayBeHeading) return { cards, isHeading: true };
    const name = line.isCounted ? understood(called(index, line.typed), line.typed) : []; // it begins with a number
    if (name.length > 0) return { ...listed(name), name: line.typed, count: 1 };
    return !isNamed(line) && mayBeUnknownId(index, line.name) ? asId(line) : { cards };
  });
}

/** The same while the catalog cannot be searched. */
export function linesUnsearched(lines: readonly PastedLine[]): LineMeaning[] {
  return lines.map((line) => {
    if (!isNamed(line) && mayBeId(line.name)) return asId(line);
    return { cards: [], ...(line.mayBeHeading && { isHeading: true }) };
  });
}

/**
 * What a list comes to, once it is known what its lines mean. Every line is in it: counted, without a card, or passed
 * over.
 */
export function meantBy(
  { lines, passedOver }: Exclude<PastedList, { refusal: unknown }>,
  meant: readonly LineMeaning[],
) {
  const read = lines.map((line, at) => ({ ...line, cards: [], ...meant[at] }));
  const counted = read.filter(({ isHeading }) => !isHeading);
  const headings = read.flatMap(({ isHeading, typed }) => (isHeading ? [typed] : []));
  return { lines: merged(counted), passedOver: [...passedOver, ...headings] };
}

function asId({ name }: PastedLine): LineMeaning {
  return { cards: idFault(name) ? [] : [{ id: name, name }] };
}

function listed(cards: readonly CatalogCard[]): LineMeaning {
  return { cards: cards.slice(0, MOST_FOUND).map(({ id, name, set, number }) => ({ id, name, set, number })) };
}

function cardsOf(index: CardIndex, line: PastedLine): readonly CatalogCard[] {
  // What looks like a set or a number may be of the name.
  const whole = isNamed(line) && line.text === line.name ? undefined : exactly(index, line.text);
  if (whole) return whole.by === 'name' ? understood(called(index, line.text), line.text) : whole.cards;
  const ways = line.mayBeHeading ? [itself] : [itself, frontSide, otherwise];
  const readings = [line, ...(line.others ?? [])];
  const found = ways
    .values()
    .flatMap((way) =>
      readings.values().map((each) => understood(way(index, each), [each.name, each.set, each.number].join(' '))),
    );
  return found.find((cards) => cards.length > 0) ?? [];
}

/** Those that have every mark of a text. */
function understood(cards: readonly CatalogCard[], text: string): readonly CatalogCard[] {
  const marks = text.match(MARK) ?? [];
  return cards.filter((card) => {
    const said = Object.values(card).join(' ').normalize('NFKC');
    return marks.every((mark) => said.includes(mark));
  });
}

type Way = (index: CardIndex, reading: Reading) => readonly CatalogCard[];

const itself: Way = (index, reading) => printedIn(reading, called(index, reading.name));

const frontSide: Way = (index, reading) =>
  OTHER_SIDE.test(reading.name) ? printedIn(reading, called(index, reading.name.replace(OTHER_SIDE, ''))) : [];

const otherwise: Way = (index, reading) =>
  !isNamed(reading) && mayBeId(reading.name)
    ? numberedSo(index, reading.name)
    : printedIn(reading, cardsAlsoCalled(index, reading));

/** Those that a line says, where it says which. */
function printedIn(line: Reading, cards: readonly CatalogCard[]): readonly CatalogCard[] {
  if (!isNamed(line)) return cards;
  const meant = printed(cards, line);
  // Where several in that set have no known number, the line may mean any of them.
  const isAny = line.number !== undefined && meant.length > 1 && meant.every(({ number }) => !number);
  return isAny ? [] : meant;
}

/** The cards with this printed number, if all have one name. */
function numberedSo(index: CardIndex, number: string): readonly CatalogCard[] {
  const found = index.allWithWords([[{ word: tokenText(number), begins: false }]]) ?? [];
  const names = new Set(found.flatMap(({ card }) => (isNumber(card, number) ? card.name : [])));
  const [only = '', ...others] = names;
  return others.length === 0 ? called(index, only).filter((card) => isNumber(card, number)) : [];
}

/**
 * All printings of the one card that is called so without its title, or in another language; of several where set and
 * number tell which.
 */
function cardsAlsoCalled(index: CardIndex, { name, set, number }: Reading): readonly CatalogCard[] {
  const key = nameKey(name);
  if (key.length < SHORTEST_NAME || wordsOf(name).length > MOST_WORDS) return [];
  const isTitled = (card: CatalogCard) => nameKey(card.name.split(BEHIND_NAME)[0] ?? '') === key;
  const titled = index.withNameBeginning(tokenText(name)).filter(({ card }) => isTitled(card));
  const words = wordsOf(name).map((word) => [{ word, begins: false }]);
  const translated = titled.length === 0 ? (index.allWithWords(words) ?? []) : [];
  const isOther = (card: CatalogCard) => otherNamesOf(card).includes(key);
  const found = [...titled, ...translated.filter(({ card }) => isOther(card))];
  const names = [...new Set(found.map(({ card }) => card.name))];
  const isToldApart = names.length === 1 || (set !== undefined && number !== undefined);
  return isToldApart ? names.flatMap((each) => called(index, each)) : [];
}
