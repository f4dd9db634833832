import { type Requester, requesterOf } from '../model/requester.ts';
import type { Lane } from '../quota/limiter.ts';
import { comparePlaces, type Lookup, type PendingLookup, type QueuePlace } from './pending-lookup.ts';
import { FIRST_RANK, later, type QueuedCards, type Rank, type RankedRequester, rankAgain, rankFor } from './ranks.ts';

/** What the other processes need to know of a queue to be fair to those who wait in it. Stored as it is. */
export interface QueueSummary {
  /** What could be requested now: on whom each will be booked (`payer`), and who waits for it. */
  waiting: readonly (QueuePlace & { payer: Requester; requesters: readonly Requester[] })[];
  /** The rank that was served last in each lane. */
  served: Record<Lane, Rank>;
}

/** The lookup queues of the other processes that share the quota. */
export interface QueueExchange {
  /** Publishes the queue of this process. @returns the others; none while they cannot be reached. Never rejects */
  exchange(own: QueueSummary): Promise<readonly QueueSummary[]>;
}

/** For a process that shares its quota with no other. */
export const NO_OTHER_QUEUES: QueueExchange = { exchange: () => Promise.resolve([]) };

/** What lies beyond has no effect on the order in other processes; nor have further requesters of one card. */
const MAX_SUMMARIZED = 300;
const MAX_SUMMARIZED_REQUESTERS = 10;

/** A shown time that moves by no more than this is not corrected either (replies/completion.ts). */
const OVERDUE_MS = 15_000;

/** Which pending lookup gets the next permit, in fairness also to what waits in other processes. */
export class FairOrder {
  readonly #queue: { waiting(): readonly PendingLookup[] };
  readonly #served: Record<Lane, Rank> = { members: FIRST_RANK, renewals: FIRST_RANK };
  /** Whether the last permit went to an overdue lookup, past the fair order. */
  #servedOverdue = false;
  #lastQueuedAtMs = 0;
  #remote: readonly QueueSummary[] = [];
  remoteWaiting: QueueSummary['waiting'] = [];

  constructor(queue: { waiting(): readonly PendingLookup[] }) {
    this.#queue = queue;
  }

  /** The rank of a lookup that came now. */
  rankFor(requester: Requester, lane: Lane): Rank {
    return rankFor(requester, this.#servedLast(lane), this.#queued(lane));
  }

  /** The rank of one whose permit brought no answer. */
  rankAgain(waiter: RankedRequester, lane: Lane): Rank {
    return rankAgain(waiter, this.#servedLast(lane), this.#queued(lane));
  }

  /** By the clock, so that the queues of several processes compare; of two in one millisecond the first is lower. */
  nextQueuedAtMs(): number {
    this.#lastQueuedAtMs = Math.max(this.#lastQueuedAtMs + 0.001, Date.now());
    return this.#lastQueuedAtMs;
  }

  /**
   * Which permit from now a lookup would get that came now; 1 is the next.
   *
   * @param present the pending lookup of the same card, if there is one
   * @returns `lastPosition`: the position that it must be able to wait for, so that the times promised to others hold:
   *   behind the first lookup of everyone if it is its requester's first, otherwise behind everything
   */
  positionOf({ lane, requester }: Pick<Lookup, 'lane' | 'requester'>, present: PendingLookup | undefined) {
    const rank = this.rankFor(requester, lane);
    const added: QueuePlace = { lane, rank, queuedAtMs: this.nextQueuedAtMs() };
    const place = present && comparePlaces(present, added) < 0 ? present : added;
    const here = this.#queue.waiting().filter((pending) => pending !== present);
    const others: QueuePlace[] = [...here, ...this.remoteWaiting];
    const position = 1 + others.filter((other) => comparePlaces(other, place) < 0).length;
    if (present?.lane === lane) return { position, lastPosition: position };

    const isFirst = rank.member === this.#servedLast(lane).member;
    const promised = others.filter((other) => other.lane === lane && (!isFirst || other.rank.member <= rank.member));
    return { position, lastPosition: Math.max(position, 1 + promised.length) };
  }

  /** All that wait, each with the permit from now that it will get. */
  positions(): { pending: PendingLookup; position: number }[] {
    const inOrder = this.#queue.waiting().toSorted(comparePlaces);
    return inOrder.map((pending, index) => ({ pending, position: 1 + index + this.#remoteBefore(pending) }));
  }

  /**
   * By the fair order, but every second permit goes to the lookup that is overdue for longest: an endless stream of
   * newcomers would otherwise overtake a member's second lookup for ever.
   */
  next(ready: readonly PendingLookup[], nowMs: number): PendingLookup | undefined {
    const overdue = this.#servedOverdue ? [] : ready.filter((pending) => isOverdue(pending, nowMs));
    return (
      first(overdue, (a, b) => a.promisedAtMs - b.promisedAtMs || a.queuedAtMs - b.queuedAtMs) ??
      first(ready, comparePlaces)
    );
  }

  /** One of these got a permit. The order goes on from the first in order, not from one that was overdue. */
  served(pending: PendingLookup, ready: readonly PendingLookup[], nowMs: number): void {
    this.#servedOverdue = !this.#servedOverdue && isOverdue(pending, nowMs);
    const { lane } = pending;
    const inOrder = first([pending, ...ready.filter((other) => other.lane === lane)], comparePlaces) ?? pending;
    this.#served[lane] = later(this.#served[lane], inOrder.rank);
  }

  /** Whether nothing in another process goes before this one, which is the next here. */
  isNextOfAll(pending: PendingLookup, nowMs: number): boolean {
    return isOverdue(pending, nowMs) || this.#remoteBefore(pending) === 0;
  }

  summary(ready: PendingLookup[]): QueueSummary {
    if (ready.length > MAX_SUMMARIZED) ready.sort(comparePlaces);
    const waiting = ready.slice(0, MAX_SUMMARIZED).map(({ lane, rank, queuedAtMs, bookedOn, waiters }) => {
      const requesters = waiters.slice(0, MAX_SUMMARIZED_REQUESTERS).map(({ requester }) => requesterOf(requester));
      return { lane, rank, queuedAtMs, payer: requesterOf(bookedOn), requesters };
    });
    return { waiting, served: this.#served };
  }

  /** The queues of the other processes, as they were last published. */
  setRemote(queues: readonly QueueSummary[]): void {
    this.#remote = queues;
    this.remoteWaiting = queues.flatMap(({ waiting }) => waiting);
  }

  #remoteBefore(place: QueuePlace): number {
    return this.remoteWaiting.filter((other) => comparePlaces(other, place) < 0).length;
  }

  /** The rank that was served last in any process. */
  #servedLast(lane: Lane): Rank {
    return [this.#served, ...this.#remote.map(({ served }) => served)].map((ranks) => ranks[lane]).reduce(later);
  }

  /** Of what waits in another process only the best rank of each card is known. */
  *#queued(lane: Lane): QueuedCards {
    for (const pending of this.#queue.waiting()) if (pending.lane === lane) yield pending.waiters;
    for (const { lane: remoteLane, rank, requesters } of this.remoteWaiting) {
      if (remoteLane === lane) yield requesters.map((requester) => ({ requester, rank }));
    }
  }
}

/** Renewals are promised no time. */
function isOverdue({ lane, promisedAtMs }: PendingLookup, nowMs: number): boolean {
  return lane === 'members' && promisedAtMs + OVERDUE_MS < nowMs;
}

function first<T>(items: readonly T[], compare: (a: T, b: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => (best === undefined || compare(item, best) < 0 ? item : best),
    undefined,
  );
}
