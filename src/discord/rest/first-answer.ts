import { DiscordAPIError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';

/** What became of a first answer. */
export type FirstAnswer =
  | { kind: 'sent' }
  /** An earlier try did arrive, and only Discord's response was lost. */
  | { kind: 'already there' }
  /** Nothing more can be done; `outcome` is for the log. */
  | { kind: 'over'; outcome: 'too late' | 'not answered' | 'broken'; err?: unknown }
  /** Discord refuses this answer; another one may be accepted. */
  | { kind: 'refused'; outcome: 'not answered'; err: unknown }
  /** Discord may have accepted it all the same. */
  | { kind: 'unknown'; outcome: 'not answered'; err: unknown };

/**
 * What the error of the last try means.
 *
 * @param mayBeThere whether an earlier try may have arrived
 */
export function failedAnswer(err: unknown, mayBeThere = false): FirstAnswer {
  // A wait beyond the 3 s: an answer before it is refused, and one after it is too late.
  if (err instanceof RateLimitError) return { kind: mayBeThere ? 'unknown' : 'over', outcome: 'not answered', err };
  if (!(err instanceof DiscordAPIError)) return { kind: 'unknown', outcome: 'not answered', err };
  // The member has seen "did not respond".
  if (err.code === RESTJSONErrorCodes.UnknownInteraction) return { kind: 'over', outcome: 'too late' };
  if (err.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) return { kind: 'already there' };
  return { kind: 'refused', outcome: 'not answered', err };
}
