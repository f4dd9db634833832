import type { Logger } from '../log.ts';
import type { Rows } from '../model/store/rows.ts';
import type { Ledger } from '../quota/ledger.ts';
import { DAY_MS, every, nextUtcMidnightMs, utcDay } from '../time.ts';
import type { KeptLists } from './kept-lists.ts';
import type { Watches } from './watches.ts';

/**
 * The part with the wishes of members that what is kept about them be deleted: member to time in ISO 8601, since a
 * later wish of the same day is another one.
 */
export const DELETION_REQUESTS = 'deletion-requests';
/** Longer than any count is kept: a bot that was stopped carries them out at its next start. */
const REQUESTS_KEPT_MS = 40 * DAY_MS;

/** What members looked up last. No method rejects. */
export interface MemberHistory {
  /** Names of cards, the latest first; `undefined` when they cannot be read now. */
  lastCards(memberId: string): Promise<readonly string[] | undefined>;
  /** @returns whether nothing is left */
  forget(memberId: string): Promise<boolean>;
}

interface MemberDataOptions {
  ledger: Pick<Ledger, 'keptOf' | 'deleteDays'>;
  history: MemberHistory;
  /** The prices that they want to be told of. */
  watches: Pick<Watches, 'find' | 'forget'>;
  /** Those that they have pasted in the last hour. */
  lists: Pick<KeptLists, 'find' | 'forget'>;
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
  /** Ends the checks for requests of the past and of other processes. */
  readonly close = every(CHECK_EVERY_MS, () => void this.#check());
  /** Requests that this process has carried out: of whom, of when, and on which day as far as it could then. */
  #done = new Set<string>();

  constructor(options: MemberDataOptions) {
    this.#options = options;
  }

  /**
   * Everything that is kept about a member, beyond the reply that they wait for: of watches and lists, how many there
   * are. `undefined`: it cannot be read now; `off`: last cards are kept of nobody.
   */
  async kept(memberId: string) {
    const { ledger, history, watches, lists, keepsHistory } = this.#options;
    const [counts, cards, watched, pasted] = await Promise.all([
      ledger.keptOf(memberId),
      history.lastCards(memberId),
      watches.find({ member: memberId }),
      lists.find({ member: memberId }),
    ]);
    // What was kept before it was switched off is deleted within an hour.
    const lastCards = !keepsHistory && cards?.length === 0 ? ('off' as const) : cards;
    return { counts, lastCards, watches: watched?.length, lists: pasted?.length };
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
    const done = [
      ...[await watches.forget(memberId), await lists.forget(memberId)],
      await rows.write([{ part: DELETION_REQUESTS, key: memberId, value: at }], { keepMs: REQUESTS_KEPT_MS }),
      await this.#carryOut(memberId, at),
    ];
    return { isForgotten: done.every(Boolean), dayEndsAtMs: nextUtcMidnightMs(nowMs) };
  }

  async #check(): Promise<void> {
    const { rows, log } = this.#options;
    const bookedUntilMs = Date.now() - LATE_BOOKINGS_MS;
    const countedDay = utcDay(bookedUntilMs);
    const keptDay = utcDay(bookedUntilMs - KEPT_DAYS * DAY_MS);
    const done = new Set<string>();
    for (const [memberId, at] of (await rows.read(DELETION_REQUESTS)) ?? []) {
      const request = `${memberId} ${at} ${countedDay}`;
      if (!this.#done.has(request)) {
        if (!(await this.#carryOut(memberId, at))) continue;
        if (at < countedDay) log.info("a member's data is deleted, as they asked");
      }
      done.add(request);
      if (Date.parse(at) >= Date.parse(keptDay)) continue;
      const row = { part: DELETION_REQUESTS, key: memberId, value: at };
      await rows.write([{ ...row, value: undefined }], { ifStill: [row], keepMs: REQUESTS_KEPT_MS });
    }
    this.#done = done;
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
