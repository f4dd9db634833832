import type { LimiterState } from './limiter-state.ts';

/**
 * A clock that was set back makes what was noted lie in the future. Everything is moved back with it, so that a pause
 * lasts as long as it was meant to and not until the clock has caught up.
 */
export function afterClockJump(state: LimiterState, nowMs: number): LimiterState {
  const { breaker, quota } = state;
  const notedMs = Math.max(breaker.sinceMs, quota?.receivedAtMs ?? 0);
  const jumpedMs = notedMs - nowMs;
  return jumpedMs > 0 ? shifted(state, -jumpedMs) : state;
}

/** The same state by a clock that is `byMs` ahead of the one it was noted by. */
export function shifted(state: LimiterState, byMs: number): LimiterState {
  const { breaker, quota, learnedBurst, warned, samples } = state;
  return {
    ...state,
    fullAtMs: state.fullAtMs + byMs,
    breaker: { ...breaker, sinceMs: breaker.sinceMs + byMs, untilMs: breaker.untilMs + byMs },
    quota: quota && {
      ...quota,
      receivedAtMs: quota.receivedAtMs + byMs,
      resetsAtMs: quota.resetsAtMs && quota.resetsAtMs + byMs,
    },
    learnedBurst: learnedBurst && { ...learnedBurst, untilMs: learnedBurst.untilMs + byMs },
    warned: warned && { ...warned, windowEndsMs: warned.windowEndsMs + byMs },
    samples: samples.map((sample) => ({ ...sample, atMs: sample.atMs + byMs })),
  };
}
