/** A wait stated by the service is kept whole; this much is added at random so that several bots spread out. */
const JITTER_SHARE = 0.2;
const LONGEST_JITTER_MS = 2_000;

/** A stated wait of nothing still means that this request was one too many. */
const SHORTEST_PAUSE_MS = 250;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** 1 s, 2 s, 4 s … up to five minutes: the wait after the n-th failure in a row (n from 1). */
export function backoffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
}

/**
 * How long nobody knocks after a 429: never less than the service stated; after repeated 429s, or without a
 * statement, at least the exponential back-off.
 */
export function pauseMs(statedMs: number | undefined, failures: number): number {
  if (statedMs === undefined) return backoffMs(failures);
  return Math.max(statedMs, failures > 1 ? backoffMs(failures) : SHORTEST_PAUSE_MS);
}

/** Only ever later: at most a fifth of the wait, and 2 s. */
export function withJitter(waitMs: number, random: number): number {
  return waitMs + random * Math.min(waitMs * JITTER_SHARE, LONGEST_JITTER_MS);
}
