import type { PacingState } from './pacing.ts';

/**
 * A clock that was set back makes what was noted lie in the future. Everything is moved back with it, so that a pause
 * lasts as long as it was meant to and not until the clock has caught up.
 */
export function afterClockJump(state: PacingState, nowMs: number): PacingState {
  const { gate, quota, learnedBurst, warned, samples } = state;
  const notedMs = Math.max(gate.sinceMs, quota?.receivedAtMs ?? 0);
  const jumpedMs = notedMs - nowMs;
  if (jumpedMs <= 0) return state;

  return {
    ...state,
    gate: { ...gate, sinceMs: gate.sinceMs - jumpedMs, untilMs: gate.untilMs - jumpedMs },
    quota: quota && {
      ...quota,
      receivedAtMs: quota.receivedAtMs - jumpedMs,
      resetsAtMs: quota.resetsAtMs && quota.resetsAtMs - jumpedMs,
    },
    learnedBurst: learnedBurst && { ...learnedBurst, untilMs: learnedBurst.untilMs - jumpedMs },
    warned: warned && { ...warned, windowEndsMs: warned.windowEndsMs - jumpedMs },
    samples: samples.map((sample) => ({ ...sample, atMs: sample.atMs - jumpedMs })),
  };
}
