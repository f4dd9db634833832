import { DiscordAPIError, RateLimitError, type REST, RESTJSONErrorCodes } from 'discord.js';
import { formatMessage } from '../../render/messages.ts';
import type { DeferredReply } from '../../replies/deferred-reply.ts';
import { reply } from '../rest/callback.ts';
import { FIRST_ANSWER_MS, sendAgain } from '../rest/send-again.ts';

/** What became of a first answer. */
export type FirstAnswer =
  | { kind: 'sent' }
  /** An earlier try did arrive, and only its answer was lost. */
  | { kind: 'already there' }
  /** Nothing more can be done; `outcome` is for the log. */
  | { kind: 'over'; outcome: 'too late' | 'not answered' | 'broken'; err?: unknown }
  /** Discord finds fault with it; another one may do. */
  | { kind: 'refused'; outcome: 'not answered'; err: unknown }
  /** Discord may have taken it all the same. */
  | { kind: 'unknown'; outcome: 'not answered'; err: unknown };

/**
 * Sends the first answer to an interaction, again when it did not get through, until it would be too late. Never rejects.
 */
export async function acknowledge(receivedAtMs: number, send: () => Promise<unknown>): Promise<FirstAnswer> {
  try {
    await sendAgain(receivedAtMs + FIRST_ANSWER_MS, send);
    return { kind: 'sent' };
  } catch (err) {
    return failedAnswer(err);
  }
}

/** The same; what Discord refuses is followed by a plain sentence in private, so that the member is not left alone. */
export async function acknowledgeSomehow(
  rest: REST,
  to: Pick<DeferredReply, 'interactionId' | 'token' | 'locale' | 'receivedAtMs'>,
  send: () => Promise<unknown>,
): Promise<Exclude<FirstAnswer, { kind: 'refused' }>> {
  const first = await acknowledge(to.receivedAtMs, send);
  if (first.kind !== 'refused') return first;
  const content = formatMessage(to.locale, 'broken');
  const plain = await acknowledge(to.receivedAtMs, () => reply(rest, to, { content }, true));
  if (plain.kind === 'already there') return plain;
  return { kind: 'over', outcome: plain.kind === 'sent' ? 'broken' : 'not answered', err: first.err };
}

/** What the error of the last try means. */
export function failedAnswer(err: unknown): FirstAnswer {
  // A wait beyond the 3 s: whatever is sent before is refused, and whatever is sent after is too late.
  if (err instanceof RateLimitError) return { kind: 'over', outcome: 'not answered', err };
  if (!(err instanceof DiscordAPIError)) return { kind: 'unknown', outcome: 'not answered', err };
  // The member has seen "did not respond".
  if (err.code === RESTJSONErrorCodes.UnknownInteraction) return { kind: 'over', outcome: 'too late' };
  if (err.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) return { kind: 'already there' };
  return { kind: 'refused', outcome: 'not answered', err };
}
