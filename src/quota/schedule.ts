import type { PlanSetting } from '../model/plan.ts';
import type { Breaker } from './circuit-breaker.ts';
import type { ClosedWhy, Schedule } from './limiter.ts';
import { type LimiterState, paceOf, reportedPlan } from './limiter-state.ts';
import { currentQuota } from './quota.ts';
import { reserveUntilMs } from './reserve.ts';
import { tokenAtMs } from './token-bucket.ts';

/** Clocks that differ are never known exactly. */
const SAME_TIME_MS = 100;

/** @param longestWaitMs what anybody waits for at most: a pause that is longer closes */
export function scheduleOf(state: LimiterState, setting: PlanSetting, longestWaitMs: number, nowMs: number): Schedule {
  const { why, untilMs } = state.breaker;
  const pace = paceOf(state, setting, nowMs);
  const closing = closedBy(why, untilMs - nowMs > longestWaitMs);
  const pausedUntilMs = Math.max(nowMs, why === 'minute' ? untilMs : 0);
  return {
    breaker: state.breaker,
    paused: why === 'minute' && untilMs > nowMs,
    closed: closing && untilMs > nowMs ? { why: closing, untilMs } : undefined,
    reservedUntilMs: reserveUntilMs(currentQuota(state.quota, nowMs), nowMs),
    permitAtMs: (position) => {
      if (why === 'minute') return pausedUntilMs + (position - 1) * pace.intervalMs;
      const firstMs = tokenAtMs(Math.max(state.fullAtMs, nowMs), nowMs, pace);
      return Math.max(nowMs, firstMs + (position - 1) * pace.intervalMs);
    },
  };
}

/** A pause that is longer than anybody waits closes, too. */
function closedBy(why: Breaker['why'], isLong: boolean): ClosedWhy | undefined {
  if (why === 'minute') return isLong ? 'pause' : undefined;
  return why === 'open' ? undefined : why;
}

/** Whether turns come at the same times by both, as far as the bucket does not say. */
export function sameSchedule(a: LimiterState, b: LimiterState): boolean {
  return (
    a.breaker.why === b.breaker.why &&
    a.breaker.probing === b.breaker.probing &&
    Math.abs(a.breaker.untilMs - b.breaker.untilMs) <= SAME_TIME_MS &&
    reportedPlan(a) === reportedPlan(b) &&
    a.quota?.limit === b.quota?.limit &&
    a.learnedBurst?.capacity === b.learnedBurst?.capacity
  );
}
