import { decodeHTMLStrict } from 'entities/decode';
import { type Finish, finishOf } from '../model/card.ts';
import type { ListedCard } from '../model/invocation.ts';
import { mayBeId, nameKey } from './text.ts';

/** What a line may say: a name, and perhaps which printing of it. */
export interface Reading {
  name: string;
  /** A set's code or name, or the printed id of the card. */
  set?: string | undefined;
  number?: string | undefined;
  /** The set stands in brackets, so that it is no part of the name. */
  isInBrackets?: boolean;
}

/**
 * A line of a list as games and tools write decks down: `4x Sol Ring (C21) 263`. Its name is without set and number,
 * where these stand in a usual form.
 */
export interface ListLine extends Reading {
  /** The line without its count and its marks. */
  text: string;
  /** Absent where none is written: it is one card. */
  count?: number | undefined;
  /** What it may say instead: names, too, end in what looks like a set or a number. Each takes the whole text. */
  others?: readonly Reading[];
  /** How it is marked. */
  finish?: Finish | undefined;
  /** It has no count where most have one, or none in front: unless a card is called so, it is a heading. */
  mayBeHeading?: boolean;
}

/** A line of a list that a member pasted. */
export interface PastedLine extends ListLine {
  /** The line as it stands in the list; where several say the same, the first of them. */
  typed: string;
  /** Those that it means, once that is known. */
  cards?: readonly ListedCard[];
}

/** What a member pasted, or why it is no list. */
export type PastedList =
  | ReadList
  | { refusal: 'empty' | 'headingsOnly' | 'table' | 'tooManyCards' }
  /** The count of this line is none that anybody owns. */
  | { refusal: 'count'; line: string };

export interface ReadList {
  lines: readonly PastedLine[];
  /** Lines that are headings, comments and sums in any case. */
  passedOver: readonly string[];
}

/** How many different cards a list may have. */
export const MOST_DIFFERENT = 100;
/** With headings, and with lines that say the same in other words. */
const MOST_READ = 4 * MOST_DIFFERENT;
const MOST = 999;
/** No longer line says a card; it is not read, so that whatever was pasted is read in milliseconds. */
const LONGEST_LINE = 300;

const { raw } = String;

const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;
/**
 * A row of a table has several tabs, or a cell that is a number, empty or quoted, which hardly a part of a name is;
 * names have thousands.
 */
const ROW = /\t.*\t|^\d+\s*[;,](?!\d{3}\D)|[;,]\s*(?:\d+\s*)?[;,]|[;,\t]\s*\d+$|[;,]"|"[;,]\S/;
/** How the file of a program begins: XML, in which only Magic Online's cards are read. */
const FILE = /^<(?!https?:)[?/a-z]/i;
/** A card in a file of Magic Online. */
const ELEMENT = /^<Cards [^>]*\bQuantity="(?<n>\d+)"[^>]*\bName="(?<name>[^"]*)".*$/;

/** The lines of a list as games and tools export them. */
export function readPastedList(text: string): PastedList {
  const pasted = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(INVISIBLE, '').trim())
    .filter((line) => SAYS_SOMETHING.test(line));
  if (pasted.length === 0) return { refusal: 'empty' };
  if (isTable(pasted)) return { refusal: 'table' };
  if (pasted.length >= MOST_READ) return { refusal: 'tooManyCards' };
  const read = pasted.map((typed) => ({ text: '', name: '', ...readLine(typed), typed }));
  const lines = withHeadings(read.filter(({ text }) => SAYS_SOMETHING.test(text)));
  if (lines.length === 0) return { refusal: 'headingsOnly' };
  const uncounted = lines.find(({ count = 1 }) => count < 1 || count > MOST);
  if (uncounted) return { refusal: 'count', line: uncounted.typed };
  if (merged(lines.filter(({ mayBeHeading }) => !mayBeHeading)).length > MOST_DIFFERENT)
    return { refusal: 'tooManyCards' };
  return { lines, passedOver: pasted.filter((typed) => !lines.some((line) => line.typed === typed)) };
}

function isTable(lines: readonly string[]): boolean {
  const rows = lines.filter((line) => ROW.test(line));
  const isFile = FILE.test(lines[0] ?? '') && !lines.some((line) => ELEMENT.test(line));
  return isFile || (lines.length > 1 && 2 * rows.length >= lines.length);
}

/** It is not understood, and no heading. */
const NUMBER_IN_FRONT = /^\W*\d/;

