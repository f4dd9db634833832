import type { Card } from '../model/card.ts';
import type { ListedCard } from '../model/invocation.ts';

/** A card as it is searched for and offered. */
export interface CatalogCard extends ListedCard {
  game?: string | undefined;
  /** Words that find the card and are not shown: the code of its set, its rarity, its names in other languages. */
  also?: string[] | undefined;
  /** When it came out. */
  released?: string | undefined;
}

/** A card of the service as it is searched for. */
export function catalogCardOf({ id, name, set, number, game }: Card): CatalogCard {
  return { id, name: name || id, set: set?.name, number, game };
}

/** A longer text is cut before it is searched for; members type no more. */
const LONGEST_QUERY = 100;
/** The title of a listing has the set before the name: up to ten words of it. */
const MOST_WORDS = 16;
/** A shorter word, or part of a name, is more often something else than a card's name. */
export const SHORTEST_NAME = 3;
/** A name of fewer words is not called by its initials. */
const FEWEST_INITIALS = 3;

const APOSTROPHES = /['’‘ʼ`´′]/g;
/** Letters without a decomposition, and signs that members type as a word. */
const SPELLED_OUT: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  '♀': ' female ',
  '♂': ' male ',
  '★': ' gold star ',
  '☆': ' gold star ',
  '◇': ' prism star ',
  '&': ' and ',
};
const GREEK = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  'epsilon',
  'zeta',
  'eta',
  'theta',
  'iota',
  'kappa',
  'lambda',
  'mu',
  'nu',
  'xi',
  'omicron',
  'pi',
  'rho',
  'sigma',
  'sigma',
  'tau',
  'upsilon',
  'phi',
  'chi',
  'psi',
  'omega',
];
const ALPHA = 'α'.charCodeAt(0);
/** A letter alone is called by its name; Greek words stay. */
const GREEK_LETTER = /(?<!\p{L})[α-ω](?!\p{L})/gu;
const TO_SPELL_OUT = new RegExp(`[${Object.keys(SPELLED_OUT).join('')}]`, 'g');

/** Chinese, Japanese and Korean are written without blanks, so each character is a token. */
const TOKEN =
  /[\p{L}&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]]|[[\p{L}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]]+|\p{N}+/gv;
/** ASCII without apostrophes and `&`: nothing to fold but its case. */
const PLAIN = /^[\0-%(-_a-\x7f]*$/;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_TOKEN = /[a-z]+|[0-9]+/g;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/u;
const SPELLED_WORD = /^\p{L}{3,}$/u;
const SPELLED_IN_SEVERAL_WAYS = /\d[,/]|\bn[or]\b|\bl(?:eve|v)l\b/;
/** A hash, a UUID or a random id: its letters and digits say nothing, so it is found whole or not at all. */
export const HASH = /^(?:[\da-f-]{24,}|(?=.*\d)[\da-z]{20,})$/i;
/** How names write the same numeral; single letters are rather letters. */
const SAME_NUMERALS = {
  first: '1 st',
  second: '2 nd',
  third: '3 rd',
  fourth: '4 th',
  fifth: '5 th',
  sixth: '6 th',
  seventh: '7 th',
  eighth: '8 th',
  ninth: '9 th',
  tenth: '10 th',
  ii: '2',
  iii: '3',
  iv: '4',
  vi: '6',
  vii: '7',
  viii: '8',
  ix: '9',
};
const NUMERALS = new Map(
  Object.entries(SAME_NUMERALS).flatMap(([one, other]) => [[one, other] as const, [other, one]]),
);
const NUMERAL = new RegExp(`\\b(?:${[...NUMERALS.keys()].join('|')})\\b`, 'g');
const HIRAGANA = /[ぁ-ゖ]/g;
const HIRAGANA_TO_KATAKANA = 0x60;

/**
 * What is the same for whoever types it: lower case, Latin letters without accents, full-width forms as usual ones,
 * hiragana as katakana, no apostrophes.
 */
function folded(text: string): string {
  const typed = text.toLowerCase();
  if (PLAIN.test(typed)) return typed;
  const lower = typed
    .replace(APOSTROPHES, '')
    .replace(TO_SPELL_OUT, (sign) => SPELLED_OUT[sign] ?? sign)
    .replace(GREEK_LETTER, (letter) => ` ${GREEK[letter.charCodeAt(0) - ALPHA]} `);
  if (ASCII.test(lower)) return lower;
  return lower
    .toWellFormed()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '') // not those of other scripts: they tell Japanese syllables apart
    .normalize('NFC')
    .toLowerCase()
    .replace(HIRAGANA, (sign) => String.fromCharCode(sign.charCodeAt(0) + HIRAGANA_TO_KATAKANA));
}

/**
 * The words of a text, each as its tokens with blanks between: runs of letters, runs of digits without leading zeros,
 * and single Chinese, Japanese or Korean characters. `base1-04` has the words `base 1` and `4`.
 */
export function wordsOf(text: string): string[] {
  return oneSpelling(folded(text))
    .split(BETWEEN_WORDS)
    .map((word) => tokensOfFolded(word).join(' '))
    .filter(Boolean); // also of a mark without its letter
}

