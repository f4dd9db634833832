/** A line of a list as games and tools write decks down: `4x Sol Ring (C21) 263`. */
export interface ListLine {
  /** The line without its count and its marks. */
  text: string;
  /** 1 where none is written. */
  count: number;
  /** The text without set and number, where these stand in a usual form. */
  name: string;
  /** A set's code or name, or the printed id of the card. */
  set?: string | undefined;
  number?: string | undefined;
  /** It is marked as a foil. */
  isFoil: boolean;
}

const BEFORE = /^(?:[-*•]\s+|SB:\s*)+/i;
/** `4`, `4x`, `x4`, `(4)` before something with a letter or as long as an id; without a blank only before an id: `4xOP01-025`. */
const COUNT =
  /^(?:(?<n>\d{1,3})(?:\s?[x×])?\s+|(?<n>\d{1,3})[x×](?=[A-Z]{1,4}\d)|[x×](?<n>\d{1,3})\s+|\((?<n>\d{1,3})[x×]?\)\s*)(?=.*(?:\p{L}|\d{5}))/iu;
const COUNT_AFTER = /\s+(?:[x×]\s?(?<n>\d{1,3})|\([x×]\s?(?<n>\d{1,3})\))$/i;
/** Foil, categories and tags, which some tools put behind the card. */
const MARKS = /(?:\s+(?:\*[A-Z]+\*|\^[^^]*\^|[([](?:F|foil|etched)[)\]]|#\s?!\S+|(?<=[\d*]\s+)(?:PH|\[[^\]]*\])))+$/i;

const FOIL = /(?:^|\s)(?:\*F\*|[([](?:F|foil)[)\]])/i;

const NUMBER = String.raw`[^\s()[\]]*\d[^\s()[\]]*`;
/** Where a name, a set and a number may stand. */
const PRINTINGS = [
  String.raw`^\[(?<set>[^\]:#]+)(?:[:#](?<number>${NUMBER}))?\]\s+(?<name>.+)$`,
  String.raw`^(?<name>.+?)(?:\s+<(?<number>${NUMBER})>)\s+[([](?<set>[^)\]]+)[)\]]$`,
  String.raw`^(?<name>.+?)\s+[([](?<set>[^()[\]:#]+)[:#](?<number>${NUMBER})[)\]]$`,
  String.raw`^(?<name>.+?)\s+[([](?<set>[^()[\]]+)[)\]](?:\s+#?(?<number>${NUMBER}))?$`,
  String.raw`^(?<name>.+?)\s+(?<set>[A-Z][A-Z\d]{1,5}(?:-[A-Z]{2,3})?)[\s-](?<number>[A-Z]{0,5}\d+[a-z]?)$`,
  String.raw`^(?<set>[A-Z\d]{2,6}-[A-Z]{0,3}\d+[a-z]?)\s+(?<name>.+)$`,
].map((form) => new RegExp(form));

/** What sections of a deck are called, also where a game speaks another of our languages. */
const SECTIONS =
  /^(?:(?:main|side|extra)[ -]?(?:deck|board)?|deck(?: ?list)?|maybeboard|considering|about|commanders?|companions?|oathbreaker|signature spells?|tokens?|attractions|stickers|creatures?|lands?|planeswalkers?|instants?|sorcer(?:y|ies)|artifacts?|enchantments?|battles?|spells?|others?|pok[eé]mon|trainers?|(?:basic |special )?energ(?:y|ies)|supporters?|items?|stadiums?|tools?|leaders?|characters?|events?|stages?|monsters?|traps?|hero(?:es)?|weapons?|equipments?|total(?: cards)?|kommandeur|gefährte|réserve|commandant|compagnon|mazo|banquillo|comandante|compañero|companheiro|reserva|mazzo|デッキ|メインデッキ|サイドボード|統率者|相棒)$/iu;
const COMMENT = /^(?:\/\/|#|!|={2,}|\*{2,})/;
const IN_BRACKETS = /^\[[^\]]*\]$/;
const AS_HEADING = /:(?:\s+\d+)?$/;
const HEADING_COUNT = /\s*(?:\(\d+\)|-\s*\d+)$/;

/** @returns `undefined` for the heading of a section, or a comment */
export function readLine(typed: string): ListLine | undefined {
  const isHeading = [COMMENT, IN_BRACKETS, AS_HEADING].some((form) => form.test(typed));
  if (isHeading || SECTIONS.test(typed.replace(HEADING_COUNT, ''))) return undefined;
  const line = typed.replace(BEFORE, '');
  const form = COUNT.test(line) ? COUNT : COUNT_AFTER;
  const count = Number(form.exec(line)?.groups?.n ?? 1);
  const marked = line.replace(form, '');
  const text = marked.replace(MARKS, '');
  const isFoil = FOIL.test(marked.slice(text.length));
  const printing = PRINTINGS.map((each) => each.exec(text)?.groups).find((groups) => groups);
  return { text, count, name: text, isFoil, ...printing };
}
