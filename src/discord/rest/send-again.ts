import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordAPIError, RateLimitError } from 'discord.js';
import { backOffMs } from '../../time/back-off.ts';

/** Discord accepts a first answer for 3 s after the command; the rest is for its way there. */
export const FIRST_ANSWER_MS = 2_800;

/** The longest is never reached: the time for a first answer is over before. */
const BACK_OFF = { firstMs: 25, longestMs: 3_000 };

/**
 * Sends again, until `giveUpAtMs`, what did not reach Discord; after a 429 not before the time that it states. discord.js
 * retries a failing Discord three times without a wait, and not at all when Discord closed an idle connection: what was
 * sent on it is lost.
 *
 * @throws the error of the last try; any other answer of Discord at once
 */
export async function sendAgain(giveUpAtMs: number, send: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await send();
      return;
    } catch (error) {
      const waitMs = beforeNextMs(error, tries);
      if (waitMs === undefined || Date.now() + waitMs > giveUpAtMs) throw error;
      await sleep(waitMs);
    }
  }
}

/** How long to wait before the next try; `undefined` when none will help. */
export function beforeNextMs(error: unknown, tries: number): number | undefined {
  if (error instanceof RateLimitError) return error.retryAfter;
  if (error instanceof DiscordAPIError) return undefined;
  // Discord does not respond, and discord.js has tried several times already.
  if (error instanceof Error && error.name === 'AbortError') return undefined;
  return backOffMs(tries, BACK_OFF);
}
