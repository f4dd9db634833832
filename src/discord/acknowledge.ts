import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import { FIRST_ANSWER_MS, sendAgain } from './send-again.ts';

/**
 * Sends the first answer to an interaction.
 *
 * @returns `false` when it is too late (10062): the member has seen "did not respond", and nothing can be sent
 * @throws what the last try throws
 */
export async function acknowledge(receivedAtMs: number, send: () => Promise<unknown>): Promise<boolean> {
  try {
    await sendAgain(receivedAtMs + FIRST_ANSWER_MS, send);
    return true;
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    if (error.code === RESTJSONErrorCodes.UnknownInteraction) return false;
    // 40060: an earlier try did arrive, and only its answer was lost.
    if (error.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) return true;
    throw error;
  }
}
