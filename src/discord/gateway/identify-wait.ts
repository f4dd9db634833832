import { backOffMs } from '../../time/back-off.ts';

/** An identify is refused when another of the same key came less than this before it. */
const WINDOW_MS = 5_000;
const SHORTEST_MS = 1_000;
/** 100 s in the mean: a whole day of refusals stays under the 1,000 identifies after which Discord resets the token. */
const SPREAD = { firstMs: 4_000, longestMs: 188_000 };

/**
 * Milliseconds before the next identify of a shard whose last were refused: until whoever was first no longer counts,
 * and then Discord's advice, 1 to 5 s at random, so that those who were refused together come apart. The more refusals,
 * the more there seem to be, and the wider they spread.
 */
export function refusedWaitMs(refusals: number, random = Math.random): number {
  const spreadMs = backOffMs(refusals, SPREAD);
  return Math.round(WINDOW_MS + SHORTEST_MS + spreadMs * random());
}