/** Where most lines have a count, one without is rather a heading. */
function withHeadings(lines: readonly PastedLine[]): PastedLine[] {
  const isUncounted = ({ count }: PastedLine) => count === undefined;
  const areCounted = 2 * lines.filter(isUncounted).length < lines.length;
  return lines.map((line) => {
    const mayBe = areCounted && isUncounted(line) && !mayBeId(line.text) && !NUMBER_IN_FRONT.test(line.text);
    return { ...line, mayBeHeading: line.mayBeHeading || mayBe };
  });
}

/** Lines that say the same, and mean the same once that is known, are one, with the counts of all. */
export function merged<Line extends PastedLine>(lines: readonly Line[]) {
  return [...Map.groupBy(lines, keyOf).values()].flatMap((same) => {
    const count = same.reduce((sum, line) => sum + (line.count ?? 1), 0);
    return same.slice(0, 1).map((line) => ({ ...line, count, times: same.length }));
  });
}

function keyOf({ name, set = '', number = '', finish, cards = [] }: PastedLine): string {
  return JSON.stringify([nameKey(name), nameKey(set), nameKey(number), finish, ...cards.map(({ id }) => id)]);
}

/**
 * Links, what stands around names that somebody has emphasised, and what Star Wars: Unlimited has before a card's
 * title.
 */
const LINK = /\[(?<name>[^\]]*)\]\(https?:[^\s)]*\)|<?https?:\S+/g;
const EMPHASIS = /\*\*|__(?=[^\s_])|(?<=[^\s_])__|`|_(?=\()|(?<=\))_|\s\|(?=\s)/g;
const FULL_WIDTH = /[！-～]/g;
/** Nothing but a link, sums, and what is said of a deck. */
const NO_CARD =
  /^(?:\d+\s+(?:cards?|influence spent|agenda points)(?:\s*[(:,].*)?||(?:name|layout [a-z]+|format|packs|deck (?:xp|size|name)|exported|cards up to)\b\s*[:=].*|\w+=.*)$/iu;
/** In front of a card that a deck has once. */
const ROLE =
  /^(?:commander|companion|leader|hero|investigator|identity|stronghold|role|base|main|side(?:board)?|extra):\s+/i;
/** What sections of a deck are called, also where a game speaks another of our languages. */
const SECTIONS =
  /^(?:(?:main|side|extra)[ -]?(?:deck|board)?|deck(?: ?list)?|maybeboard|considering|about|commanders?|companions?|oathbreaker|signature spells?|tokens?|attractions|stickers|creatures?|lands?|planeswalkers?|instants?|sorcer(?:y|ies)|artifacts?|enchantments?|battles?|spells?|others?|pok[eé]mon|trainers?|dresseurs?|(?:basic |special )?[eé]nerg(?:y|ies?)|supporters?|items?|stadiums?|tools?|leaders?|characters?|events?|stages?|monsters?|traps?|hero(?:es)?|weapons?|equipments?|total(?: cards)?|kommandeur|gefährte|réserve|commandant|compagnon|mazo|banquillo|comandante|compañero|companheiro|reserva|mazzo|デッキ|メインデッキ|サイドボード|統率者|相棒)$/iu;
const COMMENT = /^(?:\/\/|#(?!\d)|!|={2,}|\*{2,})/;
/** What stands around that. */
const AROUND_SECTION = /^\[|\]$|\s*(?:\(\d+\)|-\s*\d+|:(?:\s+\d+)?)$/g;

const BEFORE = /^(?:[-–*+•·>]\s+|[-*•](?=\d)|\p{ExtPict}\ufe0f?\s*|\[[ x]\]\s+|\d{1,3}[.)]\s+|SB:\s*)+/iu;
/**
 * `4`, `4x`, `x4`, `(4)` before more than short numbers; without a blank only before an id: `4xOP01-025`.
 * Numbers of four to eight digits are rather names or ids, unless there is an `x`.
 */
const COUNT =
  /^(?:(?<n>\d{1,3}|\d{9,})(?:\s?[x×:])?\s+(?:[-–]\s+)?|(?<n>\d+)\s?[x×]\s+|(?<n>\d{1,3})[x×](?=[A-Z]{1,4}-?\d)|[x×](?<n>\d{1,3})\s+|\((?<n>\d{1,3})[x×]?\)\s*|\[(?<n>\d{1,3})[x×]?\]\s+)(?=.*(?:[^\d\s]|\d{5}))/iu;
/**
 * `Sol Ring x4`, and as a heading may have it: `Sol Ring: 4`, `Sol Ring (4)`, or without the figure. More digits are
 * rather a set: `Mew (151)`.
 */
const COUNT_AFTER =
  /(?:\s+(?:[x×]\s?(?<n>\d{1,3})|\([x×]\s?(?<n>\d{1,3})\))|(?<=[^\s:(])(?<heading>\s*:(?:\s+(?<n>\d{1,2}))?|\s+\((?<n>\d{1,2})\)))$/i;
const FINISH = '(?:foil )?etched|(?:non-?|reverse )?(?:foil|holo)';
/**
 * What tools and members put behind a card: foil, prices, conditions, categories and tags. A category is none of the
 * deck with `{noDeck}`.
 */
const MARKS = [
  raw`\*(?:E|F(?:[-:][a-z]+)?|CMDR|CMPN)\*|\^[^^]*\^|\((?-i:[FE])\)|[([](?:${FINISH})[)\]]`,
  raw`(?<=[\d*)\]]\s+)(?:PH|RH|[★☆]+)|(?<![,&]\s+)(?:${FINISH})`,
  raw`(?:[-–@]\s+)?(?:[$€£]\s?\d[\d.,]*|\d[\d.,]*\s?[$€£])(?:\s?\/?\s?(?:each|ea))?`,
  raw`(?:[-–]\s+)?[([]?(?:(?-i:NM|LP|MP|HP|DMG)|near mint|(?:lightly|moderately|heavily) played)[)\]]?`,
  raw`#\s?!?\p{L}[^,;]*|[●•○■]+|[-–]`,
  raw`(?<=(?:\*|\(\w{2,8}\)\s+\S*\d\S*)\s+)\[(?:[^\]{]|\{top\})*\]`,
  raw`(?<=\(\w{2,8}\)\s+)\[(?!(?-i:[A-Z\d]+)\])(?:[^\]{\d]|\{top\})*\]`,
];
/**
 * One at a time, because a tag may have others in it: all at once, a line of twenty tags could be read in a million
 * ways.
 */
