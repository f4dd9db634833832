import { LRUCache } from 'lru-cache';
import type { CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';
import { guildKey, type Requester } from '../model/requester.ts';
import type { Charged } from '../quota/budget.ts';
import type { QueueSummary } from './fair-order.ts';
import { FairOrder } from './fair-order.ts';
import type { Lookup, PendingLookup, Waiter } from './pending-lookup.ts';
import { tellAsking, Waiters } from './waiters.ts';

/** The flights of the waiting line, and who waits for each. Knows nothing of time and turns. */
export class PendingLookups {
  readonly #pendingLookups = new Map<string, PendingLookup>();
  readonly #order = new FairOrder();
  readonly #boarding = new Waiters(this.#order, () => this.waiting());
  /** Cards that the service wants to be asked for later, and when; also of flights that have landed. */
  readonly #rests = new LRUCache<string, number>({ max: MAX_RESTS });
  #launches = 0;

  /**
   * Boards the flight of the same card, or makes one; nothing is asked for it alone before the place is taken.
   *
   * @param promisedAtMs when its turn is to be expected, as things are
   */
  add(promise: Pick<Waiter, 'lookup' | 'resolve' | 'reject'>, promisedAtMs: number): Waiter {
    const { cardId, lane, requester } = promise.lookup;
    const rank = this.#order.rankFor(requester, lane, this.waiting());
    const waiting: Waiter = { ...promise, requester, rank, held: true, requested: false };
    const present = this.#pendingLookups.get(cardId);
    if (present) {
      this.#boarding.board(present, waiting, promisedAtMs);
      return waiting;
    }
    this.#pendingLookups.set(cardId, {
      cardId,
      waiting: [waiting],
      lane,
      rank: waiting.rank,
      queuedAtMs: this.#order.nextQueuedAtMs(),
      payer: requester,
      promisedAtMs,
      failures: 0,
      notBeforeMs: this.#rests.get(cardId) ?? 0,
      asking: false,
    });
    return waiting;
  }

  /** From now on it waits; it may have been asked for meanwhile, for others. */
  take(waiting: Waiter): void {
    waiting.held = false;
    if (waiting.requested) waiting.lookup.onRequest?.();
  }

  /** Nobody waits there any more; a flight that is left by all has landed. */
  giveBack(waiting: Waiter): void {
    const pending = this.#pendingLookups.get(waiting.lookup.cardId);
    if (pending) this.#dismiss(pending, (present) => present === waiting);
  }

  get(cardId: string): PendingLookup | undefined {
    return this.#pendingLookups.get(cardId);
  }

  /** All who wait get this answer; the flight has landed. */
  answer(pending: PendingLookup, answer: CardRecord): void {
    this.#land(pending);
    for (const { resolve } of pending.waiting) resolve(answer);
  }

  /** All who wait are told why not; the flight has landed. */
  refuse(pending: PendingLookup, error: CardServiceError): void {
    this.#land(pending);
    for (const { reject } of pending.waiting) reject(error);
  }

  /** Takes off who cannot wait until `atMs`; a flight that is left by all has landed. */
  putOff(pending: PendingLookup, atMs: number): readonly Waiter[] {
    return this.#dismiss(pending, ({ lookup }) => lookup.deadlineMs < atMs);
  }

  /** The card is not asked for before, whoever wants it. */
  rest(cardId: string, untilMs: number): void {
    this.#rests.set(cardId, untilMs);
  }

  /** Until when the service wants to be left alone about this card; 0 when it does not. */
  restsUntilMs(cardId: string): number {
    const untilMs = this.#rests.get(cardId) ?? 0;
    return untilMs > Date.now() + LONGEST_RETRY_MS ? 0 : untilMs;
  }

  /** The flight has its turn. */
  launch(pending: PendingLookup, nowMs: number): void {
    this.#order.launched(pending, this.#ready(nowMs), nowMs);
    pending.asking = true;
    this.#launches += 1;
    for (const waiting of pending.waiting) tellAsking(waiting);
  }

  /** Flights that have had their turn so far. */
  get launches(): number {
    return this.#launches;
  }

  /** Its turn was in vain, and it is in line again: not before newcomers with all else that was under way. */
  comeBack(pending: PendingLookup): void {
    if (pending.waiting.length === 0) {
      this.#land(pending);
      return;
    }
    this.#boarding.rankAgain(pending);
    pending.asking = false;
  }

  /** All that wait for a turn, in no order. */
  waiting(): PendingLookup[] {
    return [...this.#pendingLookups.values()].filter(({ asking }) => !asking);
  }

  /** Whose turn is next, among those that may be asked now. */
  next(nowMs: number): PendingLookup | undefined {
    return this.#order.next(this.#ready(nowMs), nowMs);
  }

  /** When the first of those that wait after a failure may be asked again. */
  nextRetryMs(nowMs: number): number | undefined {
    const laterMs = this.waiting().flatMap(({ notBeforeMs }) => (notBeforeMs > nowMs ? [notBeforeMs] : []));
    return laterMs.length > 0 ? Math.min(...laterMs) : undefined;
  }

  positionOf(lookup: Pick<Lookup, 'cardId' | 'lane' | 'requester'>) {
    return this.#order.positionOf(lookup, this.#pendingLookups.get(lookup.cardId), this.waiting());
  }

  positions() {
    return this.#order.positions(this.waiting());
  }

  /** What waits in the other processes. */
  hear(others: readonly QueueSummary[]): void {
    this.#order.others.hear(others);
  }

  /** What the other processes have to know of this line. */
  summary(nowMs: number): QueueSummary {
    return this.#order.summary(this.#due(nowMs));
  }

  /** Whether nobody in another process goes before this flight, which is the next here. */
  isNextOfAll(pending: PendingLookup, nowMs: number): boolean {
    return this.#order.isNextOfAll(pending, nowMs);
  }

  /** Requests that will be booked on the asker, and on their Discord server, when the turns come. */
  queuedBy(requester: Requester): Charged {
    const payers = [...this.waiting(), ...this.#order.others.waiting].map(({ payer }) => payer);
    return {
      member: payers.filter(({ memberId }) => memberId === requester.memberId).length,
      guild: payers.filter((payer) => guildKey(payer) === guildKey(requester)).length,
    };
  }

  /** A later flight of the same card stays. */
  #land(pending: PendingLookup): void {
    if (this.#pendingLookups.get(pending.cardId) === pending) this.#pendingLookups.delete(pending.cardId);
  }

  #dismiss(pending: PendingLookup, leaves: (waiting: Waiter) => boolean): readonly Waiter[] {
    const left = this.#boarding.leave(pending, leaves);
    if (left.length > 0 && pending.waiting.length === 0 && !pending.asking) this.#land(pending);
    return left;
  }

  #ready(nowMs: number): PendingLookup[] {
    return this.#due(nowMs).filter(({ waiting }) => waiting.some(({ held }) => !held));
  }

  #due(nowMs: number): PendingLookup[] {
    return this.waiting().filter(({ notBeforeMs }) => notBeforeMs <= nowMs || notBeforeMs > nowMs + LONGEST_RETRY_MS);
  }
}

const MAX_RESTS = 1_000;
/** No retry waits so long; one that seems to was noted by a clock that has been set back. */
const LONGEST_RETRY_MS = 60_000;
