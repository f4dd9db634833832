/** How fast a bucket fills and how much it holds. */
export interface Pace {
  /** One token comes in this time. */
  intervalMs: number;
  /** Tokens that a full bucket holds. */
  capacity: number;
}

/**
 * A token bucket whose whole state is one number, the time at which it will be full again (the generic cell rate
 * algorithm's "theoretical arrival time"), so that it can be kept in one row and survive a restart.
 *
 * @param heldBackMs only a token that has lain in the bucket for so long
 * @returns when the bucket will be full after a token is taken now; `undefined` when there is none to take
 */
export function takeToken(fullAtMs: number, nowMs: number, pace: Pace, heldBackMs = 0): number | undefined {
  return tokenAtMs(fullAtMs, nowMs, pace, heldBackMs) > nowMs
    ? undefined
    : Math.max(noEmptierThanEmpty(fullAtMs, nowMs, pace), nowMs) + pace.intervalMs;
}

/** When a token can be taken that has then lain there for `heldBackMs`; `nowMs` or before means now. */
export function tokenAtMs(fullAtMs: number, nowMs: number, pace: Pace, heldBackMs = 0): number {
  return noEmptierThanEmpty(fullAtMs, nowMs, pace) - (pace.capacity - 1) * pace.intervalMs + heldBackMs;
}

/** Held back so long, a token leaves `tokens` others in the bucket, or all that it can hold. */
export function keepingMs(tokens: number, { capacity, intervalMs }: Pace): number {
  return Math.min(tokens, capacity - 1) * intervalMs;
}

/** When a bucket is full that misses as many tokens as before a change of pace; a faster pace fills it no sooner. */
export function fullAtPace(fullAtMs: number, nowMs: number, before: Pace, after: Pace): number {
  if (after.intervalMs <= before.intervalMs) return fullAtMs;
  const missing = Math.max(0, noEmptierThanEmpty(fullAtMs, nowMs, before) - nowMs) / before.intervalMs;
  return noEmptierThanEmpty(nowMs + missing * after.intervalMs, nowMs, after);
}

/** The state of a bucket without a single token. */
export function emptyBucket(nowMs: number, pace: Pace): number {
  return nowMs + pace.capacity * pace.intervalMs;
}

/** A bucket is never emptier than empty; it only looks so after a clock was set back, or a change of pace. */
export function noEmptierThanEmpty(fullAtMs: number, nowMs: number, pace: Pace): number {
  return Math.min(fullAtMs, emptyBucket(nowMs, pace));
}
