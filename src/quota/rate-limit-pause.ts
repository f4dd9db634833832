import { backOffMs } from '../time/back-off.ts';

/** A stated wait of nothing still means that this request was one too many. */
const SHORTEST_PAUSE_MS = 250;
const BACK_OFF = { firstMs: 1_000, longestMs: 5 * 60_000 };

/**
 * How long no request leaves after the n-th 429 in a row: never less than the service stated; after repeated 429s, or
 * when it stated nothing, at least the exponential back-off.
 */
export function pauseMs(statedMs: number | undefined, failures: number): number {
  if (statedMs === undefined) return backOffMs(failures, BACK_OFF);
  return Math.max(statedMs, failures > 1 ? backOffMs(failures, BACK_OFF) : SHORTEST_PAUSE_MS);
}
