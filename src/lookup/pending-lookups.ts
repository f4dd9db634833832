import type { CardRecord } from '../model/card.ts';
import { Busy, type CardServiceError, Stopping } from '../model/errors.ts';
import { guildKey, type Requester } from '../model/quota.ts';
import type { Charged } from '../quota/budget.ts';
import type { Doubt } from '../quota/failures.ts';
import type { Schedule } from '../quota/limiter-port.ts';
import type { BatchLimits } from '../service/listing.ts';
import { type Batch, fillBatch } from './batching.ts';
import { FairOrder, NO_OTHER_QUEUES, type OtherQueues } from './fair-order.ts';
import { PendingLookup, type Waiter } from './pending-lookup.ts';
import { RestingCards } from './resting-cards.ts';

/** No retry waits longer; one that seems to was noted by a clock that has been set back since. */
const LONGEST_RETRY_MS = 60_000;

/** The pending lookups of this process, one per card, in fair order. Sends nothing. */
export class PendingLookups {
  readonly #byCard = new Map<string, PendingLookup>();
  readonly order: FairOrder;
  readonly #resting: RestingCards;
  /** How many got a permit so far. */
  requestedCount = 0;
  #countedRequests = 0;
  #arrivals = 0;
  isClosed = false;

  constructor(otherQueues: Pick<OtherQueues, 'lengths'> = NO_OTHER_QUEUES, resting = new RestingCards()) {
    this.#resting = resting;
    this.order = new FairOrder(this, otherQueues);
  }

