import type { PlanSetting } from '../model/plan.ts';
import type { Schedule } from './limiter.ts';
import type { LimiterState } from './limiter-state.ts';
import { paceOf, reportedPlan } from './pace.ts';
import { currentQuota, reserveUntilMs } from './quota.ts';
import { tokenAtMs } from './token-bucket.ts';

/** How well the difference between two clocks is known. */
const SAME_TIME_MS = 100;

/** @param longestWaitMs a longer pause blocks, and is not sat out */
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
