import { DiscordAPIError, RateLimitError, type RawFile, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Invocation } from '../../model/invocation.ts';
import { sendAgain } from './requests.ts';

/** Discord accepts a first answer for 3 s after the command; the rest is for its way there. */
export const FIRST_ANSWER_MS = 2_800;

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

/**
 * Sends a first answer until Discord accepts it, or until it would be too late. Not by the interaction's own methods: these
 * rename each key of an embed that has Discord's names already, which takes longer than rendering it.
 */
export async function sendFirstAnswer(
  rest: REST,
  { interactionId, token, receivedAtMs }: Pick<Invocation, 'interactionId' | 'token' | 'receivedAtMs'>,
  content: { body: object; files?: RawFile[] },
): Promise<FirstAnswer> {
  const route = Routes.interactionCallback(interactionId, token);
  let mayBeThere = false;
  const send = () =>
    rest.post(route, { auth: false, ...content }).catch((err: unknown) => {
      mayBeThere ||= failedAnswer(err).kind === 'unknown';
      throw err;
    });
  try {
    await sendAgain(receivedAtMs + FIRST_ANSWER_MS, send);
    return { kind: 'sent' };
  } catch (err) {
    return failedAnswer(err, mayBeThere);
  }
}
