import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordAPIError, RateLimitError, type RawFile, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Invocation } from '../../model/invocation.ts';
import type { Sent } from '../../model/sent.ts';
import type { EditResult, FirstResult } from '../../replies/reply-ports.ts';
import { backOffMs } from '../../time/back-off.ts';

/** Discord accepts a first answer for 3 s after the command; the rest is for its way there. */
export const FIRST_ANSWER_MS = 2_800;

/** The longest is never reached: the time for a first answer is over before. */
const BACK_OFF = { firstMs: 25, longestMs: 3_000 };

/**
 * Sends again, for `forMs`, what did not reach Discord; after a 429 not before the time that it states. discord.js
 * sends edits to a failing Discord three times more without a wait, and nothing again when Discord closed an idle
 * connection: what was sent on it is lost.
 *
 * @throws the error of the last try; any other answer of Discord at once
 */
export async function sendAgain(forMs: number, send: () => Promise<unknown>): Promise<void> {
  const giveUpAtMs = performance.now() + forMs; // the time of day may be set meanwhile
  for (let tries = 1; ; tries++) {
    try {
      await send();
      return;
    } catch (error) {
      const waitMs = beforeNextMs(error, tries);
      if (waitMs === undefined || performance.now() + waitMs > giveUpAtMs) throw error;
      await sleep(waitMs);
    }
  }
}

/** How long to wait before the next try; `undefined` when none will help. */
export function beforeNextMs(error: unknown, tries: number): number | undefined {
  if (error instanceof RateLimitError) return error.retryAfter;
  if (error instanceof DiscordAPIError) return undefined;
  return backOffMs(tries, BACK_OFF);
}

/**
 * What became of a first answer. `isEarlier`: an earlier one did arrive, and only Discord's response was lost.
 * `refusal`: another answer may be accepted; of one that AutoMod has `blocked`, a private one.
 */
export type FirstAnswer = FirstResult & { isEarlier?: true; refusal?: 'refused' | 'blocked' };

/**
 * What the error of the last try of a first answer means.
 *
 * @param mayBeThere whether an earlier try may have arrived
 */
export function failedAnswer(err: unknown, mayBeThere = false): FirstAnswer {
  // A wait beyond the 3 s: an answer before it is refused, and one after it is too late.
  if (err instanceof RateLimitError) return mayBeThere ? { shown: true, err } : { shown: false, outcome: UNSENT, err };
  if (!(err instanceof DiscordAPIError)) return { shown: true, err };
  // The member has seen "did not respond".
  if (err.code === RESTJSONErrorCodes.UnknownInteraction) return { shown: false, outcome: 'too late' };
  if (err.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) {
    return { shown: true, isEarlier: true, ...(!mayBeThere && { isOfAnother: true }) };
  }
  return { shown: false, outcome: UNSENT, err, refusal: refusalBy(err) };
}

const UNSENT = 'not answered';

/**
 * Sends a first answer until Discord accepts it, or until it would be too late. Not by the interaction's own methods: these
 * rename each key of an embed that has Discord's names already, which takes longer than rendering it.
 */
export async function sendFirstAnswer(
  rest: REST,
  { interactionId, webhook, receivedAtMs }: Invocation,
  body: object,
  files: RawFile[] = [],
): Promise<FirstAnswer> {
  const route = Routes.interactionCallback(interactionId, webhook.token);
  let failed: FirstAnswer | undefined;
  const send = () =>
    rest.post(route, { auth: false, body, files }).catch((err: unknown) => {
      failed = failedAnswer(err, failed?.shown);
      throw err;
    });
  try {
    // No longer, should the clock have been set back since.
    await sendAgain(Math.min(FIRST_ANSWER_MS, receivedAtMs + FIRST_ANSWER_MS - Date.now()), send);
    return { shown: true };
  } catch (err) {
    return failed ?? failedAnswer(err);
  }
}

/** There is no reply that this token can change. */
const LOST: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.UnknownWebhook, // 10015
  RESTJSONErrorCodes.InvalidWebhookToken, // 50027
  RESTJSONErrorCodes.UnknownInteraction, // 10062
]);

/** A first answer that Discord has not confirmed may be processed after it was given up, and after an edit that left later. */
const MAY_ARRIVE_MS = 15_000;

/**
 * What the error of the last try of an edit means.
 *
 * @param ageMs since the command: for 15 s, a reply that Discord does not know may still come
 */
export function failedEdit(err: unknown, ageMs: number): Exclude<EditResult, 'shown'> {
  if (err instanceof RateLimitError) return 'lost'; // the stated wait outlasts the reply
  if (!(err instanceof DiscordAPIError)) return 'failed';
  if (err.code === RESTJSONErrorCodes.UnknownWebhook && ageMs < MAY_ARRIVE_MS) return 'failed';
  if (err.code === RESTJSONErrorCodes.UnknownMessage) return 'deleted';
  return LOST.has(err.code) ? 'lost' : refusalBy(err);
}

function refusalBy({ code }: DiscordAPIError): 'refused' | 'blocked' {
  return code === RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration ? 'blocked' : 'refused';
}

/** What the error of a message below a reply means. */
export function failedFollowUp(err: unknown): Exclude<Sent, 'sent'> {
  if (isOfMessage(err)) return 'refused';
  return err instanceof RateLimitError || err instanceof DiscordAPIError ? 'unsent' : 'failed';
}

const OF_MESSAGE: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.CannotSendAnEmptyMessage, // 50006
  RESTJSONErrorCodes.InvalidFormBodyOrContentType, // 50035
  RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration, // 200000
  RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter, // 240000
]);

/** Whether Discord refuses what a message says, and not to whom or when. */
export function isOfMessage(err: unknown): boolean {
  return err instanceof DiscordAPIError && OF_MESSAGE.has(err.code);
}
