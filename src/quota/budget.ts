import { BudgetSpent } from '../model/errors.ts';
import type { BudgetSetting, Requester, WindowQuota } from '../model/quota.ts';
import { nextUtcMidnightMs } from '../time.ts';
import type { Ledger } from './ledger.ts';
import type { Limiter } from './limiter.ts';
import { atLeastOfDay, isOfDay } from './windows.ts';

export interface BudgetOptions {
  ledger: Ledger;
  limiter: Limiter;
  setting: BudgetSetting;
  /** By the configured plan, until the service has said how large the day is. */
  plannedDay: number | undefined;
}

/** Requests of a member, and of a Discord server; all foreign places are one server. */
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
  /** `guild` is what all foreign places share. */
  isForeign?: boolean;
}

/**
 * How many requests each member, each Discord server and all foreign places may cause in a day. Answers from the cache
 * do not count.
 */
export class Budget {
  readonly #options: BudgetOptions;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** The requests of a day, as the service or else its plan has it; `undefined` where neither tells of a day. */
  get day(): number | undefined {
    const { limiter, plannedDay } = this.#options;
    return dayLimitOf(limiter.view().windows) ?? plannedDay;
  }

  caps({ isInstalled }: Pick<Requester, 'isInstalled'>): Allowance['caps'] {
    const { setting } = this.#options;
    const { day } = this;
    const guild = isInstalled === false ? foreignCap(setting.foreignDaily, day) : setting.guildDaily;
    return { member: memberCap(setting.memberDaily, day), guild };
  }

  /**
   * Costs no request and never rejects. Each of several processes may exceed a cap by what others book in that moment.
   */
  async allowanceOf(requester: Requester): Promise<Allowance> {
    const { ledger } = this.#options;
    const caps = this.caps(requester);
    const [member, guild] = await Promise.all([
      caps.member === undefined ? undefined : ledger.memberToday(requester.memberId),
      caps.guild === undefined ? undefined : ledger.guildToday(requester),
    ]);
    const spent = { member: member?.requests ?? 0, guild: guild?.requests ?? 0 };
    return { caps, spent, isForeign: requester.isInstalled === false };
  }
}

/** The requests of a day; `undefined` where none is known. */
export function dayLimitOf(windows: readonly WindowQuota[]): number | undefined {
  const limits = windows.filter(isOfDay).flatMap(({ limit }) => limit ?? []);
  return limits.length > 0 ? Math.min(...limits) : undefined;
}

/**
 * Why no further request may be booked on a requester today; `undefined` when one may.
 *
 * @param queued what waits for a permit counts as spent
 */
export function budgetRefusal({ caps, spent, isForeign }: Allowance, queued: Charged): BudgetSpent | undefined {
  const isSpent = (whose: keyof Charged) => spent[whose] + queued[whose] >= (caps[whose] ?? Infinity);
  const spentBy = (['member', 'guild'] as const).find(isSpent);
  if (!spentBy) return undefined;
  const whose = spentBy === 'member' ? spentBy : isForeign ? 'foreign' : 'server';
  const cap = caps[spentBy] ?? 0;
  return new BudgetSpent({ whose, cap, ...(cap > 0 && { untilMs: nextUtcMidnightMs(Date.now()) }) });
}

/** Shares of the day, unless something is set. */
const MEMBER_SHARE = 0.1;
const FOREIGN_SHARE = 0.2;
const LEAST_SHARE = 20;

/** A member's cap; `undefined` when there is none, as for a configured 0. @param day how many requests it has */
export function memberCap(configured: number | undefined, day: number | undefined): number | undefined {
  if (configured !== undefined || day === undefined) return configured || undefined;
  return atLeastOfDay(LEAST_SHARE, Math.floor(day * MEMBER_SHARE), day);
}

/** The cap of all foreign places together; `undefined` while the day's requests are not known. */
export function foreignCap(configured: number | undefined, day: number | undefined): number | undefined {
  if (configured !== undefined || day === undefined) return configured;
  return Math.max(LEAST_SHARE, Math.floor(day * FOREIGN_SHARE));
}
