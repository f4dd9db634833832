import { type Requester, requesterOf } from '../model/requester.ts';
import type { Lane } from '../quota/limiter.ts';
import { FIRST_RANK, type Line, later, type Rank, rankAgain, rankFor, type Standing } from './fairness.ts';
import { comparePlaces, type Lookup, type PendingLookup, type QueuePlace } from './pending-lookup.ts';
import { RemoteQueues } from './remote-queues.ts';

/** What other processes have to know of a line, to be fair to those who wait in it. */
export interface QueueSummary {
  /** Those that could be asked for now, on whom each will be booked, and who waits for it. */
  waiting: readonly (QueuePlace & { payer: Requester; requesters: readonly Requester[] })[];
  /** The rank that was served last, in each lane. */
  served: Record<Lane, Rank>;
}

/** The lines of the other processes that share the quota. */
export interface QueueExchange {
  /** Tells what waits here. @returns what waits there; nothing while nobody can be heard. Never rejects. */
  exchange(own: QueueSummary): Promise<readonly QueueSummary[]>;
}

/** For a process that has its quota to itself. */
export const NO_OTHER_QUEUES: QueueExchange = { exchange: () => Promise.resolve([]) };

/** Whose turn is next among what waits here, in fairness to what waits in other processes. */
export class FairOrder {
  readonly others = new RemoteQueues();
  readonly #served: Record<Lane, Rank> = { members: FIRST_RANK, renewals: FIRST_RANK };
  /** Whether the last turn went to an overdue flight, past the fair order. */
  #overdueLast = false;
  #lastQueuedAtMs = 0;

  /** The rank of a question that came now. */
  rankFor(requester: Requester, lane: Lane, waiting: readonly PendingLookup[]): Rank {
    return rankFor(requester, this.others.served(this.#served, lane), this.#line(lane, waiting));
  }

  /** The rank of one whose turn was in vain. */
  rankAgain(standing: Standing, lane: Lane, waiting: readonly PendingLookup[]): Rank {
    return rankAgain(standing, this.others.served(this.#served, lane), this.#line(lane, waiting));
  }

  /** By the clock, so that the lines of several processes compare; of two in one millisecond the first is lower. */
  nextQueuedAtMs(): number {
    this.#lastQueuedAtMs = Math.max(this.#lastQueuedAtMs + 0.001, Date.now());
    return this.#lastQueuedAtMs;
  }

  /**
   * Which turn from now a question would get that came now; 1 is the next.
   *
   * @returns `lastPosition`: the turn that it must be able to wait for, so that nobody who was promised one is put off:
   * behind all first questions if it is its asker's first, and else behind everything
   */
  positionOf(
    { lane, requester }: Pick<Lookup, 'lane' | 'requester'>,
    present: PendingLookup | undefined,
    waiting: readonly PendingLookup[],
  ) {
    const rank = this.rankFor(requester, lane, waiting);
    const own: QueuePlace = { lane, rank, queuedAtMs: this.nextQueuedAtMs() };
    const queuedAtMs = present && comparePlaces(present, own) < 0 ? present : own;
    const all: QueuePlace[] = [...waiting.filter((pending) => pending !== present), ...this.others.waiting];
    const position = 1 + all.filter((pending) => comparePlaces(pending, queuedAtMs) < 0).length;
    if (present?.lane === lane) return { position, lastPosition: position };

    const isFirst = rank.member === this.others.served(this.#served, lane).member;
    const promised = all.filter((other) => other.lane === lane && (!isFirst || other.rank.member <= rank.member));
    return { position, lastPosition: Math.max(position, 1 + promised.length) };
  }

  /** All that wait, each with the turn from now that it will get. */
  positions(waiting: readonly PendingLookup[]): { pending: PendingLookup; position: number }[] {
    const inOrder = waiting.toSorted(comparePlaces);
    return inOrder.map((pending, index) => ({ pending, position: 1 + index + this.others.before(pending) }));
  }

  /**
   * By the fair order, but every second turn goes to the one that is overdue for longest. Without that, newcomers who
   * never end would overtake a member's second question for ever.
   */
  next(ready: readonly PendingLookup[], nowMs: number): PendingLookup | undefined {
    const overdue = this.#overdueLast ? [] : ready.filter((pending) => isOverdue(pending, nowMs));
    return (
      first(overdue, (a, b) => a.promisedAtMs - b.promisedAtMs || a.queuedAtMs - b.queuedAtMs) ??
      first(ready, comparePlaces)
    );
  }

  /** One of these had its turn. The order goes on from where it is, and not from what was overdue. */
  launched(pending: PendingLookup, ready: readonly PendingLookup[], nowMs: number): void {
    this.#overdueLast = !this.#overdueLast && isOverdue(pending, nowMs);
    const { lane } = pending;
    const inOrder = first([pending, ...ready.filter((other) => other.lane === lane)], comparePlaces) ?? pending;
    this.#served[lane] = later(this.#served[lane], inOrder.rank);
  }

  /** Whether nobody in another process goes before this flight, which is the next here. */
  isNextOfAll(pending: PendingLookup, nowMs: number): boolean {
    return isOverdue(pending, nowMs) || this.others.before(pending) === 0;
  }

  /** What the other processes have to know of this line. */
  summary(ready: PendingLookup[]): QueueSummary {
    if (ready.length > MAX_TOLD) ready.sort(comparePlaces);
    const told = ready.slice(0, MAX_TOLD).map(({ lane, rank, queuedAtMs, payer, waiting }) => {
      const requesters = waiting.slice(0, MAX_ASKERS_TOLD).map(({ requester }) => requesterOf(requester));
      return { lane, rank, queuedAtMs, payer: requesterOf(payer), requesters };
    });
    return { waiting: told, served: this.#served };
  }

  *#line(lane: Lane, waiting: readonly PendingLookup[]): Line {
    for (const pending of waiting) if (pending.lane === lane) yield pending.waiting;
    yield* this.others.line(lane);
  }
}

/** What waits beyond has no say in whose turn is next; nor has who waits for one card with so many others. */
const MAX_TOLD = 300;
const MAX_ASKERS_TOLD = 10;

/** A promise that moves by no more than this is not even corrected (turn-notice.ts). */
const OVERDUE_MS = 15_000;

/** The background was promised nothing. */
function isOverdue({ lane, promisedAtMs }: PendingLookup, nowMs: number): boolean {
  return lane === 'members' && promisedAtMs + OVERDUE_MS < nowMs;
}

function first(
  pendingLookups: readonly PendingLookup[],
  compare: (a: PendingLookup, b: PendingLookup) => number,
): PendingLookup | undefined {
  return pendingLookups.reduce<PendingLookup | undefined>(
    (best, pending) => (best === undefined || compare(pending, best) < 0 ? pending : best),
    undefined,
  );
}
