import type { CardRecord } from '../model/card.ts';
import { type BudgetSpent, Busy, type CardServiceError } from '../model/errors.ts';
import type { Budget, Charged } from '../quota/budget.ts';
import type { Limiter } from '../quota/limiter.ts';
import type { Lookup, Waiter } from './pending-lookup.ts';
import type { PendingLookups } from './pending-lookups.ts';
import { blockedError } from './refusals.ts';

/** When a question would get its turn, or why nobody should wait for that. */
export type AdmissionDecision = { permitAtMs: number } | { refusal: CardServiceError };

/** What a forecast depends on, of a question. */
export type LookupRequest = Pick<Lookup, 'cardId' | 'lane' | 'requester'>;

export interface AdmissionInputs {
  pendingLookups: PendingLookups;
  limiter: Limiter;
  budget: Budget;
  /** A question whose turn is further away is refused at once. */
  longestWaitMs: number;
}

/**
 * What would become of a question that came now; it has its turn now if it can join a request under way. A promise given
 * to others counts: who waits for something already is refused, too, when a turn behind everything would be too far away.
 *
 * @param spent what is booked on the asker at this moment
 */
export function decideAdmission(lookup: LookupRequest, spent: Charged, options: AdmissionInputs): AdmissionDecision {
  const { pendingLookups, limiter, longestWaitMs } = options;
  const present = pendingLookups.get(lookup.cardId);
  if (present?.asking) return { permitAtMs: Date.now() };

  const { blocked: closed, reservedUntilMs, paused, permitAtMs } = limiter.schedule();
  const nowMs = Date.now(); // not before the outlook's: what is to be had now is no wait
  const refusal = closed ? blockedError(closed) : overBudget(lookup, spent, options);
  if (refusal) return { refusal };
  if (lookup.lane === 'renewals') {
    const reserved = reservedUntilMs !== undefined && !present;
    return reserved
      ? { refusal: blockedError({ reason: 'reserve', untilMs: reservedUntilMs }) }
      : { permitAtMs: nowMs };
  }
  const restsUntilMs = pendingLookups.restsUntilMs(lookup.cardId);
  if (restsUntilMs - nowMs > longestWaitMs)
    return { refusal: blockedError({ reason: 'outage', untilMs: restsUntilMs }) };
  const { position, lastPosition } = pendingLookups.positionOf(lookup);
  const atMs = permitAtMs(position);
  const lastMs = permitAtMs(lastPosition);
  if (lastMs - nowMs <= longestWaitMs) return { permitAtMs: atMs };
  return { refusal: new Busy(Math.max(atMs, lastMs - longestWaitMs), paused) };
}

/** Why the asker cannot pay for the question: what waits is as good as spent; who joins what is in line pays nothing. */
function overBudget(
  lookup: LookupRequest,
  spent: Charged,
  { pendingLookups, budget }: Pick<AdmissionInputs, 'pendingLookups' | 'budget'>,
): BudgetSpent | undefined {
  return pays(lookup, pendingLookups) ? budget.refusal(spent, pendingLookups.queuedBy(lookup.requester)) : undefined;
}

/** Who joins a question that is in line already causes no request; but who lifts a refresh pays for it. */
function pays({ cardId, lane }: LookupRequest, pendingLookups: PendingLookups): boolean {
  const present = pendingLookups.get(cardId);
  return !present || (!present.asking && present.lane === 'renewals' && lane === 'members');
}

/**
 * A place in the waiting line, held from the moment it was granted: it counts for fairness, waits and budgets like any
 * other, but nothing is asked for it alone before it is taken. It ends by itself when the card is answered or refused.
 */
export class Reservation {
  readonly #pendingLookups: PendingLookups;
  readonly #waiting: Waiter;
  readonly #answer: Promise<CardRecord>;
  readonly #wake: () => void;

  /** @param wake told when the place is taken, since a turn may be due, or given back, since other processes count it */
  constructor(pendingLookups: PendingLookups, lookup: Lookup, promisedAtMs: number, wake: () => void) {
    const { promise, resolve, reject } = Promise.withResolvers<CardRecord>();
    promise.catch(() => {}); // refused, maybe, before anybody takes the place
    this.#pendingLookups = pendingLookups;
    this.#waiting = pendingLookups.add({ lookup: { ...lookup }, resolve, reject }, promisedAtMs);
    this.#answer = promise;
    this.#wake = wake;
  }

  /**
   * Waits for the turn; costs one request, or none when somebody asks for the same card already.
   *
   * @throws QuotaSpent, Busy, KeptInReserve, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  start(told: Pick<Lookup, 'onSchedule' | 'onRequest'> = {}): Promise<CardRecord> {
    Object.assign(this.#waiting.lookup, told);
    this.#pendingLookups.take(this.#waiting);
    this.#wake();
    return this.#answer;
  }

  /** Nobody waits after all. Without effect once the place is taken. */
  cancel(): void {
    if (!this.#waiting.held) return;
    this.#pendingLookups.giveBack(this.#waiting);
    this.#wake();
  }
}
