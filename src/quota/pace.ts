import { PLAN_LIMITS, type Plan } from '../plans.ts';
import type { Pace } from './token-bucket.ts';

/** What the operator configured; `auto` goes by the daily limit that the service reports. */
export interface PlanSetting {
  plan: Plan | 'auto';
  requestsPerMinute?: number | undefined;
  burst?: number | undefined;
}

/**
 * The pace that a plan allows, with one token of its burst left out: paced at the exact burst, clocks that differ
 * by a few milliseconds cost a 429 every time.
 *
 * @param dailyLimit as the headers last said; matches a plan or keeps Free's pace
 */
export function planPace(setting: PlanSetting, dailyLimit: number | undefined): Pace {
  const limits = planLimits(setting.plan, dailyLimit);
  const requestsPerMinute = setting.requestsPerMinute ?? limits.requestsPerMinute;
  const burst = setting.burst ?? limits.burst;
  return { intervalMs: 60_000 / requestsPerMinute, capacity: Math.max(1, burst - 1) };
}

function planLimits(plan: Plan | 'auto', dailyLimit: number | undefined) {
  if (plan !== 'auto' && plan !== 'enterprise') return PLAN_LIMITS[plan];
  // Enterprise's own figures are required by the configuration, so the row does not matter.
  return Object.values(PLAN_LIMITS).find(({ requestsPerDay }) => requestsPerDay === dailyLimit) ?? PLAN_LIMITS.free;
}
