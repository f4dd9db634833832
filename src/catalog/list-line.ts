import { type Finish, finishOf } from '../model/finish.ts';

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
  /** 1 where none is written. */
  count: number;
  /** Whether a count is written. */
  isCounted: boolean;
  /** What it may say instead: names, too, end in what looks like a set or a number. Each takes the whole text. */
  others?: readonly Reading[];
  /** How it is marked. */
  finish?: Finish | undefined;
}

const BEFORE = /^(?:[-–*+•·>]\s+|[-*•](?=\d)|\p{ExtPict}\ufe0f?\s*|\[[ x]\]\s+|\d{1,3}[.)]\s+|SB:\s*)+/iu;
/**
 * `4`, `4x`, `x4`, `(4)` before more than short numbers; without a blank only before an id: `4xOP01-025`.
 * Numbers of four to eight digits are rather names or ids, unless there is an `x`.
 */
const COUNT =
  /^(?:(?<n>\d{1,3}|\d{9,})(?:\s?[x×:])?\s+(?:[-–]\s+)?|(?<n>\d+)\s?[x×]\s+|(?<n>\d{1,3})[x×](?=[A-Z]{1,4}-?\d)|[x×](?<n>\d{1,3})\s+|\((?<n>\d{1,3})[x×]?\)\s*|\[(?<n>\d{1,3})[x×]?\]\s+)(?=.*(?:[^\d\s]|\d{5}))/iu;
const COUNT_AFTER = /\s+(?:[x×]\s?(?<n>\d{1,3})|\([x×]\s?(?<n>\d{1,3})\))$/i;
const FINISH = '(?:foil )?etched|(?:non-?|reverse )?(?:foil|holo)';
/**
 * What tools and members put behind a card: foil, prices, conditions, categories and tags. A category is none of the
 * deck with `{noDeck}`.
 */
const MARKS = [
  String.raw`\*(?:E|F(?:[-:][a-z]+)?|CMDR|CMPN)\*|\^[^^]*\^|\((?-i:[FE])\)|[([](?:${FINISH})[)\]]`,
  String.raw`(?<=[\d*)\]]\s+)(?:PH|RH|[★☆]+)|(?<![,&]\s+)(?:${FINISH})`,
  String.raw`(?:[-–@]\s+)?(?:[$€£]\s?\d[\d.,]*|\d[\d.,]*\s?[$€£])(?:\s?\/?\s?(?:each|ea))?`,
  String.raw`(?:[-–]\s+)?[([]?(?:(?-i:NM|LP|MP|HP|DMG)|near mint|(?:lightly|moderately|heavily) played)[)\]]?`,
  String.raw`#\s?!?\p{L}[^,;]*|[●•○■]+|[-–]`,
  String.raw`(?<=(?:\*|\(\w{2,8}\)\s+\S*\d\S*)\s+)\[(?:[^\]{]|\{top\})*\]`,
  String.raw`(?<=\(\w{2,8}\)\s+)\[(?!(?-i:[A-Z\d]+)\])(?:[^\]{\d]|\{top\})*\]`,
];
/**
 * One at a time, because a tag may have others in it: all at once, a line of twenty tags could be read in a million
 * ways.
 */
const LAST_MARK = new RegExp(String.raw`,?\s+(?:${MARKS.join('|')})$`, 'iu');
const FINISHED = new RegExp(
  String.raw`\s(?:\*(?<mark>E|F(?:[-:][a-z]+)?)\*|[([](?<mark>[FE]|${FINISH})[)\]]|#\s?!(?<mark>foil|etched)|(?<mark>[PR]H|${FINISH}))(?=\s|$)`,
  'i',
);
/** Unless it is the name: before a set in capital letters. */
const FOIL_BEFORE = /^[Ff]oil\s+(?=\p{Lu}?\p{Ll})/u;

/** Forge has a plus sign behind the name. */
const FORGE_FOIL = /\+\|/;

