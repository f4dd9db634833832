import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordAPIError, RateLimitError } from 'discord.js';

/** Discord takes a first answer for 3 s after the command; a little is left for the way there. */
export const FIRST_ANSWER_MS = 2_800;

const FIRST_PAUSE_MS = 25;

/**
 * Sends once more, and again until `giveUpAtMs`, what did not get through. discord.js retries a failing Discord three
 * times at once, and not at all when Discord closed the connection while it was idle: what was sent on it is lost.
 *
 * @throws what the last try throws; an answer of Discord at once
 */
export async function sendAgain(giveUpAtMs: number, send: () => Promise<unknown>): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      await send();
      return;
    } catch (error) {
      if (isAnswer(error) || Date.now() + pauseMs > giveUpAtMs) throw error;
    }
    await sleep(pauseMs);
  }
}

/** Discord has spoken, or hangs, and discord.js has waited for it several times already. */
function isAnswer(error: unknown): boolean {
  if (error instanceof DiscordAPIError || error instanceof RateLimitError) return true;
  return error instanceof Error && error.name === 'AbortError';
}
