import type { Card } from '../model/card.ts';
import type { EventsByName } from '../model/events.ts';
import type { CardPage, ListedCard, Unclear } from '../model/invocation.ts';
import type { Requester } from '../model/quota.ts';
import type { CatalogCard, FoundCard } from './catalog-card.ts';
import type { PastedLine } from './pasted-list.ts';

/**
 * Every card that this bot has seen or was given, for search. No method costs a request to the card service, and none
 * rejects: what fails or is late finds nothing.
 */
export interface Catalog {
  /**
   * Best first, at most 25. An empty text gives the member's last ten cards, then what their server asks for most.
   * While one search of a member waits, a newer one replaces it.
   *
   * @returns nothing when it fails, is replaced, or is not done by `deadlineMs`
   */
  search(text: string, who: Requester, deadlineMs: number): Promise<readonly FoundCard[]>;
  /** The same for the last part of a list, which is being typed. */
  searchInList(list: string, who: Requester, deadlineMs: number): Promise<readonly FoundInList[]>;
  /** What a text that may not be an id means. */
  resolve(text: string, who: Requester): Promise<Resolution>;
  /** What a list of ids and names means. */
  resolveList(list: string, who: Requester): Promise<ListMeaning>;
  /** What each of these lines means. Comes after what others type, so it may take a while. */
  resolveLines(lines: readonly PastedLine[], who: Requester): Promise<readonly LineMeaning[]>;
  /** Cards of the same name as the one with this id; `undefined` when that cannot be known within a second. */
  printings(id: string, part: PrintingsPart, who: Requester): Promise<CardPage | undefined>;
  /** The cards that a text of any length names; `undefined` when that cannot be known. */
  mentions(text: string, who: Requester): Promise<Mentions | undefined>;
  /** The service answered with this card. */
  learn(card: Card): void;
  /**
   * The service denied this id.
   *
   * @param isKept a copy of the card is still kept: it is offered last; otherwise no longer
   */
  deny(id: string, isKept: boolean): void;
  /**
   * A reply shows these cards to the member who asked for them: for their last ten, and for what is asked for most; in
   * private for their last ten alone, since others are not offered what they did not see. Needs no `this`.
   */
  readonly shown: (cards: EventsByName['shown']) => void;
  /** Writes what is not written yet, unless that takes long. */
  close(): Promise<void>;
}

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

/** What learns from the service's answers. */
export type CatalogLearner = Pick<Catalog, 'learn' | 'deny'>;

/** How many cards a search finds. */
export const MOST_FOUND = 25;

/** How many cards a list may have: Discord's limit of embeds in one message. */
export const MOST_LISTED = 10;