const NUMBER = String.raw`[^\s()[\]]*\d[^\s()[\]]*`;
const IN_BRACKETS = String.raw`(?:\((?<set>(?:[^()]|\([^()]*\))+)\)|\[(?<set>[^[\]]+)\])`;
const OF_SET = String.raw`[A-Z]{0,5}\d+[a-z]?`;
const OF_TOTAL = String.raw`[#(]?(?<number>${OF_SET}/${OF_SET}|(?<=#)\d+)\)?`;
const CODE = String.raw`\d{0,2}[A-Z][A-Z\d]{0,5}(?<=..)(?:-[A-Z]{2,3})?|[A-Z]\d{1,2}[a-z]|[A-Z]-[A-Z]`;
/** Where a name, a set and a number may stand. Flesh and Blood has a card in up to three colours. */
const PRINTINGS = [
  String.raw`^(?=\S*[A-Za-z])(?<set>[A-Za-z\d]{1,6}(?:/[A-Z\d]+)?-[A-Z]{0,4}\d+\w*)[ \t]+(?<name>.+)$`,
  String.raw`^\[(?<set>[^\]:#]+)(?:[:#](?<number>${NUMBER}))?\]\s+(?<name>.+)$`,
  String.raw`^(?<name>.+?)(?:\s+<(?<number>${NUMBER})>)\s+[([](?<set>[^)\]]+)[)\]]$`,
  String.raw`^(?<name>.+?)\+?\|(?<set>[A-Za-z\d]{2,6})(?:\|(?:\[(?<number>${NUMBER})\]|\d+))?$`,
  String.raw`^(?<name>.+?)\s+[([](?<set>[^()[\]:#]+)[:#\s](?<number>${NUMBER})[)\]]$`,
  String.raw`^(?<name>.+?[^)\]])(?:\s+-)?\s+${OF_TOTAL}(?:\s+${IN_BRACKETS}|(?:\s+-)?\s+(?<set>\S.*))?$`,
  String.raw`^(?<name>.+?)\s+-\s+(?<set>.+?)\s+-\s+${OF_TOTAL}$`,
  String.raw`^(?<name>.+?)\s+${IN_BRACKETS}(?:\s+#?(?<number>${NUMBER}))?$`,
  String.raw`^(?<name>.+?)\s+(?<set>${CODE})[\s-](?<number>${OF_SET})$`,
  String.raw`^(?<name>.+?)\s+(?<number>[A-Z]{2,5}\d{2,3})$`,
  String.raw`^(?<name>.+?)\s+(?<set>[A-Z\d]{3,4})$`,
  String.raw`^(?<name>.+?)\s+\((?:red|yellow|blue)\)$`,
].map((form) => new RegExp(form));

/** What stands for a basic energy in exports of Pokémon TCG Live. */
const ENERGIES: Readonly<Record<string, string>> = {
  ...{ G: 'Grass', R: 'Fire', W: 'Water', L: 'Lightning', P: 'Psychic', F: 'Fighting', D: 'Darkness', M: 'Metal' },
};
const ENERGY = /\{([GRWLPFDM])\}(?= Energy\b)/g;
/** Some call them basic, others do not. */
const BASIC_ENERGY = new RegExp(`^(Basic )?((?:${Object.values(ENERGIES).join('|')}) Energy)$`);

/** What sections of a deck are called, also where a game speaks another of our languages. */
const SECTIONS =
  /^(?:(?:main|side|extra)[ -]?(?:deck|board)?|deck(?: ?list)?|maybeboard|considering|about|commanders?|companions?|oathbreaker|signature spells?|tokens?|attractions|stickers|creatures?|lands?|planeswalkers?|instants?|sorcer(?:y|ies)|artifacts?|enchantments?|battles?|spells?|others?|pok[eé]mon|trainers?|dresseurs?|(?:basic |special )?[eé]nerg(?:y|ies?)|supporters?|items?|stadiums?|tools?|leaders?|characters?|events?|stages?|monsters?|traps?|hero(?:es)?|weapons?|equipments?|total(?: cards)?|kommandeur|gefährte|réserve|commandant|compagnon|mazo|banquillo|comandante|compañero|companheiro|reserva|mazzo|デッキ|メインデッキ|サイドボード|統率者|相棒)$/iu;
const COMMENT = /^(?:\/\/|#(?!\d)|!|={2,}|\*{2,})/;
/** What stands around that. */
const AROUND_SECTION = /^\[|\]$|\s*(?:\(\d+\)|-\s*\d+|:(?:\s+\d+)?)$/g;

/** @returns `undefined` for the heading of a section, or a comment */
export function readLine(typed: string): ListLine | undefined {
  if (COMMENT.test(typed) || SECTIONS.test(typed.replace(AROUND_SECTION, ''))) return undefined;
  const line = typed.replace(BEFORE, '').replace(ENERGY, (_, sign: string) => ENERGIES[sign] ?? sign);
  const before = COUNT.exec(line);
  const counted = line.replace(COUNT, '');
  const unmarked = withoutMarks(counted);
  const after = before ? null : COUNT_AFTER.exec(unmarked);
  const named = after ? withoutMarks(unmarked.replace(COUNT_AFTER, '')) : unmarked;
  const n = (before ?? after)?.groups?.n;
  const text = named.replace(FOIL_BEFORE, '');
  const mark = FINISHED.exec(counted.slice(named.length))?.groups?.mark ?? '';
  const word = mark.replace(/^(?:F|[PR]H)\b/i, 'foil').replace(/^E$/i, 'etched');
  const finish = text !== named || FORGE_FOIL.test(text) ? 'foil' : finishOf(word);
  const printings = PRINTINGS.flatMap((each) => (each.exec(text)?.groups as Reading | undefined) ?? []);
  const [first, ...others] = (printings.length > 0 ? printings : [{ name: text }]).flatMap((each) =>
    readings(each, text),
  );
  return { text, count: Number(n ?? 1), isCounted: n !== undefined, finish, name: text, ...first, others };
}

function readings(reading: Reading, text: string): Reading[] {
  const { name, set = '' } = reading;
  const isInBrackets = text.includes(`(${set})`) || text.includes(`[${set}]`);
  const [, basic, energy] = BASIC_ENERGY.exec(name) ?? [];
  const names = energy ? [name, basic ? energy : `Basic ${energy}`] : [name];
  return names.map((each) => ({ ...reading, name: each, isInBrackets }));
}

function withoutMarks(marked: string): string {
  const text = marked.replace(LAST_MARK, '');
  return text === marked ? text : withoutMarks(text);
}
