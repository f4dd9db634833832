import { BudgetSpent } from '../model/errors.ts';
import type { BudgetSetting } from '../model/plan.ts';
import type { Requester } from '../model/quota.ts';
import { nextUtcMidnightMs } from '../time/utc-day.ts';
import type { Ledger } from './ledger.ts';
import type { Limiter } from './limiter-port.ts';

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

/** What a requester may spend today. */
export interface Allowance {
  /** How many requests a member, and a Discord server, may cause in a day; `undefined` = no cap. */
  caps: { [whose in keyof Charged]: number | undefined };
  /** What is booked already, where there is a cap; otherwise 0. */
  spent: Charged;
}

/** How many requests each member and each Discord server may cause in a day. Answers from the cache do not count. */
export class Budget {
  readonly #options: BudgetOptions;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  caps(): Allowance['caps'] {
    const { limiter, setting, plannedDay } = this.#options;
    return { member: memberCap(setting, limiter.quota()?.limit ?? plannedDay), guild: setting.guildDaily };
  }

  /** Costs no request and never rejects. Each of several processes may exceed a cap by what others book in that moment. */
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
  const isSpent = (whose: keyof Charged) => spent[whose] + queued[whose] >= (caps[whose] ?? Number.POSITIVE_INFINITY);
  const whose = (['member', 'guild'] as const).find(isSpent);
  if (!whose) return undefined;
  const untilMs = nextUtcMidnightMs(Date.now());
  return new BudgetSpent({ whose: whose === 'guild' ? 'server' : whose, cap: caps[whose] ?? 0, untilMs });
}

const DEFAULT_SHARE = 0.1;
const LEAST_DEFAULT = 20;

/** A member's cap; `undefined` when there is none. */
export function memberCap({ memberDaily }: BudgetSetting, dailyLimit: number | undefined): number | undefined {
  if (memberDaily !== undefined) return memberDaily === 0 ? undefined : memberDaily;
  return dailyLimit === undefined ? undefined : Math.max(LEAST_DEFAULT, Math.floor(dailyLimit * DEFAULT_SHARE));
}
