import type { Gate } from './gate.ts';
import type { PlanSetting } from './pace.ts';
import type { ClosedWhy, Outlook } from './pacer.ts';
import { type PacingState, paceOf, reportedPlan } from './pacing.ts';
import { currentQuota } from './quota.ts';
import { reserveUntilMs } from './reserve.ts';
import { tokenAtMs } from './token-bucket.ts';

/** Clocks that differ are never known exactly. */
const SAME_TIME_MS = 100;

/** @param longestWaitMs what anybody waits for at most: a pause that is longer closes */
export function outlookOf(state: PacingState, setting: PlanSetting, longestWaitMs: number, nowMs: number): Outlook {
  const { why, untilMs } = state.gate;
  const pace = paceOf(state, setting, nowMs);
  const closing = closedBy(why, untilMs - nowMs > longestWaitMs);
  const pausedUntilMs = Math.max(nowMs, why === 'minute' ? untilMs : 0);
  return {
    gate: state.gate,
    paused: why === 'minute' && untilMs > nowMs,
    closed: closing && untilMs > nowMs ? { why: closing, untilMs } : undefined,
    reservedUntilMs: reserveUntilMs(currentQuota(state.quota, nowMs), nowMs),
    turnAtMs: (position) => {
      if (why === 'minute') return pausedUntilMs + (position - 1) * pace.intervalMs;
      const firstMs = tokenAtMs(Math.max(state.fullAtMs, nowMs), nowMs, pace);
      return Math.max(nowMs, firstMs + (position - 1) * pace.intervalMs);
    },
  };
}

/** A pause that is longer than anybody waits closes, too. */
function closedBy(why: Gate['why'], isLong: boolean): ClosedWhy | undefined {
  if (why === 'minute') return isLong ? 'pause' : undefined;
  return why === 'open' ? undefined : why;
}

/** Whether turns come at the same times by both, as far as the bucket does not say. */
export function sameOutlook(a: PacingState, b: PacingState): boolean {
  return (
    a.gate.why === b.gate.why &&
    a.gate.probing === b.gate.probing &&
    Math.abs(a.gate.untilMs - b.gate.untilMs) <= SAME_TIME_MS &&
    reportedPlan(a) === reportedPlan(b) &&
    a.quota?.limit === b.quota?.limit &&
    a.learnedBurst?.capacity === b.learnedBurst?.capacity
  );
}
