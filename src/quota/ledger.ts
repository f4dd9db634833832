import type { Bookings } from '../model/quota.ts';
import { type Requester, requesterOf } from '../model/requester.ts';
import { utcDay } from '../time/utc-day.ts';

/** One request, on whom and on which day it was booked. */
export interface Booking {
  requester: Requester;
  /** UTC, such as `2026-11-21`. */
  day: string;
}

/**
 * Who spent the requests: booked by asker, Discord server and UTC day. Nothing here costs a request, waits long, throws
 * or rejects: no question fails for its count.
 */
export interface Ledger {
  /** A request leaves, for this asker. */
  spent(requester: Requester): Booking;
  /**
   * That request was answered with 429, or its connection was never made: it counts as refused, on the day it was booked
   * on, and no longer as spent.
   */
  refused(booking: Booking): void;
  saved(requester: Requester): void;
  today(): Promise<Bookings>;
  guildToday(requester: Requester): Promise<Bookings>;
  /** In whatever server. */
  memberToday(memberId: string): Promise<Bookings>;
  /** Who caused most requests in the asker's server today, most first. */
  topMembers(requester: Requester, count: number): Promise<MemberRequests[]>;
  /** Writes what is not written yet. After this nothing is booked. */
  close(): Promise<void>;
}

export interface MemberRequests {
  memberId: string;
  requests: number;
}

export const KEPT_DAYS = 35;

/** Saved answers are the many; written together they cost next to nothing, and a crash loses a second of them. */
export const WRITE_SAVED_EVERY_MS = 1_000;

/** On today. */
export function bookingOf(requester: Requester): Booking {
  return { requester: requesterOf(requester), day: utcDay(Date.now()) };
}
