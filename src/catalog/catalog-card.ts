import type { Card } from '../model/card.ts';

const LONGEST_TEXT = 300;
/** Most texts are such a line already, and need no change. */
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** One line of text: whatever separates its words, controls included, becomes a blank. */
export function lineOf(text: string): string {
  if (text.length <= LONGEST_TEXT && PLAIN_LINE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_TEXT)
    .replace(/\p{Cs}$/u, ''); // half of the character at which it was cut
}

/** More names and words of one card are ignored. */
const MOST_ALSO = 30;
const DATE = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2})(?!\d))?)?(?!\d)/;

/** A day, month or year as `2016-07-14`, `2016-07` or `2016`, so that dates compare as texts. */
export function releasedOf(text: string): string | undefined {
  const [, ...parts] = DATE.exec(text.trim()) ?? [];
  const given = parts.filter((part) => part !== undefined).map((part) => part.padStart(2, '0'));
  return given.join('-') || undefined;
}

/** Lines that are not empty, each once; `undefined` when there is none. */
export function alsoOf(texts: readonly string[]): string[] | undefined {
  const lines = new Set(texts.map(lineOf).filter((text) => text !== ''));
  return lines.size > 0 ? [...lines].slice(0, MOST_ALSO) : undefined;
}

/** A card as it is searched for and offered. */
export interface CatalogCard {
  id: string;
  name: string;
  set?: string | undefined;
  number?: string | undefined;
  game?: string | undefined;
  /** Words that find the card and are not shown: the code of its set, its rarity, its names in other languages. */
  also?: string[] | undefined;
  /** When it came out. */
  released?: string | undefined;
}

/** A card as it was found. */
export type FoundCard = CatalogCard & {
  /** One of its other names, which was typed. */
  knownAs?: string;
};

/** Figures of everything that is kept. */
export interface CatalogStats {
  /** Cards that are offered. */
  cards: number;
  /** How many of them the service has answered with. */
  confirmed: number;
  /** How many of them the service denied although a copy is kept. */
  denied: number;
  /** Different names. */
  names: number;
  /**
   * What each import brought that the service has not confirmed: those that are withdrawn first, then those with most.
   */
  imports: { source: string; unconfirmed: number; isWithdrawn: boolean }[];
  /** Size on disk. */
  bytes: number;
}

/** A card of the service as it is searched for. */
export function catalogCardOf({ id, name, set, number, game }: Card): CatalogCard {
  return { id, name: name || id, set: set?.name, number, game };
}
