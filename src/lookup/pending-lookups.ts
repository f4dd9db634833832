import type { Doubt, Lane } from '../limiter/decision.ts';
import type { CardRecord } from '../model/card.ts';
import { Busy, type CardServiceError, Stopping } from '../model/errors.ts';
import type { BatchLimits } from '../service/listing.ts';
import { type Batch, fillBatch } from './batching.ts';
import { FairOrder, NO_OTHER_QUEUES, type OtherQueues } from './fair-order.ts';
import { OrderedSet } from './ordered-set.ts';
import { type Lookup, MARKS, PendingLookup, type PendingState, type Waiter } from './pending-lookup.ts';
import { RestingCards } from './resting-cards.ts';

/** A time that moved by less is not announced again: each waiter would look at its whole reply every second. */
const ANNOUNCED_TO_MS = 1_000;

/** The pending lookups of this process, one per card, in fair order. Sends nothing. */
export class PendingLookups {
  readonly #byCard = new Map<string, PendingLookup>();
  readonly order: FairOrder;
  /** Those that wait after a failure, the first that may be requested first. */
  readonly #postponed = new OrderedSet<PendingLookup>((a, b) => a.notBeforeMs - b.notBeforeMs || a.arrival - b.arrival);
  readonly #resting: RestingCards;
  readonly #mostWith = (cardId: string) => this.#resting.mostTogether(cardId);
  /** How many got a permit so far. */
  requestedCount = 0;
  #countedRequests = 0;
  #arrivals = 0;
  isClosed = false;

  constructor(otherQueues: Pick<OtherQueues, 'lengths'> = NO_OTHER_QUEUES, resting = new RestingCards()) {
    this.#resting = resting;
    this.order = new FairOrder(otherQueues);
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
    if (present) this.#change(present, () => present.join(waiter));
    else {
      const rest = this.#resting.of(cardId);
      const pending = new PendingLookup(waiter, rest?.isSatOut ? postponedFor(rest.leftMs) : { kind: 'waiting' });
      this.#byCard.set(cardId, pending);
      this.#place(pending);
      this.order.book(undefined, pending.bookedOn);
    }
    if (!present?.isRequested) this.order.count(waiter, 1);
    return waiter;
  }

  /** From now on a request may be sent for it. One may have left already, for others who want the card. */
  start(waiter: Waiter): void {
    const pending = this.#byCard.get(waiter.lookup.cardId);
    if (pending) this.#change(pending, () => pending.start(waiter));
  }

  cancel(waiter: Waiter): void {
    const pending = this.#byCard.get(waiter.lookup.cardId);
    if (pending?.waiters.has(waiter)) this.#leave(pending, [waiter]);
  }

  get(cardId: string): PendingLookup | undefined {
    return this.#byCard.get(cardId);
  }

  /** Whether this one is still wanted; a later one of the same card is another. */
  has(pending: PendingLookup): boolean {
    return this.#byCard.get(pending.cardId) === pending;
  }

  /** How many wait for a permit. */
  get length(): number {
    return this.order.length;
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
    for (const pending of [...this.order]) if (fits(pending)) this.refuse(pending, error);
  }

  /** Refuses all that wait now, and what comes back from a request later. */
  close(): void {
    this.isClosed = true;
    this.refuseWaiting(new Stopping());
  }

  /**
   * Announces to all who wait when their permit is expected; who cannot wait until then is refused.
   *
   * @param paused whether the service asked us to wait
   */
  announce(permitAtMs: (position: number, lane: Lane) => number, paused: boolean, nowMs: number): void {
    let withMembersMs = Number.NEGATIVE_INFINITY;
    for (const { pending, position } of this.order.positions()) {
      const asMembersMs = permitAtMs(position, 'members');
      if (pending.lane === 'members') withMembersMs = asMembersMs;
      // What fits into the request of a member needs no permit of its own lane.
      const permittedAtMs = asMembersMs <= withMembersMs ? asMembersMs : permitAtMs(position, pending.lane);
      const atMs = Math.max(permittedAtMs, nowMs + Math.max(0, pending.notBeforeMs - performance.now()));
      this.#refuseLate(pending, atMs, paused);
      tellMembers(pending, atMs);
    }
  }

