import { type Bookings, FOREIGN, guildKey, type Requester, WATCHES } from '../model/quota.ts';
import { utcDay } from '../time/utc-day.ts';
import { type HourCounts, hourCounts } from './hours.ts';

/** One request that is booked on its requester, on one day. */
export interface Booking {
  requester: Requester;
  /** UTC, such as `2026-11-21`. */
  day: string;
}

/** How much is kept about a member. */
export interface KeptCounts {
  days: number;
  requests: number;
  saved: number;
}

export interface MemberRequests {
  memberId: string;
  requests: number;
}

/** One Discord server, as `guildKey` names it, or one member in all servers. */
export type Counted = { guild: string } | { member: string };

/**
 * Counts of each member in each Discord server on each UTC day, kept for 35 days. No method throws or rejects; what cannot
 * be read counts as zero.
 */
export interface CounterStore {
  /** Included in everything that is read from now on. */
  add(booking: Booking, counts: Partial<Bookings>): void;
  /** Stores what was added. */
  write(): Promise<void>;
  /** Without `of`: of all. No count is below zero. */
  sums(day: string, of?: Counted): Promise<Bookings>;
  /** The day's sums before the first booking in each hour; `undefined` while they cannot be read. */
  hourStarts(day: string): Promise<ReadonlyMap<number, HourCounts> | undefined>;
  /** The members of a server with most requests, most first, equal ones by member id. */
  topMembers(day: string, guild: string, count: number): Promise<MemberRequests[]>;
  /** What is kept about a member, of all days; `undefined` while that cannot be read. */
  keptOf(memberId: string): Promise<KeptCounts | undefined>;
  /** Deletes what is kept about a member of that UTC day and before. @returns whether it could be */
  deleteDays(memberId: string, throughDay: string): Promise<boolean>;
}

/** Most answers are saved ones. Written together they cost next to nothing, and a crash loses one second of them. */
const WRITE_SAVED_EVERY_MS = 1_000;

/**
 * Who caused which requests, by member, Discord server and UTC day. No method costs a request, waits long, throws or
 * rejects: no lookup fails because it cannot be counted.
 */
export class Ledger {
  readonly counters: CounterStore;
  #nextWrite: NodeJS.Timeout | undefined;

  constructor(counters: CounterStore) {
    this.counters = counters;
  }

  /** A request leaves for this requester. */
  spent(requester: Requester): Booking {
    const booking = { requester, day: utcDay(Date.now()) };
    this.counters.add(booking, { requests: 1 });
    void this.#write();
    return booking;
  }

  /** The request was answered with 429, or never connected: it counts as refused, and not as spent, on its own day. */
  refused(booking: Booking): void {
    this.counters.add(booking, { requests: -1, refused: 1 });
    void this.#write();
  }

  /** An answer came without a request of its own. */
  saved(requester: Requester): void {
    this.counters.add({ requester, day: utcDay(Date.now()) }, { saved: 1 });
    this.#nextWrite ??= setTimeout(() => void this.#write(), WRITE_SAVED_EVERY_MS).unref();
  }

  today(): Promise<Bookings> {
    return this.counters.sums(utcDay(Date.now()));
  }

  /** Today's counts of all, by UTC hour up to the present one; empty while they cannot be read. */
  async hours(): Promise<HourCounts[]> {
    const nowMs = Date.now();
    const day = utcDay(nowMs);
    const [sums, starts] = await Promise.all([this.counters.sums(day), this.counters.hourStarts(day)]);
    return starts ? hourCounts(starts, sums, nowMs) : [];
  }

  /** What left for watches, and is no member's. */
  watchesToday(): Promise<Bookings> {
    return this.counters.sums(utcDay(Date.now()), { guild: WATCHES });
  }

  guildToday(requester: Requester): Promise<Bookings> {
    return this.counters.sums(utcDay(Date.now()), { guild: guildKey(requester) });
  }

  /** Everything that came without the install of a server. */
  foreignToday(): Promise<Bookings> {
    return this.counters.sums(utcDay(Date.now()), { guild: FOREIGN });
  }

  /** In all servers. */
  memberToday(memberId: string): Promise<Bookings> {
    return this.counters.sums(utcDay(Date.now()), { member: memberId });
  }

  /** The members who caused most requests in the requester's server today, most first. */
  topMembers(requester: Requester, count: number): Promise<MemberRequests[]> {
    return this.counters.topMembers(utcDay(Date.now()), guildKey(requester), count);
  }

  /** Writes what is not written yet. Nothing may be booked afterwards. */
  close(): Promise<void> {
    return this.#write();
  }

  #write(): Promise<void> {
    clearTimeout(this.#nextWrite);
    this.#nextWrite = undefined;
    return this.counters.write();
  }
}

/**
 * The name of a UTC day under which requests to a card service with ids of its own are counted, so that nobody's budget counts
 * those to another; the default interface has the day alone. It begins with the day, and `~` comes after all of a day.
 */
export function dayOfService(day: string, service: string | undefined): string {
  return service === undefined ? day : `${day}.${service}`;
}
