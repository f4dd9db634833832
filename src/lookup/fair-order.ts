import { LANES, type Lane } from '../limiter/decision.ts';
import { guildKey, placeKey, type Requester } from '../model/quota.ts';
import type { Charged } from '../quota/budget.ts';
import { OrderedSet } from './ordered-set.ts';
import { MIN_MOVED_MS } from './outcomes.ts';
import {
  comparePlaces,
  compareRanks,
  type Lookup,
  MARKS,
  type PendingLookup,
  type QueuePlace,
  type Rank,
  type Waiter,
} from './pending-lookup.ts';

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

/** How many there are of each key. */
class Counts {
  readonly #of = new Map<string, number>();

  of(key: string): number {
    return this.#of.get(key) ?? 0;
  }

  add(key: string, by: 1 | -1): number {
    const count = (this.#of.get(key) ?? 0) + by;
    if (count === 0) this.#of.delete(key);
    else this.#of.set(key, count);
    return count;
  }
}

/** Which pending lookup gets the next permit of this process; processes take turns. */
export class FairOrder {
  readonly #otherQueues: Pick<OtherQueues, 'lengths'>;
  readonly #lanes: Record<Lane, OrderedSet<QueuePlace, PendingLookup>>;
  /** Those of members, first those that were promised the earliest permit. Renewals are promised no time. */
  readonly #promised = new OrderedSet<PendingLookup>(
    (a, b) => a.promisedAtMs - b.promisedAtMs || a.arrival - b.arrival,
    marksOf,
  );
  /** What members and places wait for, and what waits to be booked on them. */
  readonly #counts = new Counts();
  readonly #served: Record<Lane, Rank> = { members: FIRST_RANK, renewals: FIRST_RANK, watches: FIRST_RANK };
  /** How many wait, in all lanes. */
  length = 0;
  /** Whether the last permit went to an overdue lookup, past the fair order. */
  #servedOverdue = false;

  constructor(otherQueues: Pick<OtherQueues, 'lengths'> = NO_OTHER_QUEUES) {
    this.#otherQueues = otherQueues;
    const lane = () => new OrderedSet<QueuePlace, PendingLookup>(comparePlaces, marksOf);
    this.#lanes = { members: lane(), renewals: lane(), watches: lane() };
  }

  lengthOf(lane: Lane): number {
    return this.#lanes[lane].size;
  }

  add(pending: PendingLookup): void {
    this.#lanes[pending.lane].add(pending);
    if (pending.lane === 'members') this.#promised.add(pending);
    this.length += 1;
  }

  /** To be called before what decides its place changes. */
  delete(pending: PendingLookup): void {
    this.#lanes[pending.lane].delete(pending);
    if (pending.lane === 'members') this.#promised.delete(pending);
    this.length -= 1;
  }

