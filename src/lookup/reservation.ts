import type { CardRecord } from '../model/card.ts';
import type { Lookup, Waiter } from './pending-lookup.ts';
import type { PendingLookups } from './pending-lookups.ts';

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
  take(told: Pick<Lookup, 'onSchedule' | 'onRequest'> = {}): Promise<CardRecord> {
    Object.assign(this.#waiting.lookup, told);
    this.#pendingLookups.take(this.#waiting);
    this.#wake();
    return this.#answer;
  }

  /** Nobody waits after all. Without effect once the place is taken. */
  giveBack(): void {
    if (!this.#waiting.held) return;
    this.#pendingLookups.giveBack(this.#waiting);
    this.#wake();
  }
}
