import type { Asker } from '../asker.ts';
import { ShareSpent } from '../errors.ts';
import { nextUtcMidnightMs } from '../utc-day.ts';
import type { Ledger } from './ledger.ts';
import type { Pacer } from './pacer.ts';
import { memberCap, type ShareSetting } from './shares.ts';

export interface BudgetOptions {
  ledger: Ledger;
  pacer: Pacer;
  setting: ShareSetting;
  /** By the configured plan, until the service has said how large the day is. */
  plannedDay: number | undefined;
}

/** Whether an asker may still cause requests today. Answers from the cache are nobody's budget. */
export class Budget {
  readonly #options: BudgetOptions;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** Requests that a member, and a Discord server, may cause in a day; `undefined` = no cap. */
  caps(): { member: number | undefined; guild: number | undefined } {
    const { pacer, setting, plannedDay } = this.#options;
    return { member: memberCap(setting, pacer.quota()?.limit ?? plannedDay), guild: setting.guildDaily };
  }

  /**
   * Why no request may be booked on this asker any more today; `undefined` when one may.
   *
   * @param queued what waits for a turn is as good as spent
   */
  refusal(asker: Asker, queued: { member: number; guild: number }): ShareSpent | undefined {
    const { ledger } = this.#options;
    const caps = this.caps();
    const untilMs = nextUtcMidnightMs(Date.now());
    if (caps.member !== undefined && ledger.memberToday(asker.memberId).requests + queued.member >= caps.member) {
      return new ShareSpent('member', caps.member, untilMs);
    }
    if (caps.guild !== undefined && ledger.guildToday(asker).requests + queued.guild >= caps.guild) {
      return new ShareSpent('server', caps.guild, untilMs);
    }
    return undefined;
  }
}
