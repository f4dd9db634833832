import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, DiscordjsError, DiscordjsErrorCodes, RateLimitError } from 'discord.js';
import type { Logger } from '../log.ts';

/** Discord does not let us in, and trying again will not help. The message says what to do. */
export class DiscordRefused extends Error {
  override name = 'DiscordRefused';
}

const BAD_TOKEN =
  'Discord refuses the bot token. Make a new one in the developer portal (Bot → Reset Token) and put it into DISCORD_TOKEN.';

/** Close codes after which discord.js does not reconnect, and what to do about each. */
const FATAL_CLOSES: ReadonlyMap<number, string> = new Map([
  [4004, BAD_TOKEN],
  [4010, 'Discord refuses the shard: check DISCORD_SHARDS.'],
  [4011, 'The bot is in too many servers for one shard: leave DISCORD_SHARDS at auto.'],
  [4012, 'Discord no longer speaks this gateway version: update the bot.'],
  [4013, 'Discord refuses the intents: update the bot.'],
  [4014, 'Discord refuses the intents: update the bot.'],
]);

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/**
 * Logs in, and keeps trying while Discord cannot be reached: discord.js itself gives up within milliseconds.
 *
 * @throws DiscordRefused when the token is not accepted, and the reason of `signal`
 */
export async function login(client: Client, token: string, log: Logger, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.login(token);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
        throw new DiscordRefused(BAD_TOKEN);
      }
      const waitMs = retryMs(error, attempt);
      log.warn({ err: error, waitMs }, 'discord cannot be reached');
      await sleep(waitMs, undefined, { signal });
    }
  }
}

/** Resolves when Discord has shut us out for good while running. */
export function shutOut(client: Client): Promise<DiscordRefused> {
  return new Promise((resolve) => {
    client.on('shardDisconnect', ({ code }) => {
      const message = FATAL_CLOSES.get(code);
      if (message) resolve(new DiscordRefused(message));
    });
  });
}

function retryMs(error: unknown, attempt: number): number {
  if (error instanceof RateLimitError) return error.retryAfter;
  return Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
}
