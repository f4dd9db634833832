/** A line of a list as games and tools write decks down: `4x Sol Ring (C21) 263`. */
export interface ListLine {
  /** The line without its count and its marks. */
  text: string;
  /** 1 where none is written. */
  count: number;
  /** Whether a count is written. */
  isCounted: boolean;
  /** The text without set and number, where these stand in a usual form. */
  name: string;
  /** A set's code or name, or the printed id of the card. */
  set?: string | undefined;
  /** The same set, called otherwise. */
  otherSet?: string | undefined;
  number?: string | undefined;
  /** It is marked as a foil. */
  isFoil: boolean;
}

const BEFORE = /^(?:[-–*+•·>]\s+|[-*•](?=\d)|\[[ x]\]\s+|\d{1,3}[.)]\s+|SB:\s*)+/i;
/**
 * `4`, `4x`, `x4`, `(4)` before something with a letter or as long as an id; without a blank only before an id: `4xOP01-025`.
 * Numbers of four to eight digits are rather names or ids, unless there is an `x`.
 */
const COUNT =
  /^(?:(?<n>\d{1,3}|\d{9,})(?:\s?[x×:])?\s+(?:[-–]\s+)?|(?<n>\d+)\s?[x×]\s+|(?<n>\d{1,3})[x×](?=[A-Z]{1,4}-?\d)|[x×](?<n>\d{1,3})\s+|\((?<n>\d{1,3})[x×]?\)\s*|\[(?<n>\d{1,3})[x×]?\]\s+)(?=.*(?:\p{L}|\d{5}))/iu;
const COUNT_AFTER = /\s+(?:[x×]\s?(?<n>\d{1,3})|\([x×]\s?(?<n>\d{1,3})\))$/i;
/**
 * The last of what some tools put behind the card: foil, prices, categories and tags. One at a time, because a tag may have
 * others in it: all at once, a line of twenty tags could be read in a million ways.
 */
