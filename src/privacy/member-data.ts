import type { Logger } from '../log.ts';
import type { CounterStore, KeptCounts } from '../quota/ledger.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay } from '../time/utc-day.ts';

/** A member wants what is kept about them to be deleted. */
export interface DeletionRequest {
  memberId: string;
  /** The time in ISO 8601: a later request of the same day is another one. */
  at: string;
  /** The last change of a watch that was made before: what is watched later is kept. */
  lastChange: number;
}

/** Requests of members, in files or for all processes that share a Redis. No method rejects. */
export interface DeletionRequests {
  /** A new request of a member replaces an earlier one. @returns whether it is kept */
  add(request: DeletionRequest): Promise<boolean>;
  all(): Promise<DeletionRequest[]>;
  /** Drops those of days before. */
  drop(beforeDay: string): Promise<void>;
}

/** What a member looked up last. No method rejects. */
export interface MemberHistory {
  /** Names of cards, the latest first; `undefined` when they cannot be read now. */
  lastCards(memberId: string): Promise<readonly string[] | undefined>;
  /** @returns whether nothing is left */
  forget(memberId: string): Promise<boolean>;
}

/** The prices that a member wants to be told of. No method rejects. */
export interface MemberWatches {
  /** @returns `undefined` when they cannot be read now */
  find(of: { member: string }): Promise<readonly unknown[] | undefined>;
  /**
   * Ends all in one step.
   *
   * @param lastChange leaves those that were changed after it
   * @returns the last change before this; `undefined` when they cannot be ended now
   */
  forget(memberId: string, lastChange?: number): Promise<number | undefined>;
}

/** The lists that a member has pasted in the last hour. No method rejects. */
export interface MemberLists {
  /** @returns `undefined` when they cannot be read now */
  count(memberId: string): Promise<number | undefined>;
  /** @returns whether none is left */
  forget(memberId: string): Promise<boolean>;
}

/** Everything that is kept about a member, beyond the reply that they wait for; `undefined`: it cannot be read now. */
export interface KeptAboutMember {
  counts: KeptCounts | undefined;
  /** `off` when they are kept of nobody. */
  lastCards: readonly string[] | 'off' | undefined;
  /** How many. */
  watches: number | undefined;
  /** How many. */
  lists: number | undefined;
}

export interface MemberDataOptions {
  counters: Pick<CounterStore, 'keptOf' | 'deleteDays'>;
  history: MemberHistory;
  watches: MemberWatches;
  lists: MemberLists;
  requests: DeletionRequests;
  /** `MEMBER_HISTORY` */
  keepsHistory: boolean;
  log: Logger;
}

const CHECK_EVERY_MS = 60_000;
/** A lookup can still be booked on a day that is over, because a reply can be completed for 15 minutes. */
const LATE_BOOKINGS_MS = 15 * 60_000;
/** A request is kept this long after its day, so that every process hears of it. */
const KEPT_DAYS = 1;

/** What is kept about members, and its deletion: at once, but for the counts of today, without which no budget would hold. */
export class MemberData {
  readonly #options: MemberDataOptions;
  readonly #timer = setInterval(() => void this.#check(), CHECK_EVERY_MS).unref();
  /** Requests that this process has carried out as far as it could on a day. */
  #done = new Set<string>();

  constructor(options: MemberDataOptions) {
    this.#options = options;
  }

  async kept(memberId: string): Promise<KeptAboutMember> {
    const { counters, history, watches, lists, keepsHistory } = this.#options;
    const [counts, cards, watched, pasted] = await Promise.all([
      counters.keptOf(memberId),
      history.lastCards(memberId),
      watches.find({ member: memberId }),
      lists.count(memberId),
    ]);
    // What was kept before it was switched off is deleted within an hour.
    const isOff = !keepsHistory && cards?.length === 0;
    return { counts, lastCards: isOff ? 'off' : cards, watches: watched?.length, lists: pasted };
  }

  /**
   * Deletes everything about a member; the counts of today when the UTC day has ended.
   *
   * @returns whether it is done, or will be; and when that day ends
   */
  async forget(memberId: string): Promise<{ isForgotten: boolean; dayEndsAtMs: number }> {
    const { watches, lists, requests } = this.#options;
    const nowMs = Date.now();
    const lastChange = await watches.forget(memberId);
    const request = { memberId, at: new Date(nowMs).toISOString(), lastChange: lastChange ?? 0 };
    const isListless = await lists.forget(memberId);
    const done = [lastChange !== undefined, isListless, await requests.add(request), await this.#carryOut(request)];
    return { isForgotten: done.every(Boolean), dayEndsAtMs: nextUtcMidnightMs(nowMs) };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const { requests, log } = this.#options;
    const countedDay = utcDay(Date.now() - LATE_BOOKINGS_MS);
    const all = await requests.all();
    const due = new Map(all.map((request) => [`${keyOf(request)} ${countedDay}`, request]));
    this.#done = new Set([...this.#done].filter((key) => due.has(key)));
    for (const [key, request] of due) {
      if (this.#done.has(key) || !(await this.#carryOut(request))) continue;
      this.#done.add(key);
      if (dayOf(request) < countedDay) log.info("a member's data is deleted, as they asked");
    }
    const keptDay = utcDay(Date.now() - LATE_BOOKINGS_MS - KEPT_DAYS * DAY_MS);
    if (all.some((request) => dayOf(request) < keptDay)) await requests.drop(keptDay);
  }

  async #carryOut(request: DeletionRequest): Promise<boolean> {
    const { counters, history, watches } = this.#options;
    const { memberId, lastChange } = request;
    const day = dayOf(request);
    const yesterday = utcDay(Date.now() - LATE_BOOKINGS_MS - DAY_MS);
    const done = await Promise.all([
      watches.forget(memberId, lastChange),
      counters.deleteDays(memberId, day < yesterday ? day : yesterday),
      history.forget(memberId),
    ]);
    return done.every((each) => each !== false && each !== undefined);
  }
}

function keyOf({ memberId, at }: DeletionRequest): string {
  return `${memberId} ${at}`;
}

/** The UTC day of a request. */
function dayOf({ at }: DeletionRequest): string {
  return at.slice(0, 10);
}