  /**
   * Joins the pending lookup of the same card, or makes one. Nothing is sent for it alone before `start`.
   *
   * @param promisedAtMs when a permit is expected, as things are
   */
  add(wish: Pick<Waiter, 'lookup' | 'resolve' | 'reject'>, promisedAtMs: number): Waiter {
    const { cardId, lane } = wish.lookup;
    const place = { lane, rank: this.order.rankFor(wish.lookup), arrival: ++this.#arrivals };
    const progress = { requestNumbers: new Set<number>() };
    const waiter: Waiter = { ...wish, ...place, promisedAtMs, reserved: true, progress };
    const present = this.#byCard.get(cardId);
    if (present) present.join(waiter);
    else this.#byCard.set(cardId, new PendingLookup(waiter, this.postponedUntilMs(cardId)));
    return waiter;
  }

  /** From now on a request may be sent for it. One may have left already, for others who want the card. */
  start(waiter: Waiter): void {
    waiter.reserved = false;
  }

  cancel(waiter: Waiter): void {
    const pending = this.#byCard.get(waiter.lookup.cardId);
    if (pending) this.#leave(pending, (present) => present === waiter);
  }

  get(cardId: string): PendingLookup | undefined {
    return this.#byCard.get(cardId);
  }

  /** Whether this one is still wanted; a later one of the same card is another. */
  has(pending: PendingLookup): boolean {
    return this.#byCard.get(pending.cardId) === pending;
  }

  /** All that wait for a permit, in no order. */
  waiting(): PendingLookup[] {
    return [...this.#byCard.values()].filter(({ requesting }) => !requesting);
  }

  /** How many wait for a permit of the members' lane: what other processes take turns with. */
  waitingMembers(): number {
    return this.waiting().filter(({ lane }) => lane === 'members').length;
  }

  answer(pending: PendingLookup, answer: CardRecord): void {
    this.#end(pending);
    for (const { resolve } of pending.waiters) resolve(answer);
  }

  refuse(pending: PendingLookup, error: CardServiceError): void {
    this.#end(pending);
    for (const { reject } of pending.waiters) reject(error);
  }

  /** Ends all that wait for a permit and fit. */
  refuseWaiting(error: CardServiceError, fits: (pending: PendingLookup) => boolean = () => true): void {
    for (const pending of this.waiting()) if (fits(pending)) this.refuse(pending, error);
  }

  /** Refuses all that wait now, and what comes back from a request later. */
  close(): void {
    this.isClosed = true;
    this.refuseWaiting(new Stopping());
  }

  /** Announces to all who wait when their permit is expected; who cannot wait until then is refused. */
  announce({ permitAtMs, paused }: Schedule, nowMs: number): void {
    for (const { pending, position } of this.order.positions()) {
      const atMs = Math.max(permitAtMs(position), pending.notBeforeMs, nowMs);
      const late = this.#leave(pending, ({ lookup }) => lookup.deadlineMs < atMs);
      for (const { reject } of late) reject(new Busy({ untilMs: atMs, paused }));
      for (const waiter of pending.waiters) {
        if (waiter.lane !== 'members') continue;
        waiter.progress.permitAtMs = atMs;
        waiter.onProgress?.();
      }
    }
  }

  /** Until when lookups of the card wait; 0 when it may be requested now. */
  postponedUntilMs(cardId: string): number {
    const rest = this.#resting.of(cardId);
    return rest?.isSatOut ? Date.now() + rest.leftMs : 0;
  }

  /** What the next request should carry, best first; empty when nothing may be requested now. */
  selectBatch(nowMs: number, limits: BatchLimits, doubt?: Doubt): Batch {
    const due = this.#due(nowMs).filter(({ isStarted, beingServed }) => isStarted && !beingServed);
    const ready = doubt ? this.#telling(due, doubt) : due;
    return fillBatch(ready, (left, before) => this.order.next(left, nowMs, before), limits);
  }

  /** Those whose requests tell most of whether the service is down: others than the cards that may be what fails. */
  #telling(ready: readonly PendingLookup[], { failedIds, isOutage }: Doubt): readonly PendingLookup[] {
    const others = ready.filter(({ cardId }) => !failedIds.has(cardId));
    const untried = others.filter(({ cardId }) => !this.#resting.hasFailed(cardId));
    if (untried.length > 0) return untried;
    return others.length > 0 || isOutage ? others : ready;
  }

  requested(pending: PendingLookup, nowMs: number): void {
    this.order.served(pending, this.#due(nowMs), nowMs);
    this.requestedCount += 1;
    pending.requested();
  }

  /** A request for all of these has ended, and the service has counted it. */
  counted(batch: readonly PendingLookup[]): void {
    this.#countedRequests += 1;
    for (const pending of batch) pending.counted(this.#countedRequests);
  }

  /** The request brought no answer for it: it waits again, unless all have left. */
  requeue(pending: PendingLookup): void {
    if (this.isClosed) this.refuse(pending, new Stopping());
    else if (pending.waiters.length === 0) this.#end(pending);
    else pending.requeue((waiter) => this.order.rankAgain(waiter));
  }

  /** When the first of those that wait after a failure may be requested again; never without any. */
  nextRetryMs(nowMs: number): number {
    return Math.min(...this.waiting().flatMap(({ notBeforeMs }) => (notBeforeMs > nowMs ? [notBeforeMs] : [])));
  }

  /** Requests that wait to be booked on the requester and on their Discord server. */
  queuedBy(requester: Requester): Charged {
    const booked = this.waiting().map(({ bookedOn }) => bookedOn);
    return {
      member: booked.filter(({ memberId }) => memberId === requester.memberId).length,
      guild: booked.filter((other) => guildKey(other) === guildKey(requester)).length,
    };
  }

  #end(pending: PendingLookup): void {
    if (this.has(pending)) this.#byCard.delete(pending.cardId);
  }

  #leave(pending: PendingLookup, leaves: (waiter: Waiter) => boolean): readonly Waiter[] {
    const left = pending.leave(leaves);
    if (left.length > 0 && pending.waiters.length === 0 && !pending.requesting) this.#end(pending);
    return left;
  }

  #due(nowMs: number): PendingLookup[] {
    return this.waiting().filter(({ notBeforeMs }) => notBeforeMs <= nowMs || notBeforeMs > nowMs + LONGEST_RETRY_MS);
  }
}