const LAST_MARK = new RegExp(raw`,?\s+(?:${MARKS.join('|')})$`, 'iu');
const FINISHED = new RegExp(
  raw`\s(?:\*(?<mark>E|F(?:[-:][a-z]+)?)\*|[([](?<mark>[FE]|${FINISH})[)\]]|#\s?!(?<mark>foil|etched)|(?<mark>[PR]H|${FINISH}))(?=\s|$)`,
  'i',
);
/** Unless it is the name: before a set in capital letters. */
const FOIL_BEFORE = /^[Ff]oil\s+(?=\p{Lu}?\p{Ll})/u;
/** Forge has a plus sign behind the name. */
const FORGE_FOIL = /\+\|/;

const NUMBER = raw`[^\s()[\]]*\d[^\s()[\]]*`;
const IN_BRACKETS = raw`(?:\((?<set>(?:[^()]|\([^()]*\))+)\)|\[(?<set>[^[\]]+)\])`;
const OF_SET = raw`[A-Z]{0,5}\d+[a-z]?`;
const OF_TOTAL = raw`[#(]?(?<number>${OF_SET}/${OF_SET}|(?<=#)\d+)\)?`;
const CODE = raw`\d{0,2}[A-Z][A-Z\d]{0,5}(?<=..)(?:-[A-Z]{2,3})?|[A-Z]\d{1,2}[a-z]|[A-Z]-[A-Z]`;
/** Where a name, a set and a number may stand, or a name alone. Flesh and Blood has a card in up to three colours. */
const PRINTINGS = [
  raw`^(?=\S*[A-Za-z])(?<set>[A-Za-z\d]{1,6}(?:/[A-Z\d]+)?-[A-Z]{0,4}\d+\w*)[ \t]+(?<name>.+)$`,
  raw`^\[(?<set>[^\]:#]+)(?:[:#](?<number>${NUMBER}))?\]\s+(?<name>.+)$`,
  raw`^(?<name>.+?)(?:\s+<(?<number>${NUMBER})>)\s+[([](?<set>[^)\]]+)[)\]]$`,
  raw`^(?<name>.+?)\+?\|(?<set>[A-Za-z\d]{2,6})(?:\|(?:\[(?<number>${NUMBER})\]|\d+))?$`,
  raw`^(?<name>.+?)\s+[([](?<set>[^()[\]:#]+)[:#\s](?<number>${NUMBER})[)\]]$`,
  raw`^(?<name>.+?[^)\]])(?:\s+-)?\s+${OF_TOTAL}(?:\s+${IN_BRACKETS}|(?:\s+-)?\s+(?<set>\S.*))?$`,
  raw`^(?<name>.+?)\s+-\s+(?<set>.+?)\s+-\s+${OF_TOTAL}$`,
  raw`^(?<name>.+?)\s+${IN_BRACKETS}(?:\s+#?(?<number>${NUMBER}))?$`,
  raw`^(?<name>.+?)\s+(?<set>${CODE})[\s-](?<number>${OF_SET})$`,
  raw`^(?<name>.+?)\s+(?<number>[A-Z]{2,5}\d{2,3})$`,
  raw`^(?<name>.+?)\s+(?<set>[A-Z\d]{3,4})$`,
  raw`^(?<name>.+?)\s+\((?:red|yellow|blue)\)$`,
  raw`^(?<name>.+)$`,
].map((form) => new RegExp(form));

