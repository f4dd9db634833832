import { DiscordAPIError, RateLimitError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import { Incident, type Logger } from '../../log.ts';
import { clockTime } from '../../render/formats.ts';
import { formatMessage } from '../../render/messages.ts';
import type {
  CompleteResult,
  DeferResult,
  DeferredReply,
  ReplyEditor,
  ReplyMessage,
} from '../../replies/deferred-reply.ts';
import { defer, explainRefusal, FIRST_ANSWER_MS, type Interacted, reply, sendAgain } from './first-answer.ts';
import { NO_MENTIONS } from './rest-options.ts';

/** The reply does not exist any more, or its token is not valid. */
const LOST: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.UnknownWebhook, // 10015
  RESTJSONErrorCodes.InvalidWebhookToken, // 50027
  RESTJSONErrorCodes.UnknownMessage, // 10008
  RESTJSONErrorCodes.UnknownInteraction, // 10062
]);

/** Covers a connection that was closed; after that the caller decides when to try again. */
const EDIT_AGAIN_MS = 200;
/** It delays the answer. */
const READ_TIMEOUT_MS = 1_000;

/** `refused`: Discord does not accept the message, and the reply stays as it was. */
export type EditResult = 'edited' | 'refused' | Extract<CompleteResult, 'lost' | 'failed'>;

/** The reply that is edited. */
export type EditedReply = Interacted & Pick<DeferredReply, 'applicationId' | 'command' | 'memberId' | 'private'>;

const OriginalMessage = z.object({ embeds: z.array(z.unknown()) });

export class ReplyEdits implements ReplyEditor {
  readonly #rest: REST;
  readonly #log: Logger;
  readonly #outage: Incident;

  constructor(rest: REST, log: Logger) {
    this.#rest = rest;
    this.#log = log;
    this.#outage = new Incident(log, {
      level: 'error',
      begins: 'discord accepts no edits: they are repeated until it does',
      ends: 'discord accepts edits again',
    });
  }

  async defer(to: DeferredReply): Promise<DeferResult> {
    const first = await explainRefusal(this.#rest, to, await defer(this.#rest, to, to.private));
    if (first.kind === 'over') return { shown: false, outcome: first.outcome, err: first.err };
    return { shown: true, err: first.kind === 'unknown' ? first.err : undefined };
  }

  async showWait(edited: DeferredReply, permitAtMs: number): Promise<void> {
    await this.edit(edited, { content: formatMessage(edited.locale, 'permitAt', { time: clockTime(permitAtMs) }) });
  }

  /** A message that Discord refuses is replaced by a sentence, because "thinking…" must not stay. */
  async complete(edited: DeferredReply, message: ReplyMessage): Promise<CompleteResult> {
    const result = await this.edit(edited, message);
    if (result === 'edited') return 'shown';
    if (result !== 'refused') return result;
    const plain = await this.edit(edited, { content: formatMessage(edited.locale, 'broken') });
    if (plain === 'failed') return 'failed';
    return plain === 'edited' ? 'replaced' : 'lost';
  }

  async hasEmbed({ applicationId, token }: Pick<EditedReply, 'applicationId' | 'token'>): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
      const found = await this.#rest.get(Routes.webhookMessage(applicationId, token), { auth: false, signal });
      return OriginalMessage.parse(found).embeds.length > 0;
    } catch {
      return false;
    }
  }

  /** Makes the reply show `message` and nothing else. Costs a request to Discord. Never rejects. */
  async edit(edited: EditedReply, message: ReplyMessage): Promise<EditResult> {
    const { applicationId, token, command, memberId } = edited;
    const { content = '', embeds = [] } = message;
    const route = Routes.webhookMessage(applicationId, token);
    const body = { content, embeds, allowed_mentions: NO_MENTIONS };
    try {
      await sendAgain(Date.now() + EDIT_AGAIN_MS, () => this.#rest.patch(route, { auth: false, body }));
      this.#outage.succeeded();
      return 'edited';
    } catch (err) {
      const code = err instanceof DiscordAPIError ? err.code : undefined;
      if (code === RESTJSONErrorCodes.UnknownWebhook && Date.now() - edited.receivedAtMs < FIRST_ANSWER_MS) {
        return this.#answerFirst(edited, message);
      }
      const result = failedEdit(err);
      const details = { command, member: memberId, err };
      if (result === 'failed') this.#outage.failed(details);
      else this.#log[result === 'lost' ? 'info' : 'error'](details, 'reply cannot be edited');
      return result;
    }
  }

  /** The "thinking…" never reached Discord, so there is nothing to edit; a first answer is still possible. */
  async #answerFirst(to: EditedReply, message: ReplyMessage): Promise<EditResult> {
    const first = await reply(this.#rest, to, message, to.private);
    if (first.kind === 'sent') return 'edited';
    const err = 'err' in first ? first.err : undefined;
    this.#log.info({ command: to.command, member: to.memberId, err }, 'first answer failed');
    // There is a reply after all, so the edit can succeed.
    if (first.kind === 'already there') return 'failed';
    return first.kind === 'refused' ? 'refused' : 'lost';
  }
}

/** What the error of the last try means. */
export function failedEdit(err: unknown): Exclude<EditResult, 'edited'> {
  if (err instanceof RateLimitError) return 'lost'; // the stated wait outlasts the reply
  if (!(err instanceof DiscordAPIError)) return 'failed';
  return LOST.has(err.code) ? 'lost' : 'refused';
}
