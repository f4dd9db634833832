import { LRUCache } from 'lru-cache';
import { BudgetSpent, TooManyCommands } from '../model/errors.ts';
import type { BudgetSetting } from '../model/plan.ts';
import { type Bookings, type Requester, requesterOf } from '../model/quota.ts';
import { nextUtcMidnightMs, utcDay } from '../time/utc-day.ts';
import type { HourCounts } from './hours.ts';
import type { Limiter } from './limiter.ts';
import { noEmptierThanEmpty, takeToken, tokenAtMs } from './pace.ts';

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
  /** Today's counts of all, by UTC hour up to the present one; empty while they cannot be read. */
  hours(): Promise<HourCounts[]>;
  guildToday(requester: Requester): Promise<Bookings>;
  /** In all servers. */
  memberToday(memberId: string): Promise<Bookings>;
  /** The members who caused most requests in the requester's server today, most first. */
  topMembers(requester: Requester, count: number): Promise<MemberRequests[]>;
  /** What is kept about a member, of all days. */
  keptOf(memberId: string): Promise<KeptCounts>;
  /** Deletes what is kept about a member of that UTC day and before. @returns whether it could be */
  deleteDays(memberId: string, throughDay: string): Promise<boolean>;
  /** Writes what is not written yet. Nothing may be booked afterwards. */
  close(): Promise<void>;
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

/** Those with a request, most first, equal ones by member id. */
export function mostFirst(requestsBy: ReadonlyMap<string, number>): MemberRequests[] {
  return [...requestsBy]
    .flatMap(([memberId, requests]) => (requests > 0 ? [{ memberId, requests }] : []))
    .sort((a, b) => b.requests - a.requests || (a.memberId < b.memberId ? -1 : 1));
}

export const KEPT_DAYS = 35;

/** Most answers are saved ones. Written together they cost next to nothing, and a crash loses one second of them. */
export const WRITE_SAVED_EVERY_MS = 1_000;

/** A booking on today. */
export function bookingOf(requester: Requester): Booking {
  return { requester: requesterOf(requester), day: utcDay(Date.now()) };
}

export interface BudgetOptions {
  ledger: Ledger;
  limiter: Limiter;
  setting: BudgetSetting;
  /** By the configured plan, until the service has said how large the day is. */
  plannedDay: number | undefined;
}

/** Requests of a member, and of a Discord server. */
export interface Charged {
  member: number;
  guild: number;
}

/** How many requests a member, and a Discord server, may cause in a day; `undefined` = no cap. */
export type BudgetCaps = { [whose in keyof Charged]: number | undefined };

/** What a requester may spend today. */
export interface Allowance {
  caps: BudgetCaps;
  /** What is booked already, where there is a cap; otherwise 0. */
  spent: Charged;
}

/** How many requests each member and each Discord server may cause in a day. Answers from the cache do not count. */
export class Budget {
  readonly #options: BudgetOptions;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  caps(): BudgetCaps {
    const { limiter, setting, plannedDay } = this.#options;
    return { member: memberCap(setting, limiter.quota()?.limit ?? plannedDay), guild: setting.guildDaily };
  }

  /**
   * Costs no request and never rejects. Of several processes, each may exceed a cap by what the others book in the same
   * moment.
   */
  async allowanceOf(requester: Requester): Promise<Allowance> {
    const { ledger } = this.#options;
    const caps = this.caps();
    const [member, guild] = await Promise.all([
      caps.member === undefined ? undefined : ledger.memberToday(requester.memberId),
      caps.guild === undefined ? undefined : ledger.guildToday(requester),
    ]);
    return { caps, spent: { member: member?.requests ?? 0, guild: guild?.requests ?? 0 } };
  }
}

/**
 * Why no further request may be booked on a requester today; `undefined` when one may.
 *
 * @param queued what waits for a permit counts as spent
 */
export function budgetRefusal({ caps, spent }: Allowance, queued: Charged): BudgetSpent | undefined {
  const untilMs = nextUtcMidnightMs(Date.now());
  if (caps.member !== undefined && spent.member + queued.member >= caps.member) {
    return new BudgetSpent({ whose: 'member', cap: caps.member, untilMs });
  }
  if (caps.guild !== undefined && spent.guild + queued.guild >= caps.guild) {
    return new BudgetSpent({ whose: 'server', cap: caps.guild, untilMs });
  }
  return undefined;
}

const DEFAULT_SHARE = 0.1;
const LEAST_DEFAULT = 20;

/** A member's cap; `undefined` when there is none. */
export function memberCap({ memberDaily }: BudgetSetting, dailyLimit: number | undefined): number | undefined {
  if (memberDaily !== undefined) return memberDaily === 0 ? undefined : memberDaily;
  return dailyLimit === undefined ? undefined : Math.max(LEAST_DEFAULT, Math.floor(dailyLimit * DEFAULT_SHARE));
}

/** Faster than anyone types. */
const COMMANDS_A_MINUTE = 240;
const PACE = { intervalMs: 60_000 / COMMANDS_A_MINUTE, capacity: COMMANDS_A_MINUTE };
const MEMBERS = 10_000;

/** Limits each member's commands, by a token bucket for each of the members seen last. */
export class CommandRate {
  readonly #fullAtMs = new LRUCache<string, number>({ max: MEMBERS });

  /** @throws TooManyCommands when the member has sent more than 240 in a minute */
  count(memberId: string, nowMs: number): void {
    const fullAtMs = this.#fullAtMs.get(memberId) ?? 0;
    const spentMs = takeToken(fullAtMs, nowMs, PACE);
    if (spentMs === undefined) {
      // Bounded: after a clock was set back the bucket would otherwise stay empty until the clock has caught up.
      this.#fullAtMs.set(memberId, noEmptierThanEmpty(fullAtMs, nowMs, PACE));
      throw new TooManyCommands({ untilMs: tokenAtMs(fullAtMs, nowMs, PACE) });
    }
    this.#fullAtMs.set(memberId, spentMs);
  }
}