  #refuseLate(pending: PendingLookup, atMs: number, paused: boolean): void {
    const late = [...pending.waiters].filter(({ lookup }) => lookup.deadlineMs < atMs);
    if (late.length > 0) this.#leave(pending, late);
    for (const { reject } of late) reject(new Busy({ untilMs: atMs, paused }));
  }

  /** Refuses those who want the card and fit; what others still want keeps its place. */
  leave(pending: PendingLookup, fits: (lookup: Lookup) => boolean, error: CardServiceError): void {
    const left = [...pending.waiters].filter(({ lookup }) => fits(lookup));
    this.#leave(pending, left);
    for (const { reject } of left) reject(error);
  }

  /** Until when lookups of the card wait; 0 when it may be requested now. */
  postponedUntilMs(cardId: string): number {
    const rest = this.#resting.of(cardId);
    return rest?.isSatOut ? Date.now() + rest.leftMs : 0;
  }

  /** No request is sent for it within so long. */
  postpone(pending: PendingLookup, waitMs: number): void {
    this.#become(pending, postponedFor(waitMs));
  }

  /** What the next request should carry, best first; empty when nothing may be requested now. */
  selectBatch(nowMs: number, limits: BatchLimits, doubt?: Doubt): Batch {
    let batch: Batch = { pending: [], isFull: false };
    if (this.length === 0) return batch;
    this.#raiseDue();
    for (const [marks, leftOut] of choicesIn(doubt)) {
      batch = fillBatch(
        (isAlone) => this.order.inTurn(marks, nowMs, (next) => leftOut.has(next.cardId) || isAlone(next)),
        limits,
        this.#mostWith,
      );
      if (batch.pending.length > 0) break;
    }
    return batch;
  }

  /**
   * The requests that these cards take, if nothing fails and no list leaves one out: they are filled like any other.
   */
  requestsFor(cardIds: readonly string[], limits: BatchLimits): string[][] {
    const requests: string[][] = [];
    for (let left = cardIds.map((cardId) => ({ cardId })); left.length > 0; ) {
      const { pending } = fillBatch<{ cardId: string }>(
        (isAlone) => left.values().filter((next) => !isAlone(next)),
        limits,
        this.#mostWith,
      );
      requests.push(pending.map(({ cardId }) => cardId));
      left = left.filter((each) => !pending.includes(each));
    }
    return requests;
  }

  requested(pending: PendingLookup, nowMs: number): void {
    this.#raiseDue();
    this.order.served(pending, nowMs);
    this.requestedCount += 1;
    this.#change(pending, () => pending.requested());
    for (const waiter of pending.waiters) this.order.count(waiter, -1);
  }

  /** A request for all of these has ended, and the service has counted it. */
  counted(batch: readonly PendingLookup[]): void {
    this.#countedRequests += 1;
    for (const pending of batch) pending.counted(this.#countedRequests);
  }

  /** The request brought no answer for it: it waits again, unless all have left. */
  requeue(pending: PendingLookup): void {
    if (this.isClosed) this.refuse(pending, new Stopping());
    else if (pending.waiters.size === 0) this.#end(pending);
    else {
      this.#change(pending, () => pending.requeue((waiter) => this.order.rankAgain(waiter)));
      for (const waiter of pending.waiters) this.order.count(waiter, 1);
    }
  }

  /** In how long the first of those that wait after a failure may be requested again; never without any. */
  nextRetryInMs(): number {
    return (this.#postponed.first()?.notBeforeMs ?? Number.POSITIVE_INFINITY) - performance.now();
  }

  #end(pending: PendingLookup): void {
    if (!this.has(pending)) return;
    if (!pending.isRequested) for (const waiter of pending.waiters) this.order.count(waiter, -1);
    this.#change(pending, () => this.#byCard.delete(pending.cardId));
  }

  #leave(pending: PendingLookup, left: readonly Waiter[]): void {
    this.#change(pending, () => pending.leave(left));
    if (!pending.isRequested) for (const waiter of left) this.order.count(waiter, -1);
    if (pending.waiters.size === 0 && !pending.isRequested) this.#end(pending);
  }

  #become(pending: PendingLookup, state: PendingState): void {
    this.#change(pending, () => {
      pending.state = state;
    });
  }

  /** What decides its place may change only while it stands nowhere. */
  #change(pending: PendingLookup, change: () => void): void {
    const bookedOn = this.#isWaiting(pending) ? pending.bookedOn : undefined;
    if (bookedOn) {
      this.order.delete(pending);
      if (pending.state.kind === 'postponed') this.#postponed.delete(pending);
    }
    change();
    this.order.book(bookedOn, this.#place(pending) ? pending.bookedOn : undefined);
  }

  /** @returns whether it waits */
  #place(pending: PendingLookup): boolean {
    if (!this.#isWaiting(pending)) return false;
    pending.hasFailed = this.#resting.hasFailed(pending.cardId);
    this.order.add(pending);
    if (pending.state.kind === 'postponed') this.#postponed.add(pending);
    return true;
  }

  #isWaiting(pending: PendingLookup): boolean {
    return this.has(pending) && !pending.isRequested;
  }

  #raiseDue(): void {
    for (let first = this.#postponed.first(); first && first.notBeforeMs <= performance.now(); ) {
      this.#become(first, { kind: 'waiting' });
      first = this.#postponed.first();
    }
  }
}

/** When their permit is expected, where that has moved. */
function tellMembers(pending: PendingLookup, atMs: number): void {
  for (const waiter of pending.waiters) {
    const knownMs = waiter.progress.permitAtMs ?? Number.NEGATIVE_INFINITY;
    if (waiter.lane !== 'members' || Math.abs(atMs - knownMs) < ANNOUNCED_TO_MS) continue;
    waiter.progress.permitAtMs = atMs;
    waiter.onProgress?.();
  }
}

function postponedFor(waitMs: number): PendingState {
  return { kind: 'postponed', notBeforeMs: performance.now() + waitMs };
}

const NONE: ReadonlySet<string> = new Set();

/**
 * What may be chosen, and what not, most telling first: while the service may be down, requests for others than the
 * cards that may be what fails tell most.
 */
function choicesIn(doubt: Doubt | undefined): (readonly [marks: number, leftOut: ReadonlySet<string>])[] {
  if (!doubt) return [[MARKS.ready, NONE]];
  const others = [MARKS.untried, MARKS.ready].map((marks) => [marks, doubt.failedIds] as const);
  return doubt.isOutage ? others : [...others, [MARKS.ready, NONE]];
}
