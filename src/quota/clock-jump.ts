import type { PacingState } from './pacing.ts';

/**
 * A clock that was set back makes what was noted lie in the future. Everything is moved back with it, so that a pause
 * lasts as long as it was meant to and not until the clock has caught up.
 */
export function afterClockJump(state: PacingState, nowMs: number): PacingState {
  const { gate, quota } = state;
  const notedMs = Math.max(gate.sinceMs, quota?.receivedAtMs ?? 0);
  const jumpedMs = notedMs - nowMs;
  return jumpedMs > 0 ? shifted(state, -jumpedMs) : state;
}

/** The same state by a clock that is `byMs` ahead of the one it was noted by. */
export function shifted(state: PacingState, byMs: number): PacingState {
  const { gate, quota, learnedBurst, warned, samples } = state;
  return {
    ...state,
    fullAtMs: state.fullAtMs + byMs,
    gate: { ...gate, sinceMs: gate.sinceMs + byMs, untilMs: gate.untilMs + byMs },
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
