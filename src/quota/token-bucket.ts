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
 * @returns when the bucket will be full after a token is taken now; `undefined` when there is none to take
 */
export function takeToken(fullAtMs: number, nowMs: number, pace: Pace, keepTokens = 0): number | undefined {
  return tokenAtMs(fullAtMs, nowMs, pace, keepTokens) > nowMs
    ? undefined
    : Math.max(noEmptierThanEmpty(fullAtMs, nowMs, pace), nowMs) + pace.intervalMs;
}

/** When a token can be taken so that `keepTokens` are left in the bucket; `nowMs` or before means now. */
export function tokenAtMs(fullAtMs: number, nowMs: number, pace: Pace, keepTokens = 0): number {
  const kept = Math.min(keepTokens, pace.capacity - 1);
  return noEmptierThanEmpty(fullAtMs, nowMs, pace) - (pace.capacity - 1 - kept) * pace.intervalMs;
}

/** The state of a bucket without a single token. */
export function emptyBucket(nowMs: number, pace: Pace): number {
  return nowMs + pace.capacity * pace.intervalMs;
}

/** A bucket is never emptier than empty; it only looks so after a clock was set back, or a change of pace. */
export function noEmptierThanEmpty(fullAtMs: number, nowMs: number, pace: Pace): number {
  return Math.min(fullAtMs, emptyBucket(nowMs, pace));
}
