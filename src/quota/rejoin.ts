import type { PacingState } from './pacing.ts';
import { SAME_WINDOW_MS } from './quota.ts';
import { emptyBucket, noEmptierThanEmpty, type Pace } from './token-bucket.ts';

/**
 * When this process's part of the bucket is full, once it is divided: everybody gets the same share of the tokens that
 * are left in it, rounded down.
 */
export function dividedFullAtMs(fullAtMs: number, whole: Pace, part: Pace, processes: number, nowMs: number): number {
  const missingMs = Math.max(0, noEmptierThanEmpty(fullAtMs, nowMs, whole) - nowMs);
  const left = Math.floor(whole.capacity - missingMs / whole.intervalMs);
  const own = Math.min(Math.floor(left / processes), part.capacity);
  return emptyBucket(nowMs, part) - own * part.intervalMs;
}

/** What is known together, after a time in which this process was on its own: of two pauses the longer, of two figures the lower. */
export function rejoined(there: PacingState | undefined, own: PacingState): PacingState {
  const mine = { ...own, gate: { ...own.gate, probing: false } };
  if (there === undefined) return mine;
  return {
    ...there,
    gate: mine.gate.why !== 'open' && mine.gate.untilMs > there.gate.untilMs ? mine.gate : there.gate,
    quota: lowerQuota(there.quota, mine.quota),
    plan: mine.plan ?? there.plan,
    learnedBurst:
      (mine.learnedBurst?.untilMs ?? 0) > (there.learnedBurst?.untilMs ?? 0) ? mine.learnedBurst : there.learnedBurst,
    warned: (mine.warned?.windowEndsMs ?? 0) > (there.warned?.windowEndsMs ?? 0) ? mine.warned : there.warned,
  };
}

function lowerQuota(there: PacingState['quota'], mine: PacingState['quota']): PacingState['quota'] {
  if (there === undefined || mine === undefined) return there ?? mine;
  const [older, newer] = there.receivedAtMs < mine.receivedAtMs ? [there, mine] : [mine, there];
  const sameWindow = Math.abs((older.resetsAtMs ?? 0) - (newer.resetsAtMs ?? 0)) <= SAME_WINDOW_MS;
  if (!sameWindow || older.remaining === undefined) return newer;
  return { ...newer, remaining: Math.min(older.remaining, newer.remaining ?? older.remaining) };
}