const LAST_MARK =
  /\s+(?:\*[^\s*]{1,12}\*|\^[^^]*\^|\((?-i:[FE])\)|[([](?:(?:non-?|reverse )?(?:foil|holo)|etched)[)\]]|#\s?!?\p{L}[^,;]*|(?:[-–@]\s+)?[$€£]\s?\d[\d.,]*|[●•○■]+|(?<=[\d*)\]]\s+)(?:PH|RH|(?:reverse )?(?:foil|holo)|[★☆]+)|(?<=(?:\*|\(\w{2,8}\)\s+\S*\d\S*)\s+)\[[^\]]*\]|(?<=\(\w{2,8}\)\s+)\[(?!(?-i:[A-Z\d]+)\])[^\]\d]*\])$/iu;
const FOIL =
  /\s(?:\*(?:F|E|F-[a-z]+)\*|[([](?:[FE]|(?:reverse )?(?:foil|holo)|etched)[)\]]|#\s?!foil|RH|(?:reverse )?(?:foil|holo))(?=\s|$)/i;

/** Forge has a plus sign behind the name. */
const FORGE_FOIL = /\+\|/;

const NUMBER = String.raw`[^\s()[\]]*\d[^\s()[\]]*`;
const IN_BRACKETS = String.raw`(?:\((?<set>(?:[^()]|\([^()]*\))+)\)|\[(?<set>[^[\]]+)\])`;
const OF_SET = String.raw`[A-Z]{0,5}\d+[a-z]?`;
/** Where a name, a set and a number may stand. */
const PRINTINGS = [
  String.raw`^(?<set>[A-Za-z\d]{1,6}(?:/[A-Z\d]+)?-[A-Z]{0,4}\d+\w*)[ \t]+(?<name>.+)$`,
  String.raw`^\[(?<set>[^\]:#]+)(?:[:#](?<number>${NUMBER}))?\]\s+(?<name>.+)$`,
  String.raw`^(?<name>.+?)(?:\s+<(?<number>${NUMBER})>)\s+[([](?<set>[^)\]]+)[)\]]$`,
  String.raw`^(?<name>.+?)\+?\|(?<set>[A-Za-z\d]{2,6})(?:\|(?:\[(?<number>${NUMBER})\]|\d+))?$`,
  String.raw`^(?<name>.+?)\s+[([](?<set>[^()[\]:#]+)[:#](?<number>${NUMBER})[)\]]$`,
  String.raw`^(?<name>.+?[^)\]])(?:\s+-)?\s+[#(]?(?<number>${OF_SET}/${OF_SET})\)?(?:\s+${IN_BRACKETS})?$`,
  String.raw`^(?<name>.+?)\s+${IN_BRACKETS}(?:\s+#?(?<number>${NUMBER}))?$`,
  String.raw`^(?<name>.+?)\s+(?<set>\d{0,2}[A-Z][A-Z\d]{0,5}(?<=..)(?:-[A-Z]{2,3})?)[\s-](?<number>${OF_SET})$`,
].map((form) => new RegExp(form));

/** What stands for a basic energy in exports of Pokémon TCG Live. */
const ENERGIES: Readonly<Record<string, string>> = {
  ...{ G: 'Grass', R: 'Fire', W: 'Water', L: 'Lightning', P: 'Psychic', F: 'Fighting', D: 'Darkness', M: 'Metal' },
};
const ENERGY = /\{([GRWLPFDM])\}(?= Energy\b)/g;

/** What sections of a deck are called, also where a game speaks another of our languages. */
const SECTIONS =
  /^(?:(?:main|side|extra)[ -]?(?:deck|board)?|deck(?: ?list)?|maybeboard|considering|about|commanders?|companions?|oathbreaker|signature spells?|tokens?|attractions|stickers|creatures?|lands?|planeswalkers?|instants?|sorcer(?:y|ies)|artifacts?|enchantments?|battles?|spells?|others?|pok[eé]mon|trainers?|(?:basic |special )?energ(?:y|ies)|supporters?|items?|stadiums?|tools?|leaders?|characters?|events?|stages?|monsters?|traps?|hero(?:es)?|weapons?|equipments?|total(?: cards)?|kommandeur|gefährte|réserve|commandant|compagnon|mazo|banquillo|comandante|compañero|companheiro|reserva|mazzo|デッキ|メインデッキ|サイドボード|統率者|相棒)$/iu;
const COMMENT = /^(?:\/\/|#|!|={2,}|\*{2,})/;
const SECTION_IN_BRACKETS = /^\[[^\]]*\]$/;
const AS_HEADING = /:(?:\s+\d+)?$/;
const HEADING_COUNT = /\s*(?:\(\d+\)|-\s*\d+)$/;

/** @returns `undefined` for the heading of a section, or a comment */
export function readLine(typed: string): ListLine | undefined {
  const isHeading = [COMMENT, SECTION_IN_BRACKETS, AS_HEADING].some((form) => form.test(typed));
  if (isHeading || SECTIONS.test(typed.replace(HEADING_COUNT, ''))) return undefined;
  const line = typed.replace(BEFORE, '').replace(ENERGY, (_, sign: string) => ENERGIES[sign] ?? sign);
  const form = COUNT.test(line) ? COUNT : COUNT_AFTER;
  const { n } = form.exec(line)?.groups ?? {};
  const marked = line.replace(form, '');
  const text = withoutMarks(marked);
  const isFoil = FOIL.test(marked.slice(text.length)) || FORGE_FOIL.test(text);
  const printing = PRINTINGS.map((each) => each.exec(text)?.groups).find((groups) => groups);
  return { text, count: Number(n ?? 1), isCounted: n !== undefined, name: text, isFoil, ...printing };
}

function withoutMarks(marked: string): string {
  const text = marked.replace(LAST_MARK, '');
  return text === marked ? text : withoutMarks(text);
}
