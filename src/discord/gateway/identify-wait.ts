/** An identify is refused when another of the same key came less than this before it. */
const WINDOW_MS = 5_000;
const SHORTEST_MS = 1_000;
const FIRST_SPREAD_MS = 4_000;
/** 100 s in the mean: a whole day of refusals stays under the 1,000 identifies after which Discord resets the token. */
const LONGEST_SPREAD_MS = 188_000;

/**
 * Milliseconds before the next identify of a shard whose last were refused: until whoever was first no longer counts,
 * and then Discord's advice, 1 to 5 s at random, so that those who were refused together come apart. The more refusals,
 * the more there seem to be, and the wider they spread.
 */
export function refusedWaitMs(refusals: number, random = Math.random): number {
  const spreadMs = Math.min(FIRST_SPREAD_MS * 2 ** (refusals - 1), LONGEST_SPREAD_MS);
  return Math.round(WINDOW_MS + SHORTEST_MS + spreadMs * random());
}
