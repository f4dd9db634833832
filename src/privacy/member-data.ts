import type { Logger } from '../log.ts';
import type { Rows } from '../model/rows.ts';
import type { KeptCounts, Ledger } from '../quota/ledger.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay } from '../time/utc-day.ts';

/**
 * The part with the wishes of members that what is kept about them be deleted: member to time in ISO 8601, since a
 * later wish of the same day is another one.
 */
export const DELETION_REQUESTS = 'deletion-requests';
/** Longer than any count is kept: a bot that was stopped carries them out at its next start. */
const REQUESTS_KEPT_MS = 40 * DAY_MS;

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
  /** Ends all. @returns whether none is left */
  forget(memberId: string): Promise<boolean>;
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
  ledger: Pick<Ledger, 'keptOf' | 'deleteDays'>;
  history: MemberHistory;
  watches: MemberWatches;
  lists: MemberLists;
  rows: Rows;
  /** `MEMBER_HISTORY` */
  keepsHistory: boolean;
  log: Logger;
}

const CHECK_EVERY_MS = 60_000;
/** A lookup can still be booked on a day that is over, because a reply can be completed for 15 minutes. */
const LATE_BOOKINGS_MS = 15 * 60_000;
/** A request is kept this long after its day, so that every process hears of it. */
const KEPT_DAYS = 1;

/**
 * What is kept about members, and its deletion: at once, but for the counts of today, without which no budget would
 * hold.
 */
export class MemberData {
  readonly #options: MemberDataOptions;
  readonly #timer = setInterval(() => void this.#check(), CHECK_EVERY_MS).unref();
  /** Requests that this process has carried out as far as it could on a day. */
  #done = new Set<string>();

  constructor(options: MemberDataOptions) {
    this.#options = options;
  }

  async kept(memberId: string): Promise<KeptAboutMember> {
    const { ledger, history, watches, lists, keepsHistory } = this.#options;
    const [counts, cards, watched, pasted] = await Promise.all([
      ledger.keptOf(memberId),
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
    const { watches, lists, rows } = this.#options;
    const nowMs = Date.now();
    const at = new Date(nowMs).toISOString();
    const done = [await watches.forget(memberId), await lists.forget(memberId)];
    const request = { part: DELETION_REQUESTS, key: memberId, value: at };
    done.push((await rows.write([request], { keepMs: REQUESTS_KEPT_MS })) ?? false, await this.#carryOut(memberId, at));
    return { isForgotten: done.every(Boolean), dayEndsAtMs: nextUtcMidnightMs(nowMs) };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const { rows, log } = this.#options;
    const bookedUntilMs = Date.now() - LATE_BOOKINGS_MS;
    const countedDay = utcDay(bookedUntilMs);
    const keptDay = utcDay(bookedUntilMs - KEPT_DAYS * DAY_MS);
    const requests = (await rows.read(DELETION_REQUESTS)) ?? new Map<string, string>();
    const keyOf = (request: readonly string[]) => [...request, countedDay].join(' ');
    const due = new Map([...requests].map((request) => [keyOf(request), request]));
    this.#done = new Set([...this.#done].filter((key) => due.has(key)));
    for (const [key, [memberId, at]] of due) {
      if (Number.isNaN(Date.parse(at))) rows.drop(DELETION_REQUESTS, memberId);
      else if (!this.#done.has(key) && (await this.#carryOut(memberId, at))) {
        this.#done.add(key);
        if (at < countedDay) log.info("a member's data is deleted, as they asked");
      }
    }
    const old = [...requests].filter(([, at]) => at < keptDay);
    const drops = old.map(([key]) => ({ part: DELETION_REQUESTS, key, value: undefined }));
    if (drops.length > 0) await rows.write(drops, { keepMs: REQUESTS_KEPT_MS });
  }

  /** @param at when the member said so */
  async #carryOut(memberId: string, at: string): Promise<boolean> {
    const { ledger, history } = this.#options;
    const day = at.slice(0, 10);
    const yesterday = utcDay(Date.now() - LATE_BOOKINGS_MS - DAY_MS);
    const done = [ledger.deleteDays(memberId, day < yesterday ? day : yesterday), history.forget(memberId)];
    return (await Promise.all(done)).every(Boolean);
  }
}
