import type { Requester } from '../model/quota.ts';
import type { Lane } from '../quota/limiter.ts';
import { NO_OTHER_QUEUES, type OtherQueues, positionOfAll } from './other-queues.ts';
import { comparePlaces, type Lookup, type PendingLookup, type QueuePlace } from './pending-lookup.ts';
import { FIRST_RANK, later, type QueuedCards, type Rank, type RankedRequester, rankAgain, rankFor } from './ranks.ts';

/** A shown time that moves by no more than this is not corrected either (replies/completion.ts). */
const OVERDUE_MS = 15_000;

/** Which pending lookup gets the next permit of this process; processes take turns. */
export class FairOrder {
  readonly #otherQueues: Pick<OtherQueues, 'lengths'>;
  readonly #queue: { waiting(): readonly PendingLookup[] };
  readonly #served: Record<Lane, Rank> = { members: FIRST_RANK, renewals: FIRST_RANK };
  /** Whether the last permit went to an overdue lookup, past the fair order. */
  #servedOverdue = false;
  #arrivals = 0;

  constructor(
    queue: { waiting(): readonly PendingLookup[] },
    otherQueues: Pick<OtherQueues, 'lengths'> = NO_OTHER_QUEUES,
  ) {
    this.#queue = queue;
    this.#otherQueues = otherQueues;
  }

  /** The rank of a lookup that came now. */
  rankFor(requester: Requester, lane: Lane): Rank {
    return rankFor(requester, this.#served[lane], this.#queued(lane));
  }

  /** The rank of one whose permit brought no answer. */
  rankAgain(waiter: RankedRequester, lane: Lane): Rank {
    return rankAgain(waiter, this.#served[lane], this.#queued(lane));
  }

  /** The number of what comes now, among all that came. */
  nextArrival(): number {
    return ++this.#arrivals;
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
    const added: QueuePlace = { lane, rank, arrival: Number.POSITIVE_INFINITY };
    const place = present && comparePlaces(present, added) < 0 ? present : added;
    const others = this.#queue.waiting().filter((pending) => pending !== present);
    const lengths = this.#otherQueues.lengths();
    const position = positionOfAll(1 + others.filter((other) => comparePlaces(other, place) < 0).length, lengths);
    if (present?.lane === lane) return { position, lastPosition: position };

    const isFirst = rank.member === this.#served[lane].member;
    const promised = others.filter((other) => other.lane === lane && (!isFirst || other.rank.member <= rank.member));
    const last = 1 + promised.length;
    const lastOfAll = isFirst ? positionOfAll(last, lengths) : lengths.reduce((sum, length) => sum + length, last);
    return { position, lastPosition: Math.max(position, lastOfAll) };
  }

  /** All that wait, each with the permit from now that it will get. */
  positions(): { pending: PendingLookup; position: number }[] {
    const inOrder = this.#queue.waiting().toSorted(comparePlaces);
    const lengths = this.#otherQueues.lengths();
    return inOrder.map((pending, index) => ({ pending, position: positionOfAll(1 + index, lengths) }));
  }

  /**
   * By the fair order, but every second permit goes to the lookup that is overdue for longest: an endless stream of
   * newcomers would otherwise overtake a member's second lookup for ever.
   */
  next(ready: readonly PendingLookup[], nowMs: number): PendingLookup | undefined {
    const overdue = this.#servedOverdue ? [] : ready.filter((pending) => isOverdue(pending, nowMs));
    return (
      first(overdue, (a, b) => a.promisedAtMs - b.promisedAtMs || a.arrival - b.arrival) ?? first(ready, comparePlaces)
    );
  }

  /** One of these got a permit. The order goes on from the first in order, not from one that was overdue. */
  served(pending: PendingLookup, ready: readonly PendingLookup[], nowMs: number): void {
    this.#servedOverdue = !this.#servedOverdue && isOverdue(pending, nowMs);
    const { lane } = pending;
    const inOrder = first([pending, ...ready.filter((other) => other.lane === lane)], comparePlaces) ?? pending;
    this.#served[lane] = later(this.#served[lane], inOrder.rank);
  }

  *#queued(lane: Lane): QueuedCards {
    for (const pending of this.#queue.waiting()) if (pending.lane === lane) yield pending.waiters;
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
