import { PLAN_LIMITS, type Plan, type PlanSetting } from '../model/plan.ts';
import type { Pace } from './token-bucket.ts';

/** Changes when an operator sets another plan, rate or burst. */
export function settingKey({ plan, requestsPerMinute, burst }: PlanSetting): string {
  return [plan, requestsPerMinute ?? '', burst ?? ''].join(' ');
}

/**
 * The pace that a plan allows, with one token of its burst left out: paced at the exact burst, clocks that differ
 * by a few milliseconds cost a 429 every time.
 *
 * @param dailyLimit as the headers last said; matches a plan or keeps Free's pace
 * @param reported as a usage report named the plan, while the headers say what they said then; overrules the daily limit
 */
export function planPace(setting: PlanSetting, dailyLimit: number | undefined, reported?: Plan): Pace {
  const limits = planLimits(setting.plan === 'auto' ? (reported ?? 'auto') : setting.plan, dailyLimit);
  const requestsPerMinute = setting.requestsPerMinute ?? limits.requestsPerMinute;
  const burst = setting.burst ?? limits.burst;
  return { intervalMs: 60_000 / requestsPerMinute, capacity: Math.max(1, burst - 1) };
}

/**
 * The daily limit when `auto` makes nothing of it, so that Free's pace is kept though more may be allowed; `undefined` when
 * the plan is known, or all that it would say is configured.
 */
export function limitOfNoPlan(
  { plan, requestsPerMinute, burst }: PlanSetting,
  dailyLimit: number | undefined,
  reported?: Plan,
): number | undefined {
  if (plan !== 'auto' || (reported !== undefined && reported !== 'enterprise')) return undefined;
  if (requestsPerMinute !== undefined && burst !== undefined) return undefined;
  return limitsByDay(dailyLimit) ? undefined : dailyLimit;
}

/** What each of so many processes may do while they cannot hear of each other. */
export function partOf({ intervalMs, capacity }: Pace, processes: number): Pace {
  return { intervalMs: intervalMs * processes, capacity: Math.max(1, Math.floor(capacity / processes)) };
}

/** The day's requests by the configuration alone; `undefined` when that does not say. */
export function plannedDay({ plan }: PlanSetting): number | undefined {
  return plan === 'enterprise' ? undefined : PLAN_LIMITS[plan === 'auto' ? 'free' : plan].requestsPerDay;
}

function planLimits(plan: Plan | 'auto', dailyLimit: number | undefined) {
  if (plan !== 'auto' && plan !== 'enterprise') return PLAN_LIMITS[plan];
  // Enterprise has no row: its figures are the configuration's or, under `auto`, what the daily limit suggests.
  return limitsByDay(dailyLimit) ?? PLAN_LIMITS.free;
}

function limitsByDay(dailyLimit: number | undefined) {
  return Object.values(PLAN_LIMITS).find(({ requestsPerDay }) => requestsPerDay === dailyLimit);
}
