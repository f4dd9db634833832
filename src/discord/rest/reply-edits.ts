import { DiscordAPIError, MessageFlags, RateLimitError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import type { Logger } from '../../log.ts';
import { Incident } from '../../log.ts';
import type { DeferredReply } from '../../replies/deferred-reply.ts';
import { acknowledge } from '../interactions/acknowledge.ts';
import type { Message } from '../interactions/command.ts';
import { type Interacted, reply } from './callback.ts';
import { NO_MENTIONS } from './mentions.ts';
import { FIRST_ANSWER_MS, sendAgain } from './send-again.ts';

/** The reply is gone, or its token dead: nobody can be answered any more. */
const LOST: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.UnknownWebhook, // 10015
  RESTJSONErrorCodes.InvalidWebhookToken, // 50027
  RESTJSONErrorCodes.UnknownMessage, // 10008
  RESTJSONErrorCodes.UnknownInteraction, // 10062
]);

/** How the message `permitAt` begins. */
const WAIT_NOTICE = 'Your turn comes';

/** What of a reply tells whether it is an answer. */
const Shown = z.object({ content: z.string(), flags: z.number().default(0) });

/** Edits replies by their token alone, so that it needs neither the gateway nor the interaction that it answers. */
export class ReplyEdits {
  readonly #rest: REST;
  readonly #log: Logger;
  readonly #outage: Incident;

  constructor(rest: REST, log: Logger) {
    this.#rest = rest;
    this.#log = log;
    this.#outage = new Incident(log, {
      level: 'error',
      begins: 'discord takes no edits: they are sent again until it does',
      ends: 'discord takes edits again',
    });
  }

  /** Makes the reply show `message` and nothing else. Never rejects: there is nobody else to tell. */
  async edit(edited: EditedReply, message: Message): Promise<EditResult> {
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
      if (result === 'failed') this.#outage.failed({ command, member: memberId, err });
      else
        this.#log[result === 'lost' ? 'info' : 'error']({ command, member: memberId, err }, 'reply cannot be edited');
      return result;
    }
  }

  /** Whether the member sees more than "thinking…" and a turn. Costs a request; `false` when it cannot be known. */
  async isFinal({ applicationId, token }: Pick<EditedReply, 'applicationId' | 'token'>): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
      const found = await this.#rest.get(Routes.webhookMessage(applicationId, token), { auth: false, signal });
      const { content, flags } = Shown.parse(found);
      return (flags & MessageFlags.Loading) === 0 && !content.startsWith(WAIT_NOTICE);
    } catch {
      return false;
    }
  }

  /** The "thinking…" never reached Discord, so there is nothing to edit; but it is not too late for a first answer. */
  async #answerFirst(to: EditedReply, message: Message): Promise<EditResult> {
    const first = await acknowledge(to.receivedAtMs, () => reply(this.#rest, to, message, to.private));
    if (first.kind === 'sent') return 'edited';
    const err = 'err' in first ? first.err : undefined;
    this.#log.info({ command: to.command, member: to.memberId, err }, 'first answer failed');
    // There is a reply after all, so the edit is worth another try.
    if (first.kind === 'already there') return 'failed';
    return first.kind === 'refused' ? 'refused' : 'lost';
  }
}

/** Long enough for a connection that was closed; after that the caller decides when to try again. */
const EDIT_AGAIN_MS = 200;

/** It keeps an answer waiting. */
const LOOK_TIMEOUT_MS = 1_000;

/**
 * `lost`: nobody can be answered any more. `refused`: Discord finds fault with the message, and what stood there stands.
 * `failed`: trying again later may help.
 */
export type EditResult = 'edited' | 'lost' | 'refused' | 'failed';

/** What the error of the last try means. */
export function failedEdit(err: unknown): Exclude<EditResult, 'edited'> {
  if (err instanceof RateLimitError) return 'lost'; // it is to be waited for beyond the life of the reply
  if (!(err instanceof DiscordAPIError)) return 'failed';
  return LOST.has(err.code) ? 'lost' : 'refused';
}

/** What of an interaction is needed to edit its reply. */
export type EditedReply = Interacted &
  Pick<DeferredReply, 'applicationId' | 'command' | 'memberId' | 'private' | 'receivedAtMs'>;