/**
 * What is written in several ways: `10,000` is `10000`, `TG12/TG30` is `TG12/30`, `level 8` is `LV8`, `No. 39` is
 * `number 39`.
 */
function oneSpelling(text: string): string {
  if (!SPELLED_IN_SEVERAL_WAYS.test(text)) return text;
  return text
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replace(/(\p{L}+)(\d+\/)\1(?=\d)/gu, '$1$2')
    .replace(/\b(?:level|lvl)\b/g, 'lv')
    .replace(/\bn[or]\b[. ]+(?=\d)/g, 'number ');
}

/** All tokens of a text, those of its words in a row. */
export function tokensOf(text: string): string[] {
  return tokensOfFolded(folded(text));
}

function tokensOfFolded(text: string): string[] {
  const tokens = oneSpelling(text).match(ASCII.test(text) ? ASCII_TOKEN : TOKEN) ?? [];
  return tokens.map((token) => (token.startsWith('0') ? token.replace(/^0+(?=\d)/, '') : token));
}

/**
 * A name without what members leave out or add: `Mr. Mime` and `mrmime` are the same; one of signs alone is `_____`.
 */
export function nameKey(name: string): string {
  return tokensOf(name).join('') || name.replace(/[\s\p{C}]/gu, '');
}

/** Whether two spellings of an id have the same separators between digits: `SM210` is not `sm2-10`. */
export function isSameId(one: string, other: string): boolean {
  const separated = (id: string) => id.replace(/(?<=\p{N})[\s\p{Pd}_]+(?=\p{N})/gu, '.');
  return idKey(separated(one)) === idKey(separated(other));
}

/** An id without case, blanks, hyphens, underscores and accents. */
export function idKey(id: string): string {
  return folded(id).replace(/[\s\p{Pd}_]+/gu, '');
}

/**
 * What ids have in common: runs of letters as `a`, runs of digits as `9`, the rest as it is. `base1-4` and `XY12-104a`
 * have the forms `a9-9` and `a9-9a`.
 */
export function formOf(id: string): string {
  return id.replace(/[\p{L}\p{M}]+/gu, 'a').replace(/\p{N}+/gu, '9');
}

/** The same where UUIDs, too, have few forms. */
export function looseFormOf(id: string): string {
  return formOf(id).replace(/[a9]{4,}/g, 'x');
}

/** Most ids have a digit, and most names have none. */
export function hasDigit(text: string): boolean {
  return /\p{N}/u.test(text);
}

/** One word with a digit: where names are not known, it is rather an id. */
export function mayBeId(text: string): boolean {
  return hasDigit(text) && !/\s/.test(text);
}

/** The tokens of what a card is found by besides its name: set, number, game, id, and what else it is called. */
export function otherText(card: CatalogCard): string {
  const { id, set = '', number = '', game = '' } = card;
  return [set, number, game, HASH.test(id) ? '' : id, ...alsoCalled(card)].map(tokenText).join(' ');
}

/** The keys of what a card is also called. */
export function otherNamesOf(card: CatalogCard): string[] {
  return alsoCalled(card).map(nameKey);
}

/** Each of its other names, the initials of a long one, and its numeral in other writing. */
function alsoCalled({ name, also = [] }: CatalogCard): string[] {
  return [...also, ...initialsOf(name), ...otherNumerals(name)];
}

/** `gundam mk 2` of `Gundam Mk-II`, `fourth form` of `4th Form`, and the other way round. */
function otherNumerals(name: string): string[] {
  const text = tokenText(name);
  const other = text.replace(NUMERAL, (numeral) => NUMERALS.get(numeral) ?? numeral);
  return other === text ? [] : [other];
}

/** `bls` of `Black Luster Soldier`; `cac`, `cnc` and `cc` of `Command and Conquer`. Shorter names have none. */
function initialsOf(name: string): string[] {
  const words = wordsOf(name);
  if (words.length < FEWEST_INITIALS) return [];
  const initials = (and: string) => words.map((word) => (word === 'and' ? and : word.charAt(0))).join('');
  return [...new Set(['a', 'n', ''].map(initials))];
}

/** The number of a card as it is printed, with and without what follows its slash. */
export function printedNumbers(number: string): string[] {
  return [tokenText(number), withoutSize(number)];
}

/** The number without the set's size, which may be printed behind it. */
export function withoutSize(number: string): string {
  return tokenText(number.replace(/\/.*/s, ''));
}

/** All tokens of a text, with blanks between. */
export function tokenText(text: string): string {
  return tokensOf(text).join(' ');
}

/** Words of a name that can be mistyped. */
export function spelledWords(name: string): string[] {
  return tokensOf(name).filter((token) => SPELLED_WORD.test(token));
}

/** What a member typed, as it is searched for. */
export type Query = ReturnType<typeof queryOf>;

/** Uses the first hundred characters, and at most sixteen words of them: a longer name is found by its key. */
export function queryOf(text: string) {
  const typed = text.slice(0, LONGEST_QUERY).trim();
  const words = wordsOf(typed).slice(0, MOST_WORDS);
  return { text: typed, idKey: idKey(typed), nameKey: nameKey(typed), words };
}
