import type { Logger } from '../log.ts';
import { CardServiceError, KeyRefused, RateLimited, ServiceDown } from '../model/errors.ts';
import type { Limiter, Schedule } from '../quota/limiter.ts';
import { type BulkAddress, mayGoTogether, mayShare } from '../service/bulk-request.ts';
import type { BatchLimits } from './batching.ts';
import { type Counted, costNow, loweredBy } from './bulk-cost.ts';
import { afterBulk, type BulkLearned, type BulkOutcome, mostInOne, NO_BULK_LEARNED } from './bulk-learning.ts';
import { cardsIn, type Fetched } from './cards.ts';

export interface BulkRequestsOptions {
  /** `undefined`: every card is requested by itself. `most`: cards in one request. */
  bulk: (BulkAddress & { most: number }) | undefined;
  limiter: Pick<Limiter, 'quota' | 'schedule' | 'permitsElsewhere'>;
  log: Logger;
}

/** What one request may carry, as the operator and the service's answers have it. Kept in memory: learned anew after a start. */
export class BulkRequests {
  readonly #options: BulkRequestsOptions;
  #learned: BulkLearned = NO_BULK_LEARNED;
  #underWay = 0;
  #sent = 0;

  constructor(options: BulkRequestsOptions) {
    this.#options = options;
  }

  /** Whether each card in a request needs a permit, and is booked on its own requester. */
  get needsPermitEach(): boolean {
    return costNow(this.#learned, Date.now()) === 'each';
  }

  /** As of now. */
  limits(): BatchLimits {
    const { bulk } = this.#options;
    const most = this.#most();
    return {
      most: this.needsPermitEach ? this.#freePermits(most) : most,
      mayShare,
      mayGoTogether: (ids) => bulk !== undefined && mayGoTogether(bulk, ids),
      mixesLanes: !this.needsPermitEach,
    };
  }

  /** When cards are requested, of a schedule that says when permits come. */
  byCard(schedule: Schedule): Schedule {
    const most = this.needsPermitEach ? 1 : this.#most();
    if (most === 1) return schedule;
    return { ...schedule, permitAtMs: (position) => schedule.permitAtMs(Math.ceil(position / most)) };
  }

  /** A request leaves. @returns to be called with its end, when what remains of the day is known */
  sent(ids: readonly string[]): (outcome: BulkOutcome) => void {
    const number = ++this.#sent;
    const leftAfter = this.#learned;
    const before = this.#underWay++ === 0 ? this.#counted() : undefined;
    return (outcome) => {
      this.#underWay--;
      const lowered = number === this.#sent ? loweredBy(before, this.#counted()) : undefined;
      const learned = afterBulk(this.#learned, { outcome, ids, leftAfter, lowered, nowMs: Date.now() });
      this.#tell(this.#learned, learned, outcome);
      this.#learned = learned;
    };
  }

  #most(): number {
    return mostInOne(this.#learned, this.#options.bulk?.most ?? 1, Date.now());
  }

  /** `undefined` while another process has requests under way. */
  #counted(): Counted | undefined {
    const { limiter } = this.#options;
    const remaining = limiter.quota()?.remaining;
    const permitsElsewhere = limiter.permitsElsewhere();
    return remaining === undefined || permitsElsewhere === undefined ? undefined : { remaining, permitsElsewhere };
  }

  #freePermits(most: number): number {
    const { permitAtMs } = this.#options.limiter.schedule();
    const nowMs = Date.now();
    let free = 1;
    while (free < most && permitAtMs(free + 1) <= nowMs) free++;
    return free;
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
    if (after.cost !== before.cost) log.info({ cost: after.cost }, COST_TEXT[after.cost]);
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
const COST_TEXT = {
  one: 'the card service counts a bulk request as one',
  each: 'the card service counts each card of a bulk request: each takes a permit',
};
