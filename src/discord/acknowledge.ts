import { DiscordAPIError, HTTPError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';

/**
 * Sends the first answer to an interaction. discord.js retries most failures, but not a connection that Discord
 * closed while it was idle; that one is worth a second try, because the answer would be lost otherwise.
 *
 * @returns `false` when it is too late (10062): the member has seen "did not respond", and nothing can be sent
 * @throws what the second try throws
 */
export async function acknowledge(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await sendTwice(send);
    return true;
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    if (error.code === RESTJSONErrorCodes.UnknownInteraction) return false;
    // 40060: an earlier try did arrive, and only its answer was lost.
    if (error.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) return true;
    throw error;
  }
}

async function sendTwice(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (error instanceof DiscordAPIError || error instanceof HTTPError || error instanceof RateLimitError) throw error;
    await send();
  }
}
