import { backOffMs } from '../../time/back-off.ts';

/** The outage that is over when a shard receives commands. */
export const DISCORD = 'discord';

export const BAD_TOKEN =
  'Discord refuses the bot token. Make a new one in the developer portal (Bot → Reset Token) and put it into DISCORD_TOKEN.';

/** Close codes after which discord.js does not reconnect, and what to do about each. */
export const FATAL_CLOSES: ReadonlyMap<number, string> = new Map([
  [4004, BAD_TOKEN],
  [4010, 'Discord refuses the shard: check DISCORD_SHARDS and DISCORD_SHARD_COUNT.'],
  [4011, 'The bot is in too many servers for one shard: leave DISCORD_SHARDS at auto, or raise DISCORD_SHARD_COUNT.'],
  [4012, 'Discord no longer supports this gateway version: update the bot.'],
  [4013, 'Discord refuses the intents: update the bot.'],
  [4014, 'Discord refuses the intents: update the bot.'],
]);

const FIRST_WAIT_MS = 1_000;
/** A gateway that sends no HELLO costs no identify, and members wait for its return. */
const LONGEST_UNGREETED_MS = 15_000;
/** A whole day of failures then stays under the 1,000 identifies after which Discord resets the token. */
const LONGEST_GREETED_MS = 100_000;
/** A connection that broke sooner does not show that the gateway has recovered. */
const HELD_MS = 60_000;
const MOST_JITTER = 0.2;

/** What is known of one shard's connection. */
export interface ShardConnection {
  /** Broken connections in a row. */
  failures: number;
  /** Attempts to resume the session since the last one that succeeded. */
  resumes: number;
  /** Set from when the connection broke to the HELLO of a new one. */
  waitMs?: number | undefined;
  /** The gateway has sent HELLO on this connection, so an identify may have been spent. */
  isGreeted?: boolean;
  /** When it became ready with a new session; absent when it has not, or when it resumed its old session. */
  identifiedAtMs?: number;
}

/** What is known after the connection broke. */
export function broken({ failures, resumes, isGreeted, identifiedAtMs }: ShardConnection, nowMs: number) {
  const hasHeld = identifiedAtMs !== undefined && nowMs - identifiedAtMs >= HELD_MS;
  const inARow = hasHeld ? 1 : failures + 1;
  return { failures: inARow, resumes, waitMs: reconnectWaitMs(inARow, isGreeted ?? false) };
}

/**
 * Milliseconds before the next try, on top of the half second that discord.js waits. The first is immediate.
 *
 * @param isGreeted whether the gateway sent HELLO on the connection that broke
 */
export function reconnectWaitMs(failures: number, isGreeted: boolean, random = Math.random): number {
  if (failures <= 1) return 0;
  const longestMs = isGreeted ? LONGEST_GREETED_MS : LONGEST_UNGREETED_MS;
  const grownMs = backOffMs(failures - 1, { firstMs: FIRST_WAIT_MS, longestMs });
  return Math.round(grownMs * (1 + MOST_JITTER * random()));
}
