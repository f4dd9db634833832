import type { CardPage, ListedCard, Unclear } from '../model/invocation.ts';
import type { CatalogCard, FoundCard } from './text.ts';

/** Which cards of a name are wanted. */
export interface PrintingsPart {
  /** From 0; the last one when there are fewer. */
  page: number;
  /** Without the card whose id was given. */
  isOthers: boolean;
}

/** What a member who typed something as an id may have meant. */
export type Resolution =
  /**
   * An id of the catalog as it stands, or a text of a form that ids have: to be looked up. `isKnown`: the catalog has
   * it.
   */
  | { kind: 'id'; isKnown?: true }
  /** An id in another spelling, or the name of one card. */
  | { kind: 'one'; card: CatalogCard }
  /** Cards that have all words as they were typed: the first page. */
  | ({ kind: 'several' } & CardPage)
  /** The text has no form that ids have; at most three similar cards. */
  | { kind: 'none'; similar: readonly CatalogCard[] }
  /** Names cannot be searched right now, and the text is more likely a name than an id. */
  | { kind: 'unsearched' };

/** The cards of a list that was typed, each once, in its order; more than `MOST_LISTED` in all may not be complete. */
export interface ListMeaning {
  ids: readonly string[];
  /** What is no id, and the name of no card or of several; a menu holds all cards that they may mean. */
  unclear: readonly Unclear[];
  /** What is more likely a name than an id, while names cannot be searched. */
  unsearched: readonly string[];
}

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

/** A card for the part of a list that is being typed. */
export interface FoundInList {
  /** The list up to the card, with the ids of the cards that it names. */
  before: string;
  card: FoundCard;
  /** Name, set and number are those of another card, too. */
  looksLikeOthers: boolean;
}

/** The cards that a text names: at most ten of each. */
export interface Mentions {
  /** Known ids, what has the form of a confirmed id, and those of known names. */
  ids: readonly string[];
  /** Names of several cards. */
  ambiguous: readonly Unclear[];
}

/** All pieces of a work at once. */
export function atOnce<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** How many cards a search finds. */
export const MOST_FOUND = 25;

/** How many cards a list may have: Discord's limit of embeds in one message. */
export const MOST_LISTED = 10;
