const FIRST_WAIT_MS = 1_000;
/** So that a whole day of failures stays under the 1,000 identifies after which Discord resets the token. */
const LONGEST_WAIT_MS = 100_000;
/** A connection that broke sooner is no sign that the gateway is well. */
const HELD_MS = 60_000;
const MOST_JITTER = 0.2;

/** What is known of one shard's connection. */
export interface ShardLine {
  /** Broken connections in a row. */
  failures: number;
  /** When it became ready with a new session; absent when it has not, or took its old session up again. */
  identifiedAtMs?: number;
}

/** The line after its connection broke. */
export function broken({ failures, identifiedAtMs }: ShardLine, nowMs: number): ShardLine {
  const held = identifiedAtMs !== undefined && nowMs - identifiedAtMs >= HELD_MS;
  return { failures: held ? 1 : failures + 1 };
}

/** Milliseconds before the next try, beside the half second that discord.js waits. The first is made at once. */
export function reconnectWaitMs(failures: number, random = Math.random): number {
  if (failures <= 1) return 0;
  const grownMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 2), LONGEST_WAIT_MS);
  return Math.round(grownMs * (1 + MOST_JITTER * random()));
}
