import type { PlanSetting } from '../model/plan.ts';
import { sharedOut, WINDOW_MS, windowSlotsMs } from './learned.ts';
import type { Schedule } from './limiter.ts';
import type { LimiterState } from './limiter-state.ts';
import { paceOf, tokenAtMs } from './pace.ts';
import { currentQuota, reserveUntilMs } from './quota.ts';

/** When permits are expected at that pace. @param longestWaitMs a longer pause blocks, and is not sat out */
export function scheduleOf(
  state: LimiterState,
  setting: PlanSetting,
  longestWaitMs: number,
  nowMs: number,
): Omit<Schedule, 'isIsolated'> {
  const { reason, untilMs } = state.breaker;
  const pace = paceOf(state, setting);
  const isSatOut = reason === 'pause' && untilMs - nowMs <= longestWaitMs;
  const slotsMs = windowSlotsMs(sharedOut(state.learned, setting.processes ?? 1), 0, nowMs);
  const pausedUntilMs = Math.max(nowMs, reason === 'pause' ? untilMs : 0);
  return {
    breaker: state.breaker,
    learned: { window: state.learned.window, capacity: state.learned.capacity },
    paused: reason === 'pause' && untilMs > nowMs,
    blocked: reason && untilMs > nowMs && !isSatOut ? { reason, untilMs } : undefined,
    reservedUntilMs: reserveUntilMs(currentQuota(state.quota, nowMs), nowMs),
    permitAtMs: (position) => {
      if (reason === 'pause') return pausedUntilMs + (position - 1) * pace.intervalMs;
      if (slotsMs.length > 0) {
        const rounds = Math.floor((position - 1) / slotsMs.length);
        return (slotsMs[(position - 1) % slotsMs.length] ?? nowMs) + rounds * WINDOW_MS;
      }
      const firstMs = tokenAtMs(Math.max(state.fullAtMs, nowMs), nowMs, pace);
      return Math.max(nowMs, firstMs + (position - 1) * pace.intervalMs);
    },
  };
}
