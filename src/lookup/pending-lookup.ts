import { LANES, type Lane } from '../limiter/decision.ts';
import type { CardQuery, CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';
import type { Requester } from '../model/quota.ts';

/** One member's wish for one card, or that of the watches. */
export interface Lookup extends CardQuery {
  lane: Lane;
  requester: Requester;
  /** After this the answer can no longer be shown. */
  deadlineMs: number;
}

/** How a lookup has gone so far. */
export interface Progress {
  /** When a permit is expected, while there is none. */
  permitAtMs?: number | undefined;
  /** When the first request for it left, or when it joined that. */
  requestedAtMs?: number;
  /** When another process was first seen to request the card. */
  askedElsewhereAtMs?: number;
  /**
   * The requests for it that the service has counted. A number is the same for all cards of the request; of another
   * process's it is the time of the answer.
   */
  requestNumbers: Set<number>;
}

/** A place from the moment of admission. It ends by itself when the card is answered or refused. */
export interface Reservation {
  readonly progress: Progress;
  /**
   * Waits for a permit and the answer. Costs one request, or none when the card is requested for another lookup.
   *
   * @param onProgress called whenever the permit is expected at another time, and when a request has left
   * @throws QuotaSpent, Busy, KeptInReserve, KeyRefused, ServiceDown, StoreAway, UnexpectedAnswer, Stopping
   */
  start(onProgress?: () => void): Promise<CardRecord>;
  /** Gives the place up. Once it is started, it then never ends; a request under way for it goes on, and is booked. */
  cancel(): void;
}

/** A place in the fair order. The lower `member` goes first, then the lower `guild`. */
export interface Rank {
  member: number;
  guild: number;
}

export function compareRanks(a: Rank, b: Rank): number {
  return a.member - b.member || a.guild - b.guild;
}

/** What decides when a pending lookup gets its permit. */
export interface QueuePlace {
  lane: Lane;
  rank: Rank;
  /** The older of two lookups with equal ranks goes first. */
  arrival: number;
}

/** The order of permits: by lane, then by rank, then by age. */
export function comparePlaces(a: QueuePlace, b: QueuePlace): number {
  return LANES.indexOf(a.lane) - LANES.indexOf(b.lane) || compareRanks(a.rank, b.rank) || a.arrival - b.arrival;
}

/** A lookup that waits, with its place and the promise of its answer. */
export interface Waiter extends QueuePlace {
  lookup: Lookup;
  resolve: (answer: CardRecord) => void;
  reject: (error: CardServiceError) => void;
  /** When a permit was expected as it came; after that it is overdue. */
  promisedAtMs: number;
  /** Admitted and not started yet: no request is sent for it alone. */
  reserved: boolean;
  progress: Progress;
  onProgress?: (() => void) | undefined;
}

/**
 * Where a pending lookup stands: it waits for a permit; or first until a moment of the monotonic clock, after a failure
 * or because another process has the card; or a request for it is under way.
 */
export type PendingState = { kind: 'waiting' | 'requested' } | { kind: 'postponed'; notBeforeMs: number };

/** What an order asks of a pending lookup besides its place. Each is one bit. */
export const MARKS = { due: 2, ready: 4, untried: 8 } as const;

/**
 * One card that is wanted, and everyone who waits for it. Its place is the best of theirs: a member lifts a renewal.
 */
export class PendingLookup implements QueuePlace {
  readonly cardId: string;
  /** In the order in which they came. */
  readonly waiters = new Set<Waiter>();
  state: PendingState;
  /** The last request for the card failed. */
  hasFailed = false;
  /** The copy that an answer replaces, as it was known before the request. */
  kept: CardRecord | undefined;
  /** How many wait who are more than admitted. */
  #started = 0;
  /** Those of the best placed waiter. */
  lane: Lane;
  rank: Rank;
  arrival: number;
  /** The earliest time at which a waiter of the lane was promised a permit. */
  promisedAtMs = Number.POSITIVE_INFINITY;
  /** The first that came for the lane. */
  #first: Waiter;

  constructor(first: Waiter, state: PendingState) {
    this.cardId = first.lookup.cardId;
    ({ lane: this.lane, rank: this.rank, arrival: this.arrival } = first);
    this.#first = first;
    this.state = state;
    this.join(first);
  }

  /** The request is booked on the first requester of the lane; the others are saved one. */
  get bookedOn(): Requester {
    return this.#first.lookup.requester;
  }

  /** Whether anyone wants prices, so that a copy without fresh ones does not do. */
  get wantsPrices(): boolean {
    return this.waiters.values().some(({ lookup }) => lookup.showPrices);
  }

  get isRequested(): boolean {
    return this.state.kind === 'requested';
  }

  /** By the monotonic clock. */
  get notBeforeMs(): number {
    return this.state.kind === 'postponed' ? this.state.notBeforeMs : 0;
  }

  /** Bits of `MARKS`. */
  get marks(): number {
    if (this.state.kind === 'postponed') return 0;
    const isReady = this.#started > 0;
    return MARKS.due | (isReady ? MARKS.ready | (this.hasFailed ? 0 : MARKS.untried) : 0);
  }

  join(waiter: Waiter): void {
    this.waiters.add(waiter);
    if (!waiter.reserved) this.#started += 1;
    if (this.isRequested) noteRequest(waiter);
    this.#consider(waiter);
  }

  start(waiter: Waiter): void {
    if (waiter.reserved && this.waiters.has(waiter)) this.#started += 1;
    waiter.reserved = false;
  }

  /** A pending lookup that all have left keeps its place. */
  leave(left: readonly Waiter[]): void {
    for (const waiter of left) {
      if (this.waiters.delete(waiter) && !waiter.reserved) this.#started -= 1;
    }
    const decided = ({ arrival, promisedAtMs }: Waiter) =>
      arrival === this.arrival || arrival === this.#first.arrival || promisedAtMs === this.promisedAtMs;
    if (left.some(decided)) this.#updatePlace();
  }

  requested(): void {
    this.state = { kind: 'requested' };
    for (const waiter of this.waiters) noteRequest(waiter);
  }

  askedElsewhere(): void {
    for (const { progress, onProgress } of this.waiters) {
      if (progress.askedElsewhereAtMs !== undefined) continue;
      progress.askedElsewhereAtMs = Date.now();
      onProgress?.();
    }
  }

  /** The service has counted a request for it. */
  counted(requestNumber: number): void {
    for (const { progress } of this.waiters) progress.requestNumbers.add(requestNumber);
  }

  /** The request brought no answer for it: it waits again. @param rankOf the new rank of each who waits */
  requeue(rankOf: (waiter: Waiter) => Rank): void {
    for (const waiter of this.waiters) waiter.rank = rankOf(waiter);
    this.#updatePlace();
    this.state = { kind: 'waiting' };
  }

  #updatePlace(): void {
    const [first] = this.waiters;
    if (!first) return;
    ({ lane: this.lane, rank: this.rank, arrival: this.arrival, promisedAtMs: this.promisedAtMs } = first);
    this.#first = first;
    for (const waiter of this.waiters) this.#consider(waiter);
  }

  #consider(waiter: Waiter): void {
    const behind = LANES.indexOf(waiter.lane) - LANES.indexOf(this.lane);
    if (behind < 0) this.#first = waiter;
    if (behind < 0) this.promisedAtMs = waiter.promisedAtMs;
    if (behind === 0) this.promisedAtMs = Math.min(this.promisedAtMs, waiter.promisedAtMs);
    if (comparePlaces(waiter, this) < 0) ({ lane: this.lane, rank: this.rank, arrival: this.arrival } = waiter);
  }
}

function noteRequest({ progress, onProgress }: Waiter): void {
  progress.permitAtMs = undefined;
  progress.requestedAtMs ??= Date.now();
  onProgress?.();
}
