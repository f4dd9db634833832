import type { Bookings } from '../model/quota.ts';
import { type Requester, requesterOf } from '../model/requester.ts';
import { utcDay } from '../time/utc-day.ts';

/** One request that is booked on its requester, on one day. */
export interface Booking {
  requester: Requester;
  /** UTC, such as `2026-11-21`. */
  day: string;
}

/**
 * Who caused which requests, by member, Discord server and UTC day. No method costs a request, waits long, throws or
 * rejects: no lookup fails because it cannot be counted.
 */
export interface Ledger {
  /** A request leaves for this requester. */
  spent(requester: Requester): Booking;
  /** The request was answered with 429, or never connected: it counts as refused, and not as spent, on its own day. */
  refused(booking: Booking): void;
  /** An answer came without a request of its own. */
  saved(requester: Requester): void;
  today(): Promise<Bookings>;
  guildToday(requester: Requester): Promise<Bookings>;
  /** In all servers. */
  memberToday(memberId: string): Promise<Bookings>;
  /** The members who caused most requests in the requester's server today, most first. */
  topMembers(requester: Requester, count: number): Promise<MemberRequests[]>;
  /** Writes what is not written yet. Nothing may be booked afterwards. */
  close(): Promise<void>;
}

export interface MemberRequests {
  memberId: string;
  requests: number;
}

export const KEPT_DAYS = 35;

/** Most answers are saved ones. Written together they cost next to nothing, and a crash loses one second of them. */
export const WRITE_SAVED_EVERY_MS = 1_000;

/** A booking on today. */
export function bookingOf(requester: Requester): Booking {
  return { requester: requesterOf(requester), day: utcDay(Date.now()) };
}
