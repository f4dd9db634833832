import type { CardQuery, CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';
import type { Requester } from '../model/quota.ts';
import type { Lane } from '../quota/limiter.ts';

/** One member's wish for one card. */
export interface Lookup extends CardQuery {
  lane: Lane;
  requester: Requester;
  /** After this the answer can no longer be shown. */
  deadlineMs: number;
  /** Called with the time at which a permit is expected, while there is none; again whenever that changes. */
  onSchedule?: (permitAtMs: number) => void;
  /** Called when the request leaves; at once when it has left already. */
  onRequest?: () => void;
  /**
   * Called when a request for it has ended that the service has counted. The number is the same for all cards of the
   * request; of another process's it is the time of the answer.
   */
  onCounted?: (requestNumber: number) => void;
}

export type LookupListeners = Pick<Lookup, 'onSchedule' | 'onRequest' | 'onCounted'>;

/** A place in the fair order. The lower `member` goes first, then the lower `guild`. */
export interface Rank {
  member: number;
  guild: number;
}

/** The rank of a requester in a lane other than the card's: it never decides. */
const NO_RANK: Rank = { member: Number.POSITIVE_INFINITY, guild: Number.POSITIVE_INFINITY };

export function compareRanks(a: Rank, b: Rank): number {
  return a.member - b.member || a.guild - b.guild || 0; // not the NaN of two infinities
}

/** A requester who waits for a card, and the rank of that. */
export interface RankedRequester {
  requester: Requester;
  rank: Rank;
}

/** A lookup that waits, with its rank and the promise of its answer. */
export interface Waiter extends RankedRequester {
  lookup: Lookup;
  resolve: (answer: CardRecord) => void;
  reject: (error: CardServiceError) => void;
  /** Admitted and not started yet: no request is sent for it alone. */
  reserved: boolean;
  /** A request has left for it. */
  requested: boolean;
}

/** What decides when a pending lookup gets its permit. */
export interface QueuePlace {
  /** The best lane among the waiters: a member who joins a renewal lifts it. */
  lane: Lane;
  /** The best rank among the waiters of that lane. */
  rank: Rank;
  /** Numbers those that got a rank: of equal ranks the older goes first. */
  arrival: number;
}

/** The order of permits: members before renewals, then by rank, then by age. */
export function comparePlaces(a: QueuePlace, b: QueuePlace): number {
  if (a.lane !== b.lane) return a.lane === 'members' ? -1 : 1;
  return compareRanks(a.rank, b.rank) || a.arrival - b.arrival;
}

/** What a pending lookup asks of the fair order. */
interface Ranking {
  nextArrival(): number;
  rankFor(requester: Requester, lane: Lane): Rank;
  rankAgain(waiter: Waiter, lane: Lane): Rank;
}

/** One card that is wanted, and everyone who waits for it. */
export class PendingLookup implements QueuePlace {
  readonly cardId: string;
  lane: Lane;
  rank: Rank;
  arrival: number;
  waiters: Waiter[];
  /** The request is booked on the first requester of the lane; the others are saved one. */
  bookedOn: Requester;
  /** The earliest time at which a waiter was promised a permit; after that it is overdue. */
  promisedAtMs: number;
  /** Failed attempts, 429s apart. */
  failures = 0;
  /** No request before this, after a failure. */
  notBeforeMs: number;
  /** The copy that an answer replaces, as it was known before the request. */
  kept: CardRecord | undefined;
  /** How many cards the next request for it may carry: it was refused with more, or left out. */
  mostTogether = Number.POSITIVE_INFINITY;
  /** It is being claimed, or its permit acquired. */
  beingServed = false;
  /** A request for it is under way. */
  requesting = false;
  readonly #order: Ranking;

  constructor(
    first: Waiter,
    order: Ranking,
    { promisedAtMs, notBeforeMs }: { promisedAtMs: number; notBeforeMs: number },
  ) {
    this.#order = order;
    this.cardId = first.lookup.cardId;
    this.lane = first.lookup.lane;
    this.rank = first.rank;
    this.arrival = order.nextArrival();
    this.waiters = [first];
    this.bookedOn = first.requester;
    this.promisedAtMs = promisedAtMs;
    this.notBeforeMs = notBeforeMs;
  }

  /** Whether anyone wants prices, so that a copy without fresh ones does not do. */
  get wantsPrices(): boolean {
    return this.waiters.some(({ lookup }) => lookup.showPrices);
  }

  /** Whether anyone waits who is more than admitted. */
  get isStarted(): boolean {
    return this.waiters.some(({ reserved }) => !reserved);
  }

  join(waiter: Waiter, promisedAtMs: number): void {
    if (waiter.lookup.lane !== this.lane) waiter.rank = NO_RANK;
    this.waiters.push(waiter);
    if (this.requesting) {
      notifyRequested(waiter);
      return;
    }
    const lifted = this.#updateLane();
    this.promisedAtMs = lifted ? promisedAtMs : Math.min(this.promisedAtMs, promisedAtMs);
    const rank = this.#bestRank();
    if (!lifted && compareRanks(rank, this.rank) >= 0) return;
    this.rank = rank;
    this.arrival = this.#order.nextArrival(); // behind all that already wait at that rank
  }

  /** @returns who left; a pending lookup that all have left keeps its lane and rank */
  leave(leaves: (waiter: Waiter) => boolean): readonly Waiter[] {
    const left = this.waiters.filter(leaves);
    if (left.length === 0) return left;
    this.waiters = this.waiters.filter((waiter) => !left.includes(waiter));
    if (this.requesting || this.waiters.length === 0) return left;

    this.#updateLane();
    const next = this.waiters.find(({ lookup }) => lookup.lane === this.lane);
    if (next && left.some(({ requester }) => requester === this.bookedOn)) this.bookedOn = next.requester;
    this.rank = this.#bestRank();
    return left;
  }

  requested(): void {
    this.requesting = true;
    for (const waiter of this.waiters) notifyRequested(waiter);
  }

  /** The service has counted a request for it. */
  counted(requestNumber: number): void {
    for (const { lookup } of this.waiters) lookup.onCounted?.(requestNumber);
  }

  /** The request brought no answer for it: it waits again, and not before newcomers with all that was under way. */
  requeue(): void {
    this.#updateLane();
    for (const waiter of this.waiters) {
      if (waiter.rank !== NO_RANK) waiter.rank = this.#order.rankAgain(waiter, this.lane);
    }
    this.rank = this.#bestRank();
    this.requesting = false;
  }

  /** Takes the best lane among the waiters; the first of that lane is booked, and all of it rank by it. @returns whether it changed */
  #updateLane(): boolean {
    const first = this.waiters.find(({ lookup }) => lookup.lane === 'members') ?? this.waiters[0];
    if (first === undefined || first.lookup.lane === this.lane) return false;
    const { lane } = first.lookup;
    for (const waiter of this.waiters) {
      waiter.rank = waiter.lookup.lane === lane ? this.#order.rankFor(waiter.requester, lane) : NO_RANK;
    }
    this.lane = lane;
    this.bookedOn = first.requester;
    return true;
  }

  #bestRank(): Rank {
    return this.waiters.map(({ rank }) => rank).reduce((best, rank) => (compareRanks(rank, best) < 0 ? rank : best));
  }
}

function notifyRequested(waiter: Waiter): void {
  waiter.requested = true;
  waiter.lookup.onRequest?.();
}
