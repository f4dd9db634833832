import type { Logger } from '../log.ts';
import { UnexpectedAnswer } from '../model/errors.ts';
import { type ListAnswer, listAnswer } from './listing-answer.ts';
import {
  afterRequest,
  type ListingLearned,
  type ListingOutcome,
  mostInOne,
  NO_LISTING_LEARNED,
} from './listing-learning.ts';
import { listRequest, mayGoTogether, mayShare } from './listing-request.ts';
import { type RequestOptions, request } from './request.ts';

/** What one request may carry. */
export interface BatchLimits {
  /** Cards. */
  most: number;
  /** Whether a request can name this id with others. Of each lookup that is ready, so it costs next to nothing. */
  mayShare(id: string): boolean;
  /** Whether one request can name all of these ids. */
  mayGoTogether(ids: readonly string[]): boolean;
}

export interface ListingOptions {
  baseUrl: string;
  /** The path of `ListingAddress`; while it is `undefined`, every card is requested by itself. */
  bulkPath?: string | undefined;
  bulkMax?: number | undefined;
  log: Logger;
}

/** A request for one card or several that is under way. */
export interface ListRequest {
  ids: readonly string[];
  /** What is known to remain of the day counts it by now. */
  isCounted(): void;
  ended(outcome: ListingOutcome): void;
}

/**
 * The service's listing of several cards: what a request may carry, as the operator and the service's answers have it. Kept
 * in memory: learned anew after a start.
 */
export class Listing {
  readonly #options: ListingOptions;
  #learned = NO_LISTING_LEARNED;
  #cardsUnderWay = 0;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  /** @param cardsLeft how many cards may be under way together, if that is known */
  limits(nowMs: number, cardsLeft = Number.POSITIVE_INFINITY): BatchLimits {
    const { baseUrl, bulkPath, bulkMax } = this.#options;
    const most = Math.min(mostInOne(this.#learned, bulkMax ?? 1, nowMs), cardsLeft - this.#cardsUnderWay);
    return {
      most: bulkPath === undefined ? 1 : Math.max(1, most),
      mayShare,
      mayGoTogether: (ids) => bulkPath !== undefined && mayGoTogether({ baseUrl, bulkPath }, ids),
    };
  }

  /** A request leaves. */
  sent(ids: readonly string[]): ListRequest {
    const leftAfter = this.#learned;
    let uncounted = ids.length;
    this.#cardsUnderWay += uncounted;
    const isCounted = () => {
      this.#cardsUnderWay -= uncounted;
      uncounted = 0;
    };
    const ended = (outcome: ListingOutcome) => {
      isCounted();
      const learned = afterRequest(this.#learned, { outcome, ids, leftAfter, nowMs: Date.now() });
      this.#tell(this.#learned, learned, outcome);
      this.#learned = learned;
    };
    return { ids, isCounted, ended };
  }

  /** Costs one request. @throws RateLimited on 429, ServiceDown on 408, 5xx (but for 501) or silence */
  async request({ ids }: Pick<ListRequest, 'ids'>, options: RequestOptions, signal?: AbortSignal): Promise<ListAnswer> {
    const { baseUrl, bulkPath } = this.#options;
    if (bulkPath === undefined) return { kind: 'unusable', detail: 'no path' };
    const { url, json } = listRequest({ baseUrl, bulkPath }, ids);
    try {
      return listAnswer(await request(url, options, { signal, json }), ids);
    } catch (error) {
      if (error instanceof UnexpectedAnswer) return { kind: 'tooMany', detail: error.detail };
      throw error;
    }
  }

  #tell(before: ListingLearned, after: ListingLearned, outcome: ListingOutcome): void {
    const { log } = this.#options;
    const { singly } = after;
    if (singly !== before.singly) {
      const minutes = Math.round((singly.untilMs - Date.now()) / 60_000);
      if (minutes === 0) log.info({ detail: singly.detail }, ODD_ANSWER);
      else log.warn({ detail: singly.detail, minutes }, GIVEN_UP);
    }
    if (after.most !== before.most)
      log.info({ ...('detail' in outcome && { detail: outcome.detail }), most: after.most }, FEWER_AT_ONCE);
    if (after.afterRefusal !== before.afterRefusal)
      log.info({ minutes: after.afterRefusal.waitMs / 60_000 }, RATE_LIMITED);
  }
}

const GIVEN_UP =
  'bulk requests at CARD_SERVICE_BULK_PATH do not work: for so many minutes, cards are requested one by one';
const ODD_ANSWER = 'an odd answer to a bulk request at CARD_SERVICE_BULK_PATH: it is tried again';
const FEWER_AT_ONCE = 'the card service takes fewer cards at once than CARD_SERVICE_BULK_MAX: the bot keeps to that';
const RATE_LIMITED = 'a bulk request got a 429: for so many minutes, cards are requested one by one';
