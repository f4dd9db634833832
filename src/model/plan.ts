import { z } from 'zod';
import { figure, optional, text } from './card.ts';
import type { WindowName } from './quota.ts';

/** What a plan allows; without a number of requests it counts by no such window. */
export interface PlanLimits {
  requestsPerMinute: number;
  /** Requests that may be sent at once after a quiet time. */
  burst: number;
  requestsPerHour?: number | undefined;
  requestsPerDay?: number | undefined;
  requestsPerMonth?: number | undefined;
  /** Requests are counted by a fixed minute, so that there is no burst beyond it. */
  isWindow?: boolean;
}

/** The plans of a card service by their names, the one first that counts until answers tell which it is. */
export type Plans = Readonly<Record<string, PlanLimits>>;

/** Where a plan states no pace, or a description no plan: a judgement of what any service takes. */
export const UNSTATED: PlanLimits = { requestsPerMinute: 120, burst: 5 };

/** What the operator configured; `auto` follows the daily limit that the service reports. */
export interface PlanSetting {
  plan: string;
  plans: Plans;
  /** Every answer states the day: until one does, nothing is known of it. */
  isDayStated?: boolean;
  /** Instead of the plan's day; budgets go by it until answers state one. */
  requestsPerDay?: number | undefined;
  /** Instead of the plan's month. */
  requestsPerMonth?: number | undefined;
  /** The day on which a month begins whose reset is not stated, 1 to 28; 1 unless given. */
  monthBegins?: number;
  /** What is beyond the month costs money. */
  isBilled?: boolean;
  requestsPerMinute?: number | undefined;
  burst?: number | undefined;
}

/** How many requests each window has; absent: it is none, or that is not known. */
export type WindowLimits = { readonly [per in WindowName]?: number | undefined };

/** What a plan and the operator say of windows. */
export function windowsUnder(
  limits: Partial<PlanLimits>,
  { requestsPerDay = limits.requestsPerDay, requestsPerMonth = limits.requestsPerMonth }: PlanSetting,
): WindowLimits {
  return { hour: limits.requestsPerHour, day: requestsPerDay, month: requestsPerMonth };
}

/** The same by the configuration alone. */
export function plannedWindows(setting: PlanSetting): WindowLimits {
  const { plan, plans } = setting;
  return windowsUnder((plan === 'auto' ? Object.values(plans)[0] : plans[plan]) ?? {}, setting);
}

/** How fast a bucket fills and how much it holds. */
export interface Pace {
  /** One token comes in this time. */
  intervalMs: number;
  /** Tokens that a full bucket holds. */
  capacity: number;
  /** Requests of a fixed minute, which the service counts by in place of a bucket; absent: it has a bucket. */
  window?: number | undefined;
}

/** Upstream requests that one member, one Discord server, or all foreign places together may cause per UTC day. */
export interface BudgetSetting {
  /** `undefined` = no cap. */
  guildDaily: number | undefined;
  /** `undefined` = a tenth of the day; 0 = no cap. */
  memberDaily: number | undefined;
  /** `undefined` = a fifth of the day; 0 = members cannot bring the bot along. */
  foreignDaily: number | undefined;
}

const count = optional(figure.pipe(z.int()));

/** The plan's usage report. The interface names no required field, so each may be absent. */
export const Usage = z.object({
  plan: optional(text),
  period: optional(z.object({ startMs: optional(z.number()), endMs: optional(z.number()) })),
  requests: optional(z.object({ used: count, limit: count, remaining: count })),
});
export type Usage = z.infer<typeof Usage>;
