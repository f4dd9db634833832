import type { Logger } from '../log.ts';
import { CardServiceError, KeyRefused, RateLimited, ServiceDown } from '../model/errors.ts';
import type { Limiter, Schedule } from '../quota/limiter.ts';
import { type BulkAddress, mayGoTogether, mayShare } from '../service/bulk-request.ts';
import type { BatchLimits } from './batching.ts';
import { afterBulk, type BulkLearned, type BulkOutcome, mostInOne, NO_BULK_LEARNED } from './bulk-learning.ts';
import { cardsIn, type Fetched } from './cards.ts';

export interface BulkRequestsOptions {
  /** `undefined`: every card is requested by itself. `most`: cards in one request. */
  bulk: (BulkAddress & { most: number }) | undefined;
  limiter: Pick<Limiter, 'quota'>;
  /** How many share the quota: each keeps to its part of what remains of the day. */
  processes: () => number;
  log: Logger;
}

/** What one request may carry, as the operator and the service's answers have it. Kept in memory: learned anew after a start. */
export class BulkRequests {
  readonly #options: BulkRequestsOptions;
  #learned: BulkLearned = NO_BULK_LEARNED;
  #cardsUnderWay = 0;

  constructor(options: BulkRequestsOptions) {
    this.#options = options;
  }

  /** As of now. */
  limits(): BatchLimits {
    const { bulk } = this.#options;
    return {
      most: Math.max(1, Math.min(this.#most(), this.#cardsLeft())),
      mayShare,
      mayGoTogether: (ids) => bulk !== undefined && mayGoTogether(bulk, ids),
    };
  }

  /** When cards are requested, of a schedule that says when permits come. */
  byCard(schedule: Schedule): Schedule {
    const most = this.#most();
    if (most === 1) return schedule;
    return { ...schedule, permitAtMs: (position) => schedule.permitAtMs(Math.ceil(position / most)) };
  }

  /** A request leaves. @returns to be called with its end */
  sent(ids: readonly string[]): (outcome: BulkOutcome) => void {
    const leftAfter = this.#learned;
    this.#cardsUnderWay += ids.length;
    return (outcome) => {
      this.#cardsUnderWay -= ids.length;
      const learned = afterBulk(this.#learned, { outcome, ids, leftAfter, nowMs: Date.now() });
      this.#tell(this.#learned, learned, outcome);
      this.#learned = learned;
    };
  }

  #most(): number {
    return mostInOne(this.#learned, this.#options.bulk?.most ?? 1, Date.now());
  }

  /** A list may count as one request or as one for each of its cards, which the service does not show. */
  #cardsLeft(): number {
    const { limiter, processes } = this.#options;
    const remaining = limiter.quota()?.remaining ?? Number.POSITIVE_INFINITY;
    return Math.floor(remaining / processes()) - this.#cardsUnderWay;
  }

  #tell(before: BulkLearned, after: BulkLearned, outcome: BulkOutcome): void {
    const { log } = this.#options;
    const { singly } = after;
    if (singly !== before.singly) {
      const minutes = Math.round((singly.untilMs - Date.now()) / 60_000);
      if (minutes === 0) log.info({ detail: singly.detail }, ODD_ANSWER);
      else log.warn({ detail: singly.detail, minutes }, GIVEN_UP);
    }
    if (after.most !== before.most)
      log.info(
        { ...('detail' in outcome && { detail: outcome.detail }), most: after.most },
        'the card service takes fewer cards at once than CARD_SERVICE_BULK_MAX: the bot keeps to that',
      );
    if (after.afterRefusal !== before.afterRefusal)
      log.info({ minutes: after.afterRefusal.waitMs / 60_000 }, RATE_LIMITED);
  }
}

/** What a request for one card or several says of how several are to be requested. */
export function bulkOutcome(fetched: Fetched): BulkOutcome {
  const { answers, refusal } = fetched;
  const error = [...answers.values()].find((answer) => answer instanceof CardServiceError);
  return error ? failedOutcome(error) : (refusal ?? { kind: 'answered', found: cardsIn(fetched) });
}

/** The same when it brought only an error. */
export function failedOutcome(error: unknown): BulkOutcome {
  if (error instanceof ServiceDown) return { kind: 'failed', detail: error.message };
  if (error instanceof RateLimited) return { kind: 'rateLimited' };
  return error instanceof KeyRefused ? { kind: 'keyRefused', detail: error.message } : { kind: 'other' };
}

const GIVEN_UP =
  'bulk requests at CARD_SERVICE_BULK_PATH do not work: for so many minutes, cards are requested one by one';
const ODD_ANSWER = 'an odd answer to a bulk request at CARD_SERVICE_BULK_PATH: it is tried again';
const RATE_LIMITED = 'a bulk request got a 429: for so many minutes, cards are requested one by one';
