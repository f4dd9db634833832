import { BudgetSpent } from '../model/errors.ts';
import type { BudgetSetting } from '../model/plan.ts';
import type { Requester } from '../model/quota.ts';
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