  /** Requests that wait to be booked on the requester and on their Discord server. */
  queuedBy(requester: Requester): Charged {
    return { member: this.#counts.of(bookedOnMember(requester)), guild: this.#counts.of(bookedOnGuild(requester)) };
  }

  /** What waits for a permit is booked on another requester now: on none when it waits no more. */
  book(before: Requester | undefined, after: Requester | undefined): void {
    for (const [requester, by] of before === after
      ? []
      : ([
          [before, -1],
          [after, 1],
        ] as const)) {
      if (!requester) continue;
      this.#counts.add(bookedOnMember(requester), by);
      this.#counts.add(bookedOnGuild(requester), by);
    }
  }

  /** @param by 1 when it begins to wait for a permit, -1 when it does no more */
  count({ lane, lookup: { cardId, requester }, rank }: Waiter, by: 1 | -1): void {
    for (const [key, taken] of [
      [memberIn(lane, requester), rank.member],
      [placeIn(lane, requester), `${rank.member} ${rank.guild}`],
    ] as const) {
      const ofCard = this.#counts.add(`${key}\ncard ${cardId}`, by);
      if (ofCard === (by === 1 ? 1 : 0)) this.#counts.add(key, by);
      this.#counts.add(`${key}\n${taken}`, by);
    }
  }

  /**
   * Start-time fair queuing in rounds: a lookup ranks behind everything that its requester waits for and, when there is
   * nothing, level with the rank that was served last; within that round likewise behind what the Discord server waits
   * for. No two cards of one member are in the same round, so a burst delays another member's first lookup by one
   * permit at most, even when others join it; and the burst has no effect once it is served.
   */
  rankFor(lookup: Pick<Lookup, 'lane' | 'requester'>): Rank {
    return this.#freeRank(lookup, this.#served[lookup.lane], (key) => this.#counts.of(key));
  }

  /**
   * The rank after a permit that brought no answer: as before, unless another lookup of the requester has that rank.
   */
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
    const lengths = this.#otherQueues.lengths();
    const before = LANES.map((each) => this.#lanes[each].countBefore(place));
    const position = positionOfAll(1 + sum(before), lengths);
    if (present?.lane === lane) return { position, lastPosition: position };

    const isFirst = rank.member === this.#served[lane].member;
    const behindRound = { lane, rank: { member: rank.member + 1, guild: 0 }, arrival: 0 };
    const last = 1 + (isFirst ? this.#lanes[lane].countBefore(behindRound) : this.lengthOf(lane));
    const lastOfAll = isFirst ? positionOfAll(last, lengths) : last + sum(lengths);
    return { position, lastPosition: Math.max(position, lastOfAll) };
  }

  /** All that wait, in the order of their lanes and places. */
  *[Symbol.iterator](): Generator<PendingLookup, undefined> {
    for (const lane of LANES) yield* this.#lanes[lane].having();
  }

  /** All that wait, each with the permit from now that it will get. */
  positions(): { pending: PendingLookup; position: number }[] {
    const lengths = this.#otherQueues.lengths();
    return Array.from(this, (pending, index) => ({ pending, position: positionOfAll(1 + index, lengths) }));
  }

  /**
   * By the fair order, but every second permit goes to the lookup that is overdue for longest: an endless stream of
   * newcomers would otherwise overtake a member's second lookup for ever.
   *
   * @param isLeftOut asked when it is a lookup's turn
   */
  *inTurn(
    marks: number,
    nowMs: number,
    isLeftOut: (pending: PendingLookup) => boolean,
  ): Generator<PendingLookup, undefined> {
    const chosen = new Set<PendingLookup>();
    const mayFollow = (pending: PendingLookup) => !chosen.has(pending) && !isLeftOut(pending);
    const overdue = this.#promised.having(marks);
    const inOrder = LANES.values().flatMap((lane) => this.#lanes[lane].having(marks));
    let servedOverdue = this.#servedOverdue;
    for (;;) {
      const latest = servedOverdue ? undefined : nextOf(overdue, mayFollow);
      const pending = latest && isOverdue(latest, nowMs) ? latest : nextOf(inOrder, mayFollow);
      if (!pending) return;
      chosen.add(pending);
      yield pending;
      servedOverdue = !servedOverdue && isOverdue(pending, nowMs);
    }
  }

  /**
   * One of these gets a permit. The order goes on from the first in order: not from one that was overdue, nor from one
   * that was started before others of its requester, which would put newcomers behind all of these.
   */
  served(pending: PendingLookup, nowMs: number): void {
    this.#servedOverdue = !this.#servedOverdue && isOverdue(pending, nowMs);
    const { lane } = pending;
    const first = this.#lanes[lane].first(MARKS.due) ?? pending;
    const { rank } = comparePlaces(first, pending) < 0 ? first : pending;
    this.#served[lane] = later(this.#served[lane], rank);
  }

  /** @param behind how many ranks to leave free behind `from`, for the member and for the place of this key */
  #freeRank(
    { requester, lane }: Pick<Lookup, 'lane' | 'requester'>,
    from: Rank,
    behind: (key: string) => number,
  ): Rank {
    const [ofMember, ofPlace] = [memberIn(lane, requester), placeIn(lane, requester)];
    let member = from.member + behind(ofMember);
    while (this.#counts.of(`${ofMember}\n${member}`) > 0) member++;
    let guild = (member === from.member ? from.guild : 0) + behind(ofPlace);
    while (this.#counts.of(`${ofPlace}\n${member} ${guild}`) > 0) guild++;
    return { member, guild };
  }
}

const memberIn = (lane: Lane, { memberId }: Requester) => `${lane} member ${memberId}`;
const placeIn = (lane: Lane, requester: Requester) => `${lane} place ${placeKey(requester)}`;
const bookedOnMember = ({ memberId }: Requester) => `booked on member ${memberId}`;
const bookedOnGuild = (requester: Requester) => `booked on server ${guildKey(requester)}`;

function marksOf({ marks }: PendingLookup): number {
  return marks;
}

function nextOf(
  pending: Iterator<PendingLookup, undefined>,
  mayFollow: (pending: PendingLookup) => boolean,
): PendingLookup | undefined {
  for (let next = pending.next(); !next.done; next = pending.next()) if (mayFollow(next.value)) return next.value;
  return undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** The later of two; so also the rank that is served last after one more. */
function later(a: Rank, b: Rank): Rank {
  return compareRanks(a, b) < 0 ? b : a;
}

/** Renewals are promised no time. */
function isOverdue({ lane, promisedAtMs }: PendingLookup, nowMs: number): boolean {
  return lane === 'members' && promisedAtMs + OVERDUE_MS < nowMs;
}
