import type { PlanSetting } from '../model/plan.ts';
import { sharedOut, WINDOW_MS, windowSlotsMs } from './learned.ts';
import type { Schedule } from './limiter.ts';
import type { LimiterState } from './limiter-state.ts';
import { paceOf, tokenAtMs } from './pace.ts';
import { currentQuota, reserveUntilMs } from './quota.ts';

/**
 * When permits are expected at that pace.
 *
 * @param longestWaitMs a longer pause blocks, and is not sat out
 * @param underWay requests, each of which takes a place in a window
 */
export function scheduleOf(
  state: LimiterState,
  setting: PlanSetting,
  longestWaitMs: number,
  nowMs: number,
  underWay: number,
): Omit<Schedule, 'isIsolated'> {
  const { reason, untilMs } = state.breaker;
  const pace = paceOf(state, setting);
  const isSatOut = reason === 'pause' && untilMs - nowMs <= longestWaitMs;
  const pausedUntilMs = Math.max(nowMs, reason === 'pause' ? untilMs : 0);
  const ofWindowMs = windowSlotsMs(sharedOut(state.learned, setting.processes ?? 1), underWay, nowMs);
  const slotsMs = ofWindowMs.map((atMs) => Math.max(atMs, pausedUntilMs));
  return {
    breaker: state.breaker,
    learned: { window: state.learned.window, capacity: state.learned.capacity },
    paused: reason === 'pause' && untilMs > nowMs,
    blocked: reason && untilMs > nowMs && !isSatOut ? { reason, untilMs } : undefined,
    reservedUntilMs: reserveUntilMs(currentQuota(state.quota, nowMs), nowMs),
    permitAtMs: (position) => {
      if (slotsMs.length > 0) {
        const rounds = Math.floor((position - 1) / slotsMs.length);
        return (slotsMs[(position - 1) % slotsMs.length] ?? nowMs) + rounds * WINDOW_MS;
      }
      if (reason === 'pause') return pausedUntilMs + (position - 1) * pace.intervalMs;
      const firstMs = tokenAtMs(Math.max(state.fullAtMs, nowMs), nowMs, pace);
      return Math.max(nowMs, firstMs + (position - 1) * pace.intervalMs);
    },
  };
}
