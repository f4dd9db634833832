import type { CatalogCard } from './catalog-card.ts';
import type { Reading } from './list-line.ts';
import { HASH, isSameId, nameKey, tokenText } from './words.ts';

const CODE_ALONE = /^(?=\d*[A-Z])[A-Z\d]{2,6}$/;
/** Shorter ones are too often in a name, unless they stand in brackets. */
const SHORTEST_CODE = 3;
/** What games call sets otherwise than everybody else: Arena, and Pokémon TCG Live. */
const SAME_SETS: Readonly<Record<string, string>> = {
  ...{ DAR: 'DOM', MEW: '151', 'PR-SV': 'SVP', 'PR-SW': 'SWSHP', 'PR-SM': 'SMP', 'PR-XY': 'XYP', 'PR-BLW': 'BWP' },
};
const CODE = /(?<![\p{L}\d])[A-Z][A-Z\d]{1,5}(?![\p{L}\d])/gu;

type Named = Omit<Reading, 'name'>;

/** Whether a line says which printing it means. */
export function isNamed({ set, number }: Named): boolean {
  return set !== undefined || number !== undefined;
}

/** Those of the cards of one name that a line of a list says, by set and number. @param cards all of that name */
export function printed(cards: readonly CatalogCard[], line: Named): readonly CatalogCard[] {
  const { set = '', number = '' } = line;
  const itself = cards.filter(({ id }) => isSameId([set, number].filter(Boolean).join('-'), id));
  const sets = [set, SAME_SETS[set] ?? '', set.replace(/ Set$/, '')].map(nameKey).filter((key) => key !== '');
  const inSet = sets.length === 0 ? cards : cards.filter((card) => sets.some((key) => setKeys(card).includes(key)));
  const isItself = (card: CatalogCard) => card.number === number;
  const numbered = [isItself, isNumber, isFirstOfNumber, endsNumber].map((is) =>
    inSet.filter((card) => is(card, number)),
  );
  const sides = sets.length === 0 ? [] : inSet.filter((card) => isSideOf(card, number));
  const unnumbered = sets.length === 0 ? [] : inSet.filter((card) => !card.number);
  const calledByNumber = number === '' && set !== '' ? cards.filter((card) => isNumber(card, set)) : [];
  // A list without sets tells no printings apart; a number may be more than a set.
  const mayBe = (card: CatalogCard) => !card.set && (number === '' || !card.number || endsNumber(card, number));
  const isAlone = cards.length === 1 && !/^\d+$/.test(set) && cards.every(mayBe);
  const all = [
    itself,
    calledByNumber,
    ...numbered,
    sides.length === 1 ? sides : [],
    unnumbered,
    inSet.length === 0 ? ofUnknownCode(cards, line) : [],
    isAlone ? cards : [],
  ];
  return all.find((each) => each.length > 0) ?? [];
}

/** The one card with this number whose set may have this code, where no codes are known. */
function ofUnknownCode(cards: readonly CatalogCard[], { set = '', number = '', isInBrackets = false }: Named) {
  if (!CODE_ALONE.test(set) || (set.length < SHORTEST_CODE && !isInBrackets)) return [];
  const numbered = cards.filter((card) => endsNumber(card, number));
  const abbreviated = numbered.filter((card) => abbreviates(set, card));
  if (abbreviated.length === 1) return abbreviated;
  return isInBrackets && numbered.length === 1 ? numbered.filter(hasNoCode) : [];
}

/** Whether this is all that is printed as the card's number. */
export function isNumber({ number: printed = '' }: CatalogCard, number: string): boolean {
  return number === '' || tokenText(printed) === tokenText(number);
}

/** The number may be printed before the set's size. */
function isFirstOfNumber({ number: printed = '' }: CatalogCard, number: string): boolean {
  return firstOf(printed) === firstOf(number);
}

/** It may be printed behind the set's code, as in `OP01-025`. */
function endsNumber({ number: printed = '' }: CatalogCard, number: string): boolean {
  const typed = firstOf(number);
  return typed !== '' && ` ${firstOf(printed)}`.endsWith(` ${typed}`);
}

/** The sides of a double-faced card may be counted as `51a` and `51b`, and other cards of one name, too. */
function isSideOf({ number: printed = '' }: CatalogCard, number: string): boolean {
  return number !== '' && tokenText(printed).replace(/ [a-z]$/, '') === tokenText(number);
}

function firstOf(number: string): string {
  return tokenText(number.replace(/\/.*/s, ''));
}

/**
 * How a card's set may be written: its name, a code in that or before the number in the id, and what else the card is
 * found by.
 */
function setKeys({ id, set = '', also = [] }: CatalogCard): string[] {
  return [set, ...(set.match(CODE) ?? []), id.replace(/[-_ ][^-_ ]*$/, ''), ...also].map(nameKey);
}

/**
 * Whether a set's name has the letters of a code in their order, as `Obsidian Flames` those of OBF, where no codes are
 * known.
 */
function abbreviates(code: string, { set = '', also }: CatalogCard): boolean {
  const letters = [...nameKey(code)].join('.*');
  return also === undefined && new RegExp(`(?:^| )${letters}`).test(tokenText(set));
}

/** Whether nothing is known by which a code could be told from that of the card's set. */
function hasNoCode({ id, set = '', also }: CatalogCard): boolean {
  return also === undefined && !set.match(CODE) && (HASH.test(id) || !/[-_ ]/.test(id));
}
