import { type Bookings, guildKey, type Requester } from '../../model/quota.ts';
import type { Booking, MemberRequests } from '../../quota/ledger.ts';

/** Bookings of one UTC day that are written together. */
export interface Batch {
  /** Increases with each batch. */
  number: number;
  day: string;
  sums: Map<Scope, Bookings>;
  /** Requests by guild key and member. */
  members: Map<string, Map<string, number>>;
}

/** What a count covers: everything, a Discord server (by its guild key), or a member. */
export type Scope = 'all' | `guild:${string}` | `member:${string}`;

export function guildScope(requester: Requester): Scope {
  return `guild:${guildKey(requester)}`;
}

export function memberScope(memberId: string): Scope {
  return `member:${memberId}`;
}

/** Few enough that Redis adds a batch within some milliseconds. */
const SCOPES_IN_BATCH = 1_000;
/** 13 MB at most, measured with an outage of 25,000 requesters. */
const MAX_BATCHES = 50;

/**
 * Bookings on their way to Redis, oldest first. The batch written last is kept until the next one is written, for reads
 * whose answer is older. With 50 batches, further bookings count in the day's total only, which bounds the memory.
 */
export class UnwrittenBookings {
  readonly #batches: Batch[] = [];
  #lastNumber = 0;
  #sentNumber = 0;
  #writtenNumber = 0;

  get isEmpty(): boolean {
    return this.#lastNumber === this.#writtenNumber;
  }

  add({ requester, day }: Booking, counts: Partial<Bookings>): void {
    const batch = this.#open(day) ?? this.#begin(day);
    addTo(batch.sums, 'all', counts);
    if (isFull(batch)) return;
    addTo(batch.sums, guildScope(requester), counts);
    addTo(batch.sums, memberScope(requester.memberId), counts);
    if (counts.requests === undefined) return;
    const members = batch.members.get(guildKey(requester)) ?? new Map<string, number>();
    members.set(requester.memberId, (members.get(requester.memberId) ?? 0) + counts.requests);
    batch.members.set(guildKey(requester), members);
  }

  /** The oldest batch that is not known to be written, which is no longer changed; `undefined` when all are written. */
  next(): Batch | undefined {
    const batch = this.#since(this.#writtenNumber)[0];
    if (batch) this.#sentNumber = batch.number;
    return batch;
  }

  written({ number }: Batch): void {
    this.#writtenNumber = number;
    while ((this.#batches[0]?.number ?? number) < number) this.#batches.shift();
  }

  /** What was booked after the batch with that number; without one, what is not known to be written. */
  sum(day: string, scope: Scope, number = this.#writtenNumber): Bookings {
    return this.#since(number, day)
      .map(({ sums }) => sums.get(scope) ?? NOTHING)
      .reduce(plus, NOTHING);
  }

  /** Like `sum`: requests by member in one Discord server. */
  members(day: string, guild: string, number = this.#writtenNumber): MemberRequests[] {
    const increases = this.#since(number, day).flatMap(({ members }) => [...(members.get(guild) ?? [])]);
    return increases.map(([memberId, requests]) => ({ memberId, requests }));
  }

  #since(number: number, day?: string): Batch[] {
    return this.#batches.filter((batch) => batch.number > number && (day === undefined || batch.day === day));
  }

  /** The batch that may still change; with the most batches, the last one of the day, full or not. */
  #open(day: string): Batch | undefined {
    const last = this.#since(this.#sentNumber, day).at(-1);
    return last && isFull(last) && this.#batches.length < MAX_BATCHES ? undefined : last;
  }

  #begin(day: string): Batch {
    const batch = { number: ++this.#lastNumber, day, sums: new Map(), members: new Map() };
    this.#batches.push(batch);
    return batch;
  }
}

export const NOTHING: Bookings = { requests: 0, refused: 0, saved: 0 };

export function plus(a: Bookings, b: Partial<Bookings>): Bookings {
  const { requests = 0, refused = 0, saved = 0 } = b;
  return { requests: a.requests + requests, refused: a.refused + refused, saved: a.saved + saved };
}

function addTo(sums: Map<Scope, Bookings>, scope: Scope, counts: Partial<Bookings>): void {
  sums.set(scope, plus(sums.get(scope) ?? NOTHING, counts));
}

function isFull({ sums }: Batch): boolean {
  return sums.size >= SCOPES_IN_BATCH;
}
