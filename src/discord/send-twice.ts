import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';

/**
 * discord.js retries most failures, but not a connection that Discord closed while it was idle: what was sent on it is
 * lost, and worth a second try. @throws what the second try throws
 */
export async function sendTwice(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    const answered = error instanceof DiscordAPIError || error instanceof HTTPError || error instanceof RateLimitError;
    // discord.js has tried a hanging one several times already.
    if (answered || (error instanceof Error && error.name === 'AbortError')) throw error;
    await send();
  }
}
