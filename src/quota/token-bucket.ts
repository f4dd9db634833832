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
 * @param heldBackMs takes only a token that has been in the bucket for this long
 * @returns when the bucket will be full after a token is taken now; `undefined` when there is none to take
 */
export function takeToken(fullAtMs: number, nowMs: number, pace: Pace, heldBackMs = 0): number | undefined {
  return tokenAtMs(fullAtMs, nowMs, pace, heldBackMs) > nowMs
    ? undefined
    : Math.max(noEmptierThanEmpty(fullAtMs, nowMs, pace), nowMs) + pace.intervalMs;
}

/** When a token can be taken that has then been there for `heldBackMs`; `nowMs` or before means now. */
export function tokenAtMs(fullAtMs: number, nowMs: number, pace: Pace, heldBackMs = 0): number {
  return noEmptierThanEmpty(fullAtMs, nowMs, pace) - (pace.capacity - 1) * pace.intervalMs + heldBackMs;
}

/** The `heldBackMs` at which a token that is taken leaves `tokens` others in the bucket, or all that it can hold. */
export function keepingMs(tokens: number, { capacity, intervalMs }: Pace): number {
  return Math.min(tokens, capacity - 1) * intervalMs;
}

/** When a bucket will be full after a change of pace: it misses as many tokens as before. A faster pace fills it no sooner. */
export function fullAtPace(fullAtMs: number, nowMs: number, before: Pace, after: Pace): number {
  if (after.intervalMs <= before.intervalMs) return fullAtMs;
  const missing = Math.max(0, noEmptierThanEmpty(fullAtMs, nowMs, before) - nowMs) / before.intervalMs;
  return noEmptierThanEmpty(nowMs + missing * after.intervalMs, nowMs, after);
}

/** The state of a bucket without tokens. */
export function emptyBucket(nowMs: number, pace: Pace): number {
  return nowMs + pace.capacity * pace.intervalMs;
}

/** Bounds a state that looks emptier than empty, as after a clock was set back or a change of pace. */
export function noEmptierThanEmpty(fullAtMs: number, nowMs: number, pace: Pace): number {
  return Math.min(fullAtMs, emptyBucket(nowMs, pace));
}

/** A round trip to the service takes less, also for the first request of a process; anything longer is the service's time. */
const LONGEST_LAG_MS = 250;

/**
 * By how much the service's bucket refills later than ours: its clock starts when the first request of a full bucket
 * arrives there, ours when the token was taken. Ignored, the lag uses up the token that is kept back, and a burst costs a
 * 429: at ten requests a second, the first request of a cold process takes longer than a token takes to refill. After a
 * pause the service's bucket may be full, too, so its probe counts as a first request.
 */
export class RefillLag {
  #takenAtMs: number | undefined;

  /** A token was taken from a bucket that is full, ours or the service's. */
  tookFromFull(nowMs: number): void {
    this.#takenAtMs ??= nowMs;
  }

  /** A request has ended, so it has arrived. @returns by how much later the bucket is full; 0 from the second call on */
  arrived(nowMs: number): number {
    const takenAtMs = this.#takenAtMs;
    this.#takenAtMs = undefined;
    return takenAtMs === undefined ? 0 : Math.min(Math.max(0, nowMs - takenAtMs), LONGEST_LAG_MS);
  }
}
