import { z } from 'zod';
import { optional } from './card.ts';

/** The plans whose limits are known. */
export const RATED_PLANS = ['free', 'pro', 'business'] as const;
export type RatedPlan = (typeof RATED_PLANS)[number];
export const PLANS = [...RATED_PLANS, 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** What a plan allows. */
export interface PlanLimits {
  requestsPerDay: number;
  requestsPerMinute: number;
  /** Requests that may be sent at once after a quiet time. */
  burst: number;
}

/** The service's table of limits; Enterprise is "custom", so it has no row. */
export const PLAN_LIMITS: Record<RatedPlan, PlanLimits> = {
  free: { requestsPerDay: 1_000, requestsPerMinute: 10, burst: 20 },
  pro: { requestsPerDay: 50_000, requestsPerMinute: 100, burst: 200 },
  business: { requestsPerDay: 200_000, requestsPerMinute: 500, burst: 1_000 },
};

/** What the operator configured; `auto` follows the daily limit that the service reports. */
export interface PlanSetting {
  plan: Plan | 'auto';
  requestsPerMinute?: number | undefined;
  burst?: number | undefined;
  /** Processes among which the plan is divided while they are isolated from each other; 1 unless given. */
  processes?: number;
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

/** The plan's usage report. The interface names no required field, so each may be absent. */
export const Usage = z.object({
  plan: optional(z.string()),
  period: optional(z.object({ startMs: optional(z.number()), endMs: optional(z.number()) })),
  requests: optional(z.object({ used: optional(z.int()), limit: optional(z.int()), remaining: optional(z.int()) })),
});
export type Usage = z.infer<typeof Usage>;