/** What stands for a basic energy in exports of Pokémon TCG Live. */
const ENERGIES: Readonly<Record<string, string>> = {
  G: 'Grass',
  R: 'Fire',
  W: 'Water',
  L: 'Lightning',
  P: 'Psychic',
  F: 'Fighting',
  D: 'Darkness',
  M: 'Metal',
};
const ENERGY = /\{([GRWLPFDM])\}(?= Energy\b)/g;
/** Some call them basic, others do not. */
const BASIC_ENERGY = new RegExp(`^(Basic )?((?:${Object.values(ENERGIES).join('|')}) Energy)$`);

/** The back of a card, which many lists leave out. */
const OTHER_SIDE = /\s*\/\/?\s*\p{L}.*$/u;

/** @returns `undefined` for what is no card in any case: headings of sections, comments, sums, and what programs write */
export function readLine(typed: string): ListLine | undefined {
  if (typed.length > LONGEST_LINE) return { text: typed, name: typed };
  const line = plainLine(typed);
  const isNone = [FILE, NO_CARD, COMMENT].some((none) => none.test(line));
  if (isNone || SECTIONS.test(line.replace(AROUND_SECTION, ''))) return undefined;
  const item = line.replace(BEFORE, '').replace(ENERGY, (_, sign: string) => ENERGIES[sign] ?? sign);
  const before = COUNT.exec(item);
  const counted = item.replace(COUNT, '');
  const unmarked = withoutMarks(counted);
  const after = before ? null : COUNT_AFTER.exec(unmarked);
  const named = after ? withoutMarks(unmarked.replace(COUNT_AFTER, '')) : unmarked;
  const { n, heading } = (before ?? after)?.groups ?? {};
  const text = named.replace(FOIL_BEFORE, '');
  const mark = FINISHED.exec(counted.slice(named.length))?.groups?.mark ?? '';
  const word = mark.replace(/^(?:F|[PR]H)\b/i, 'foil').replace(/^E$/i, 'etched');
  const finish = text !== named || FORGE_FOIL.test(text) ? 'foil' : finishOf(word);
  const [first, ...others] = readAs(PRINTINGS, text).flatMap((each) => readings(each, text));
  return {
    text,
    count: n ? Number(n) : undefined,
    finish,
    mayBeHeading: heading !== undefined,
    name: text,
    ...first,
    others,
  };
}

/** Without what only Discord, a web page or a program has around it. */
function plainLine(typed: string): string {
  return decodeHTMLStrict(typed.replace(ELEMENT, '$<n> $<name>'))
    .replaceAll('（', ' (')
    .replace(FULL_WIDTH, (sign) => sign.normalize('NFKC'))
    .replace(LINK, '$<name>')
    .replace(EMPHASIS, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(ROLE, '');
}

function withoutMarks(marked: string): string {
  const text = marked.replace(LAST_MARK, '');
  return text === marked ? text : withoutMarks(text);
}

function readAs(forms: readonly RegExp[], text: string): Reading[] {
  return forms.flatMap((form) => (form.exec(text)?.groups as Reading | undefined) ?? []);
}

function readings(reading: Reading, text: string): Reading[] {
  const { name, set = '' } = reading;
  const isInBrackets = text.includes(`(${set})`) || text.includes(`[${set}]`);
  const [, basic, energy] = BASIC_ENERGY.exec(name) ?? [];
  const other = energy ? `${basic ? '' : 'Basic '}${energy}` : name.replace(OTHER_SIDE, '');
  return [...new Set([name, other])].map((each) => ({ ...reading, name: each, isInBrackets }));
}

/** The number may stand before the set, and the id at the end. */
const LABELS = [
  /^(?<name>.+?) · (?<set>.+) · (?<number>.+)$/,
  /^(?<name>.+?) · (?<number>.+) · (?<set>.+)$/,
  /^(?<name>.+) · (?<set>.+)$/,
];
const OTHER_NAME = / \([^()]*\)$/;

/** Whether it has what stands between name, set and number where a card is suggested. */
export function isLabel(text: string): boolean {
  return text.includes(' · ');
}

/**
 * What a text says if it is the label of a suggestion, as Discord hands it back when a member has edited it. Another
 * name may stand behind the name.
 */
export function readLabel(text: string): Reading[] {
  return readAs(LABELS, text).flatMap((each) => [each, { ...each, name: each.name.replace(OTHER_NAME, '') }]);
}
