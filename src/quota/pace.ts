import { z } from 'zod';
import { PLAN_LIMITS, type Plan, type PlanSetting } from '../model/plan.ts';
import { nextUtcMidnightMs } from '../time/utc-day.ts';
import type { Schedule } from './limiter.ts';
import type { LimiterState } from './limiter-state.ts';
import { currentQuota, reserveUntilMs } from './quota.ts';
import { fullAtPace, type Pace, tokenAtMs } from './token-bucket.ts';

/** The plan's burst as 429s have shown it to be. */
export const LearnedBurst = z.object({
  /** Tokens that a full bucket holds at most. */
  capacity: z.number().min(1),
  /** When the next window of the day begins, with the plan's own burst again. */
  untilMs: z.number(),
});
export type LearnedBurst = z.infer<typeof LearnedBurst>;

/** The pace at present. The burst was learned for the whole plan, so dividing by processes comes last. */
export function paceOf(state: LimiterState, setting: PlanSetting, nowMs: number): Pace {
  const planned = planPace(setting, state.quota?.limit, reportedPlan(state));
  return dividedPace(learnedPace(planned, state.learnedBurst, nowMs), setting.processes ?? 1);
}

/** When the bucket is full after other headers: the missing tokens take longer at a slower pace. */
export function fullAtMsAfter(before: LimiterState, after: LimiterState, setting: PlanSetting, nowMs: number): number {
  return fullAtPace(before.fullAtMs, nowMs, paceOf(before, setting, nowMs), paceOf(after, setting, nowMs));
}

/** The plan of the last usage report, while the headers state the daily limit that they stated then. */
export function reportedPlan({ quota, plan, planAtLimit }: LimiterState): Plan | undefined {
  return planAtLimit === quota?.limit ? plan : undefined;
}

/** Identifies what an operator has set: plan, rate and burst. */
export function settingKey({ plan, requestsPerMinute, burst }: PlanSetting): string {
  return [plan, requestsPerMinute ?? '', burst ?? ''].join(' ');
}

/**
 * The pace that a plan allows, with one token of its burst left out: at the exact burst, clocks that differ by a few
 * milliseconds cost a 429 every time.
 *
 * @param dailyLimit as the headers last stated it; one that matches no plan keeps Free's pace
 * @param reported the plan of a usage report (see `reportedPlan`); overrules the daily limit
 */
export function planPace(setting: PlanSetting, dailyLimit: number | undefined, reported?: Plan): Pace {
  const limits = planLimits(setting.plan === 'auto' ? (reported ?? 'auto') : setting.plan, dailyLimit);
  const requestsPerMinute = setting.requestsPerMinute ?? limits.requestsPerMinute;
  const burst = setting.burst ?? limits.burst;
  return { intervalMs: 60_000 / requestsPerMinute, capacity: Math.max(1, burst - 1) };
}

/** After an unforeseen 429: half of the burst that was assumed until now, at least 1. */
export function learnBurst(
  planned: Pace,
  known: LearnedBurst | undefined,
  resetsAtMs: number | undefined,
  nowMs: number,
): LearnedBurst {
  const { capacity } = learnedPace(planned, known, nowMs);
  const untilMs = resetsAtMs !== undefined && resetsAtMs > nowMs ? resetsAtMs : nextUtcMidnightMs(nowMs);
  return { capacity: Math.max(1, Math.floor(capacity / 2)), untilMs };
}

export function learnedPace(planned: Pace, known: LearnedBurst | undefined, nowMs: number): Pace {
  if (known === undefined || known.untilMs <= nowMs) return planned;
  return { ...planned, capacity: Math.min(planned.capacity, known.capacity) };
}

/** The pace of each of several processes that cannot coordinate. */
export function dividedPace({ intervalMs, capacity }: Pace, processes: number): Pace {
  return { intervalMs: intervalMs * processes, capacity: Math.max(1, Math.floor(capacity / processes)) };
}

/**
 * The daily limit from which `auto` cannot tell the plan, so that Free's pace is kept though more may be allowed;
 * `undefined` when the plan is known, or rate and burst are configured.
 */
export function unknownLimit(
  { plan, requestsPerMinute, burst }: PlanSetting,
  dailyLimit: number | undefined,
  reported?: Plan,
): number | undefined {
  if (plan !== 'auto' || (reported !== undefined && reported !== 'enterprise')) return undefined;
  if (requestsPerMinute !== undefined && burst !== undefined) return undefined;
  return limitsByDay(dailyLimit) ? undefined : dailyLimit;
}

/** The day's requests by the configuration alone; `undefined` for Enterprise, whose limit is custom. */
export function plannedDay({ plan }: PlanSetting): number | undefined {
  return plan === 'enterprise' ? undefined : PLAN_LIMITS[plan === 'auto' ? 'free' : plan].requestsPerDay;
}

function planLimits(plan: Plan | 'auto', dailyLimit: number | undefined) {
  if (plan !== 'auto' && plan !== 'enterprise') return PLAN_LIMITS[plan];
  // Enterprise has no row: its figures are configured or, under `auto`, those that the daily limit suggests.
  return limitsByDay(dailyLimit) ?? PLAN_LIMITS.free;
}

function limitsByDay(dailyLimit: number | undefined) {
  return Object.values(PLAN_LIMITS).find(({ requestsPerDay }) => requestsPerDay === dailyLimit);
}

/** How well the difference between two clocks is known. */
const SAME_TIME_MS = 100;

/** When permits are expected at that pace. @param longestWaitMs a longer pause blocks, and is not sat out */
export function scheduleOf(state: LimiterState, setting: PlanSetting, longestWaitMs: number, nowMs: number): Schedule {
  const { reason, untilMs } = state.breaker;
  const pace = paceOf(state, setting, nowMs);
  const isSatOut = reason === 'pause' && untilMs - nowMs <= longestWaitMs;
  const pausedUntilMs = Math.max(nowMs, reason === 'pause' ? untilMs : 0);
  return {
    breaker: state.breaker,
    paused: reason === 'pause' && untilMs > nowMs,
    blocked: reason && untilMs > nowMs && !isSatOut ? { reason, untilMs } : undefined,
    reservedUntilMs: reserveUntilMs(currentQuota(state.quota, nowMs), nowMs),
    permitAtMs: (position) => {
      if (reason === 'pause') return pausedUntilMs + (position - 1) * pace.intervalMs;
      const firstMs = tokenAtMs(Math.max(state.fullAtMs, nowMs), nowMs, pace);
      return Math.max(nowMs, firstMs + (position - 1) * pace.intervalMs);
    },
  };
}

/** Whether both give permits at the same times, the bucket apart. */
export function sameSchedule(a: LimiterState, b: LimiterState): boolean {
  return (
    a.breaker.state === b.breaker.state &&
    a.breaker.reason === b.breaker.reason &&
    Math.abs(a.breaker.untilMs - b.breaker.untilMs) <= SAME_TIME_MS &&
    reportedPlan(a) === reportedPlan(b) &&
    a.quota?.limit === b.quota?.limit &&
    a.learnedBurst?.capacity === b.learnedBurst?.capacity
  );
}
