/** The first wait, and the one at which doubling ends. */
export interface BackOff {
  firstMs: number;
  longestMs: number;
}

/** Exponential back-off: how long to wait after the n-th failure in a row (n from 1), doubling each time. */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOff): number {
  return Math.min(firstMs * 2 ** (Math.max(1, failures) - 1), longestMs);
}

const JITTER_SHARE = 0.2;
const LONGEST_JITTER_MS = 2_000;

/**
 * Only ever later: at most a fifth of the wait, and 2 s, so that several bots that were told the same wait spread out.
 *
 * @param random from 0 up to 1
 */
export function withJitter(waitMs: number, random: number): number {
  return waitMs + random * Math.min(waitMs * JITTER_SHARE, LONGEST_JITTER_MS);
}
