import { backOffMs } from '../../time/back-off.ts';

const FIRST_WAIT_MS = 1_000;
/** Nothing is spent on a gateway that does not even greet, and members wait for its return. */
const LONGEST_UNGREETED_MS = 15_000;
/** So that a whole day of failures stays under the 1,000 identifies after which Discord resets the token. */
const LONGEST_GREETED_MS = 100_000;
/** A connection that broke sooner is no sign that the gateway is well. */
const HELD_MS = 60_000;
const MOST_JITTER = 0.2;

/** What is known of one shard's connection. */
export interface ShardLine {
  /** Broken connections in a row. */
  failures: number;
  /** The gateway has said hello on this connection, so an identify may be spent. */
  greeted?: boolean;
  /** When it became ready with a new session; absent when it has not, or took its old session up again. */
  identifiedAtMs?: number;
}

/** The line after its connection broke. */
export function broken({ failures, identifiedAtMs }: ShardLine, nowMs: number): ShardLine {
  const held = identifiedAtMs !== undefined && nowMs - identifiedAtMs >= HELD_MS;
  return { failures: held ? 1 : failures + 1 };
}

/**
 * Milliseconds before the next try, beside the half second that discord.js waits. The first is made at once.
 *
 * @param greeted whether the gateway said hello on the connection that broke
 */
export function reconnectWaitMs(failures: number, greeted: boolean, random = Math.random): number {
  if (failures <= 1) return 0;
  const longestMs = greeted ? LONGEST_GREETED_MS : LONGEST_UNGREETED_MS;
  const grownMs = backOffMs(failures - 1, { firstMs: FIRST_WAIT_MS, longestMs });
  return Math.round(grownMs * (1 + MOST_JITTER * random()));
}
