import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIApplicationCommandOptionChoice,
  DiscordAPIError,
  InteractionResponseType,
  MessageFlags,
  RateLimitError,
  type REST,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { formatMessage } from '../../render/messages.ts';
import type { DeferredReply, ReplyMessage } from '../../replies/deferred-reply.ts';
import { backOffMs } from '../../time/back-off.ts';
import { NO_MENTIONS } from './rest-options.ts';

/** Discord accepts a first answer for 3 s after the command; the rest is for its way there. */
export const FIRST_ANSWER_MS = 2_800;

/** The longest is never reached: the time for a first answer is over before. */
const BACK_OFF = { firstMs: 25, longestMs: 3_000 };

/** The interaction that is answered. */
export type Interacted = Pick<DeferredReply, 'interactionId' | 'token' | 'locale' | 'receivedAtMs'>;

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

/** Shows `message`. Never rejects. */
export function reply(rest: REST, to: Interacted, message: ReplyMessage, isPrivate: boolean): Promise<FirstAnswer> {
  const data = { ...message, allowed_mentions: NO_MENTIONS, ...flags(isPrivate) };
  return answer(rest, to, { type: InteractionResponseType.ChannelMessageWithSource, data });
}

/** Shows "thinking…". Never rejects. */
export function defer(rest: REST, to: Interacted, isPrivate: boolean): Promise<FirstAnswer> {
  return answer(rest, to, { type: InteractionResponseType.DeferredChannelMessageWithSource, data: flags(isPrivate) });
}

/** Suggestions for the option that is being typed. Never rejects. */
export function suggest(
  rest: REST,
  to: Interacted,
  choices: readonly APIApplicationCommandOptionChoice[],
): Promise<FirstAnswer> {
  return answer(rest, to, { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } });
}

/** A private sentence after an answer that Discord refused, so that the member sees one; otherwise `first` itself. */
export async function explainRefusal(
  rest: REST,
  to: Interacted,
  first: FirstAnswer,
): Promise<Exclude<FirstAnswer, { kind: 'refused' }>> {
  if (first.kind !== 'refused') return first;
  const plain = await reply(rest, to, { content: formatMessage(to.locale, 'broken') }, true);
  if (plain.kind === 'already there') return plain;
  return { kind: 'over', outcome: plain.kind === 'sent' ? 'broken' : 'not answered', err: first.err };
}

/**
 * Sent until Discord accepts it, or until it would be too late. Not by the interaction's own methods: these rename each
 * key of an embed that has Discord's names already, which takes longer than rendering it.
 */
async function answer(rest: REST, to: Interacted, body: object): Promise<FirstAnswer> {
  const route = Routes.interactionCallback(to.interactionId, to.token);
  try {
    await sendAgain(to.receivedAtMs + FIRST_ANSWER_MS, () => rest.post(route, { auth: false, body }));
    return { kind: 'sent' };
  } catch (err) {
    return failedAnswer(err);
  }
}

/** What the error of the last try means. */
export function failedAnswer(err: unknown): FirstAnswer {
  // A wait beyond the 3 s: an answer before it is refused, and one after it is too late.
  if (err instanceof RateLimitError) return { kind: 'over', outcome: 'not answered', err };
  if (!(err instanceof DiscordAPIError)) return { kind: 'unknown', outcome: 'not answered', err };
  // The member has seen "did not respond".
  if (err.code === RESTJSONErrorCodes.UnknownInteraction) return { kind: 'over', outcome: 'too late' };
  if (err.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) return { kind: 'already there' };
  return { kind: 'refused', outcome: 'not answered', err };
}

function flags(isPrivate: boolean): { flags?: MessageFlags } {
  return isPrivate ? { flags: MessageFlags.Ephemeral } : {};
}

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
