import type { Logger } from '../log.ts';
import { UnexpectedAnswer } from '../model/errors.ts';
import type { CardReader } from './described-card.ts';
import {
  type ListAnswer,
  type ListingAddress,
  listAnswer,
  listRequest,
  type RoomForIds,
  roomForIds,
} from './listing-format.ts';
import {
  type ListingLearned,
  type ListingOutcome,
  learnFromBatch,
  mostInOne,
  NO_LISTING_LEARNED,
} from './listing-learning.ts';
import { type RequestOptions, request } from './request.ts';

/** What one request may carry. */
export interface BatchLimits extends RoomForIds {
  /** Cards. */
  most: number;
  /** The next request is to show what is wrong: nothing else leaves before it has ended. */
  isProbing?: boolean;
  /** Between two lists of all processes; absent: they leave as single cards do. */
  everyMs?: number | undefined;
}

export interface ListingOptions {
  baseUrl: string;
  list: ListingAddress['list'];
  reader: CardReader;
  log: Logger;
}

/** So that of lists that take differently long on their way no more arrive within a second. */
const SLOWER_BY = 1.1;

/** Where there is no listing. */
export const ONE_BY_ONE: BatchLimits = { most: 1, room: 0, lengthOf: () => Number.POSITIVE_INFINITY };

/**
 * The service's listing of several cards: what a request may carry, as the operator and the service's answers have it. Kept
 * in memory: learned anew after a start.
 */
export class Listing {
  readonly #log: Logger;
  readonly #reader: CardReader;
  readonly #address: ListingAddress;
  readonly #room: RoomForIds;
  readonly #configured: number;
  readonly #everyMs: number | undefined;
  #learned = NO_LISTING_LEARNED;
  #cardsUnderWay = 0;

  constructor({ baseUrl, list, reader, log }: ListingOptions) {
    this.#log = log;
    this.#reader = reader;
    this.#address = { baseUrl, list, isDefault: reader.description.isDefault };
    this.#room = roomForIds(this.#address);
    this.#configured = list.max;
    this.#everyMs = list.perSecond && Math.ceil(SLOWER_BY * (1_000 / list.perSecond));
  }

  /** @param cardsLeft how many cards may be under way together, if that is known */
  limits(nowMs: number, cardsLeft = Number.POSITIVE_INFINITY): BatchLimits {
    const most = Math.min(mostInOne(this.#learned, this.#configured, nowMs), cardsLeft - this.#cardsUnderWay);
    const isProbing = this.#learned.doubt !== undefined;
    return { ...this.#room, most: Math.max(1, most), isProbing, everyMs: this.#everyMs };
  }

  /** A request leaves, for one card or several. @returns to be called when it has ended */
  sent(ids: readonly string[]): (outcome: ListingOutcome) => void {
    const leftAfter = this.#learned;
    this.#cardsUnderWay += ids.length;
    return (outcome) => {
      this.#cardsUnderWay -= ids.length;
      const learned = learnFromBatch(this.#learned, { outcome, ids, leftAfter, nowMs: Date.now() });
      this.#tell(this.#learned, learned, outcome);
      this.#learned = learned;
    };
  }

  /** Costs one request. @throws RateLimited on 429, ServiceDown on 408, 5xx (but for 501) or silence */
  async request(ids: readonly string[], options: RequestOptions, signal?: AbortSignal): Promise<ListAnswer> {
    const { url, json } = listRequest(this.#address, ids);
    try {
      return listAnswer(await request(url, options, { signal, json }), ids, this.#reader);
    } catch (error) {
      if (error instanceof UnexpectedAnswer) return { kind: 'tooMany', detail: error.detail };
      throw error;
    }
  }

  #tell(before: ListingLearned, after: ListingLearned, outcome: ListingOutcome): void {
    const { singly, most, afterRefusal } = after;
    const { detail } = singly;
    const minutes = Math.round((singly.untilMs - Date.now()) / 60_000);
    if (singly !== before.singly && minutes === 0) this.#log.info({ detail }, ODD_ANSWER);
    else if (singly !== before.singly) this.#log.warn({ detail, minutes }, GIVEN_UP);
    if (most !== before.most)
      this.#log.info({ ...('detail' in outcome && { detail: outcome.detail }), most }, FEWER_AT_ONCE);
    if (afterRefusal !== before.afterRefusal) this.#log.info({ minutes: afterRefusal.waitMs / 60_000 }, RATE_LIMITED);
  }
}

/** With how many others a card is requested again that a list of so many did not bring: refused lists are halved. */
export function againAtMost({ kind }: ListAnswer, asked: number): number {
  return kind === 'tooMany' || kind === 'blocked' ? Math.floor(asked / 2) : 1;
}

const GIVEN_UP =
  'bulk requests at CARD_SERVICE_BULK_PATH do not work: for so many minutes, cards are requested one by one';
const ODD_ANSWER = 'an odd answer to a bulk request at CARD_SERVICE_BULK_PATH: it is tried again';
const FEWER_AT_ONCE = 'the card service takes fewer cards at once than were asked for: the bot keeps to that';
const RATE_LIMITED = 'a bulk request got a 429: for so many minutes, cards are requested one by one';
