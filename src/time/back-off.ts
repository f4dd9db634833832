/** The first wait and the longest one. */
export interface BackOff {
  firstMs: number;
  longestMs: number;
}

/** How long a card is left alone after a failure; and the service, after one that may be the beginning of an outage. */
export const LOOKUP_BACK_OFF: BackOff = { firstMs: 1_000, longestMs: 60_000 };

/**
 * Exponential back-off: the wait after the n-th failure in a row (n from 1), doubling from `firstMs` up to `longestMs`.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOff): number {
  return Math.min(firstMs * 2 ** (Math.max(1, failures) - 1), longestMs);
}

const JITTER_SHARE = 0.2;
const LONGEST_JITTER_MS = 2_000;

/**
 * Lengthens a wait by at most 20 %, and at most 2 s, so that several processes with the same wait spread out.
 *
 * @param random from 0 up to 1
 */
export function withJitter(waitMs: number, random: number): number {
  return waitMs + random * Math.min(waitMs * JITTER_SHARE, LONGEST_JITTER_MS);
}
