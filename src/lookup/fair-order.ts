import { placeKey } from '../model/quota.ts';
import type { Lane } from '../quota/limiter-port.ts';
import {
  comparePlaces,
  compareRanks,
  type Lookup,
  type PendingLookup,
  type QueuePlace,
  type Rank,
  type Waiter,
} from './pending-lookup.ts';
import { MIN_MOVED_MS } from './shown-so-far.ts';

/** The lookup queues of the other processes that share the quota. Both methods answer at once. */
export interface OtherQueues {
  /** Tells the others how many pending lookups of members wait here: with the next heartbeat, which is sent anyway. */
  tell(length: number): void;
  /** The length that each other process alive told last; empty while they cannot be reached. */
  lengths(): readonly number[];
}

/** For a process that shares its quota with no other. */
export const NO_OTHER_QUEUES: OtherQueues = { tell: () => {}, lengths: () => [] };

/** Processes take turns: before the n-th permit of this one, each other has had n, or as many as it wants. */
export function positionOfAll(position: number, lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + Math.min(length, position), position);
}

/** A shown time that moves by no more than this is not corrected either. */
const OVERDUE_MS = MIN_MOVED_MS;

/** The rank that counts as served last before anything was. */
const FIRST_RANK: Rank = { member: 0, guild: 0 };

/** Which pending lookup gets the next permit of this process; processes take turns. */
export class FairOrder {
  readonly #otherQueues: Pick<OtherQueues, 'lengths'>;
  readonly #queue: { waiting(): readonly PendingLookup[] };
  readonly #served: Record<Lane, Rank> = { members: FIRST_RANK, renewals: FIRST_RANK, watches: FIRST_RANK };
  /** Whether the last permit went to an overdue lookup, past the fair order. */
  #servedOverdue = false;

  constructor(
    queue: { waiting(): readonly PendingLookup[] },
    otherQueues: Pick<OtherQueues, 'lengths'> = NO_OTHER_QUEUES,
  ) {
    this.#queue = queue;
    this.#otherQueues = otherQueues;
  }

  /**
   * Start-time fair queuing in rounds: a lookup ranks behind everything that its requester waits for and, when there is
   * nothing, level with the rank that was served last; within that round likewise behind what the Discord server waits
   * for. No two cards of one member are in the same round, so a burst delays another member's first lookup by one permit
   * at most, even when others join it; and the burst has no effect once it is served.
   */
  rankFor(lookup: Pick<Lookup, 'lane' | 'requester'>): Rank {
    return this.#freeRank(lookup, this.#served[lookup.lane], (waiters) => {
      return new Set(waiters.map(({ lookup: { cardId } }) => cardId)).size;
    });
  }

  /** The rank after a permit that brought no answer: as before, unless another lookup of the requester has that rank. */
  rankAgain({ lookup, rank }: Waiter): Rank {
    return this.#freeRank(lookup, later(rank, this.#served[lookup.lane]), () => 0);
  }

  /**
   * Which permit from now a lookup would get that came now; 1 is the next.
   *
   * @param present the pending lookup of the same card, if there is one
   * @returns `lastPosition`: the position that it must be able to wait for, so that the times promised to others hold:
   *   behind the first lookup of everyone if it is its requester's first, otherwise behind everything
   */
  positionOf({ lane, requester }: Pick<Lookup, 'lane' | 'requester'>, present: PendingLookup | undefined) {
    const rank = this.rankFor({ requester, lane });
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
   *
   * @param before these go first, in one request with it
   */
  next(
    ready: readonly PendingLookup[],
    nowMs: number,
    before: readonly PendingLookup[] = [],
  ): PendingLookup | undefined {
    const servedOverdue = before.reduce((was, pending) => !was && isOverdue(pending, nowMs), this.#servedOverdue);
    const overdue = servedOverdue ? [] : ready.filter((pending) => isOverdue(pending, nowMs));
    const [latest] = overdue.toSorted((a, b) => a.promisedAtMs - b.promisedAtMs || a.arrival - b.arrival);
    return latest ?? ready.toSorted(comparePlaces)[0];
  }

  /**
   * One of these got a permit. The order goes on from the first in order: not from one that was overdue, nor from one that
   * was started before others of its requester, which would put newcomers behind all of these.
   */
  served(pending: PendingLookup, due: readonly PendingLookup[], nowMs: number): void {
    this.#servedOverdue = !this.#servedOverdue && isOverdue(pending, nowMs);
    const { lane } = pending;
    const [first = pending] = [pending, ...due.filter((other) => other.lane === lane)].toSorted(comparePlaces);
    this.#served[lane] = later(this.#served[lane], first.rank);
  }

  /** @param behind how many ranks to leave free behind `from`, given what the member, or the Discord server, waits for */
  #freeRank(
    { requester, lane }: Pick<Lookup, 'lane' | 'requester'>,
    from: Rank,
    behind: (waiters: readonly Waiter[]) => number,
  ): Rank {
    const waiters = this.#queue.waiting().flatMap((pending) => pending.waiters.filter((one) => one.lane === lane));
    const ofMember = waiters.filter(({ lookup }) => lookup.requester.memberId === requester.memberId);
    const ofGuild = waiters.filter(({ lookup }) => placeKey(lookup.requester) === placeKey(requester));
    const rounds = ofMember.map(({ rank }) => rank.member);
    const member = firstFree(from.member + behind(ofMember), rounds);
    const inRound = ofGuild.flatMap(({ rank }) => (rank.member === member ? [rank.guild] : []));
    return { member, guild: firstFree((member === from.member ? from.guild : 0) + behind(ofGuild), inRound) };
  }
}

/** The later of two; so also the rank that is served last after one more. */
function later(a: Rank, b: Rank): Rank {
  return compareRanks(a, b) < 0 ? b : a;
}

function firstFree(from: number, taken: readonly number[]): number {
  const known = new Set(taken);
  let free = from;
  while (known.has(free)) free++;
  return free;
}

/** Renewals are promised no time. */
function isOverdue({ lane, promisedAtMs }: PendingLookup, nowMs: number): boolean {
  return lane === 'members' && promisedAtMs + OVERDUE_MS < nowMs;
}
