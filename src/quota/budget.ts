import { BudgetSpent } from '../model/errors.ts';
import type { BudgetSetting } from '../model/plan.ts';
import type { Requester } from '../model/requester.ts';
import { nextUtcMidnightMs } from '../time/utc-day.ts';

import type { Ledger } from './ledger.ts';
import type { Limiter } from './limiter.ts';

export interface BudgetOptions {
  ledger: Ledger;
  limiter: Limiter;
  setting: BudgetSetting;
  /** By the configured plan, until the service has said how large the day is. */
  plannedDay: number | undefined;
}

/** Requests that count against a member, and those that count against a Discord server. */
export interface Charged {
  member: number;
  guild: number;
}

/** Whether an asker may still cause requests today. Answers from the cache are nobody's budget. */
export class Budget {
  readonly #options: BudgetOptions;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** Requests that a member, and a Discord server, may cause in a day; `undefined` = no cap. */
  caps(): { [whose in keyof Charged]: number | undefined } {
    const { limiter, setting, plannedDay } = this.#options;
    return { member: memberCap(setting, limiter.quota()?.limit ?? plannedDay), guild: setting.guildDaily };
  }

  /**
   * What is booked on the asker today, where there is a cap; else 0. Costs no request and never rejects. A cap is soft by
   * what is booked after this was read: in a single process nothing, among several what leaves in the same moment.
   */
  async spentBy(requester: Requester): Promise<Charged> {
    const { ledger } = this.#options;
    const caps = this.caps();
    const [member, guild] = await Promise.all([
      caps.member === undefined ? undefined : ledger.memberToday(requester.memberId),
      caps.guild === undefined ? undefined : ledger.guildToday(requester),
    ]);
    return { member: member?.requests ?? 0, guild: guild?.requests ?? 0 };
  }

  /**
   * Why no request may be booked any more today on who has spent so much; `undefined` when one may.
   *
   * @param queued what waits for a turn is as good as spent
   */
  refusal(spent: Charged, queued: Charged): BudgetSpent | undefined {
    const caps = this.caps();
    const untilMs = nextUtcMidnightMs(Date.now());
    if (caps.member !== undefined && spent.member + queued.member >= caps.member) {
      return new BudgetSpent('member', caps.member, untilMs);
    }
    if (caps.guild !== undefined && spent.guild + queued.guild >= caps.guild) {
      return new BudgetSpent('server', caps.guild, untilMs);
    }
    return undefined;
  }
}

const DEFAULT_SHARE = 0.1;
const LEAST_DEFAULT = 20;

/** A member's cap; `undefined` when there is none. */
export function memberCap({ memberDaily }: BudgetSetting, dailyLimit: number | undefined): number | undefined {
  if (memberDaily !== undefined) return memberDaily === 0 ? undefined : memberDaily;
  return dailyLimit === undefined ? undefined : Math.max(LEAST_DEFAULT, Math.floor(dailyLimit * DEFAULT_SHARE));
}
