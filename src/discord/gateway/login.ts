import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, DiscordAPIError, DiscordjsError, DiscordjsErrorCodes, RateLimitError, Routes } from 'discord.js';
import * as z from 'zod';
import type { Logger } from '../../log.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { backOffMs } from '../../time/back-off.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import { BAD_TOKEN, DISCORD, FATAL_CLOSES } from './reconnect.ts';

/** Discord refuses the bot, and trying again will not help. The message says what to do. */
export class DiscordRefused extends OperatorError {
  override name = 'DiscordRefused';
}

const RETRY = { firstMs: 1_000, longestMs: 60_000 };
/** Longer than any wait Discord is known to state (23 h), and short enough for a timer. */
const LONGEST_SLEEP_MS = 7 * DAY_MS;

/** The fields that discord.js reads without checking; with no shard to start it would wait without end. */
export const GatewayInfo = z.object({
  url: z.url({ protocol: /^wss?$/ }),
  shards: z.int().min(1),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }),
});
export type GatewayInfo = z.infer<typeof GatewayInfo>;

export interface LoginOptions {
  token: string;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Logs in, and keeps trying while Discord cannot be reached: discord.js itself gives up within milliseconds.
 *
 * @throws DiscordRefused when the token is not accepted, and the reason of `signal`
 */
export async function login(client: Client, { token, log, signal }: LoginOptions): Promise<void> {
  const pause = async (statedMs: number, attempt: number, why: string, err?: unknown) => {
    const waitMs = loginWaitMs(statedMs, attempt);
    log.warn({ err, waitMs, until: new Date(Date.now() + waitMs).toISOString(), outage: DISCORD }, why);
    await sleep(waitMs, undefined, { signal });
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const closedForMs = await loginsSpentMs(client, token, signal);
      signal.throwIfAborted();
      if (closedForMs === undefined) {
        await client.login(token);
        return;
      }
      await pause(closedForMs, attempt, "discord's daily login limit is reached");
    } catch (error) {
      signal.throwIfAborted();
      if (isTokenRefused(error)) throw new DiscordRefused(BAD_TOKEN);
      if (error instanceof RateLimitError) {
        await pause(error.retryAfter, attempt, 'discord asks to wait before logging in');
      } else {
        await pause(0, attempt, 'discord cannot be reached: check the connection, and see discordstatus.com', error);
      }
    }
  }
}

/**
 * Read here and not by discord.js, because a client whose login has failed once neither disconnects nor resets
 * properly. Costs one request to Discord.
 *
 * @returns how long no login is allowed; `undefined` when one is
 */
async function loginsSpentMs(client: Client, token: string, signal: AbortSignal): Promise<number | undefined> {
  const { shards } = client.options; // discord.js writes the recommended ones there, once it has logged in
  const found = await client.rest.setToken(token).get(Routes.gatewayBot(), { signal });
  const { shards: recommended, session_start_limit: limit } = GatewayInfo.parse(found);
  const needed = Array.isArray(shards) ? shards.length : recommended;
  return limit.remaining < needed ? limit.reset_after : undefined;
}

/** Milliseconds before login attempt number `attempt + 1`: as long as Discord says, and longer each time. */
export function loginWaitMs(statedMs: number, attempt: number): number {
  return Math.min(Math.max(statedMs || 0, backOffMs(attempt, RETRY)), LONGEST_SLEEP_MS);
}

function isTokenRefused(error: unknown): boolean {
  if (error instanceof DiscordAPIError) return error.status === 401;
  return error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
}

/** Resolves when Discord closes the gateway for good while the bot runs. */
export function refused(client: Client): Promise<DiscordRefused> {
  return new Promise((resolve) => {
    client.on('shardDisconnect', ({ code }) => {
      const message = FATAL_CLOSES.get(code);
      if (message) resolve(new DiscordRefused(message));
    });
  });
}
