import {
  type APIApplicationCommandOptionChoice,
  DiscordAPIError,
  InteractionResponseType,
  MessageFlags,
  type RawFile,
  type REST,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { Incident, type Logger } from '../../log.ts';
import type { Invocation } from '../../model/invocation.ts';
import { formatMessage } from '../../render/messages.ts';
import type {
  CompleteResult,
  DeferredReply,
  EditResult,
  FirstResult,
  ReplyMessage,
  ReplySender,
} from '../../replies/deferred-reply.ts';
import { FIRST_ANSWER_MS, type FirstAnswer, sendFirstAnswer } from './first-answer.ts';
import { messageBody } from './message-body.ts';
import { failedEdit, NO_MENTIONS, sendAgain } from './requests.ts';

type ExplainedAnswer = Exclude<FirstAnswer, { kind: 'refused' }>;

/** Covers a connection that was closed; after that the caller decides when to try again. */
const EDIT_AGAIN_MS = 200;
/** Discord keeps whatever an edit leaves out. */
const NOTHING_ELSE = { content: '', embeds: [], components: [], attachments: [] };
/** The answer waits for what is read here. */
const READ_TIMEOUT_MS = 1_000;

const OriginalMessage = z.object({ embeds: z.array(z.unknown()) });

/** What the bot shows for interactions: a first answer to each, and edits of it. No method rejects. */
export class Replies implements ReplySender {
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

  async reply(to: Invocation, message: ReplyMessage, isPrivate: boolean): Promise<FirstResult> {
    return firstResult(await this.#explained(to, await this.#reply(to, message, isPrivate)));
  }

  /** Suggestions for the option that is being typed. */
  suggest(to: Invocation, choices: readonly APIApplicationCommandOptionChoice[]): Promise<FirstAnswer> {
    return this.#answer(to, { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } });
  }

  async defer(to: DeferredReply): Promise<FirstResult> {
    const { DeferredChannelMessageWithSource: type } = InteractionResponseType;
    return firstResult(await this.#explained(to, await this.#answer(to, { type, data: flags(to.asked.isPrivate) })));
  }

  async complete(edited: DeferredReply, message: ReplyMessage): Promise<CompleteResult> {
    const { locale, asked } = edited;
    const result = await this.edit(edited, message, asked.isPrivate);
    if (result === 'edited') return 'shown';
    if (result !== 'refused') return result;
    const plain = await this.edit(edited, { content: formatMessage(locale, 'broken') }, asked.isPrivate);
    if (plain === 'failed') return 'failed';
    return plain === 'edited' ? 'replaced' : 'lost';
  }

  async countEmbeds({ applicationId, token }: DeferredReply): Promise<number> {
    try {
      const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
      const found = await this.#rest.get(Routes.webhookMessage(applicationId, token), { auth: false, signal });
      return OriginalMessage.parse(found).embeds.length;
    } catch {
      return 0;
    }
  }

  async edit(edited: Invocation, message: ReplyMessage, isPrivate: boolean): Promise<EditResult> {
    const { applicationId, token, command, memberId } = edited;
    const route = Routes.webhookMessage(applicationId, token);
    const { body: shown, files } = messageBody(message);
    const body = { ...NOTHING_ELSE, ...shown, allowed_mentions: NO_MENTIONS };
    try {
      await sendAgain(Date.now() + EDIT_AGAIN_MS, () => this.#rest.patch(route, { auth: false, body, files }));
      this.#outage.succeeded();
      return 'edited';
    } catch (err) {
      const code = err instanceof DiscordAPIError ? err.code : undefined;
      if (code === RESTJSONErrorCodes.UnknownWebhook && Date.now() - edited.receivedAtMs < FIRST_ANSWER_MS) {
        return this.#answerFirst(edited, message, isPrivate);
      }
      const result = failedEdit(err);
      const details = { command, member: memberId, err };
      if (result === 'failed') this.#outage.failed(details);
      else this.#log[result === 'lost' ? 'info' : 'error'](details, 'reply cannot be edited');
      return result;
    }
  }

  /** The "thinking…" never reached Discord, so there is nothing to edit; a first answer is still possible. */
  async #answerFirst(to: Invocation, message: ReplyMessage, isPrivate: boolean): Promise<EditResult> {
    const first = await this.#reply(to, message, isPrivate);
    if (first.kind === 'sent') return 'edited';
    // There is a reply after all, so the edit can succeed.
    if (first.kind === 'already there') return 'failed';
    this.#log.info({ command: to.command, member: to.memberId, err: first.err }, 'reply cannot be sent');
    return first.kind === 'refused' ? 'refused' : 'lost';
  }

  /**
   * Leaves the message whose button was used as it is.
   *
   * @returns what prevented it, for the log
   */
  async acknowledge(to: Invocation): Promise<{ outcome?: string; err?: unknown }> {
    const { DeferredMessageUpdate: type } = InteractionResponseType;
    const first = await this.#explained(to, await this.#answer(to, { type }));
    return first.kind === 'over' ? { outcome: first.outcome, err: first.err } : {};
  }

  /**
   * Deletes the message whose button was used. Costs two requests to Discord.
   *
   * @returns what prevented it, for the log; nothing when the message is gone
   */
  async deleteSource(to: Invocation): Promise<{ outcome?: string; err?: unknown }> {
    const prevented = await this.acknowledge(to);
    if (prevented.outcome !== undefined) return prevented;
    const route = Routes.webhookMessage(to.applicationId, to.token);
    try {
      await sendAgain(Date.now() + EDIT_AGAIN_MS, () => this.#rest.delete(route, { auth: false }));
      return {};
    } catch (err) {
      return failedEdit(err) === 'lost' ? {} : { outcome: 'not answered', err };
    }
  }

  #reply(to: Invocation, message: ReplyMessage, isPrivate: boolean): Promise<FirstAnswer> {
    const { body, files } = messageBody(message);
    const data = { ...body, allowed_mentions: NO_MENTIONS, ...flags(isPrivate) };
    return this.#answer(to, { type: InteractionResponseType.ChannelMessageWithSource, data }, files);
  }

  async #explained(to: Invocation, first: FirstAnswer): Promise<ExplainedAnswer> {
    if (first.kind !== 'refused') return first;
    const plain = await this.#reply(to, { content: formatMessage(to.locale, 'broken') }, true);
    if (plain.kind === 'already there') return plain;
    return { kind: 'over', outcome: plain.kind === 'sent' ? 'broken' : 'not answered', err: first.err };
  }

  #answer(to: Invocation, body: object, files?: RawFile[]): Promise<FirstAnswer> {
    return sendFirstAnswer(this.#rest, to, { body, ...(files && { files }) });
  }
}

function firstResult(first: ExplainedAnswer): FirstResult {
  if (first.kind === 'over') return { shown: false, outcome: first.outcome, err: first.err };
  return { shown: true, err: first.kind === 'unknown' ? first.err : undefined };
}

function flags(isPrivate: boolean): { flags?: MessageFlags } {
  return isPrivate ? { flags: MessageFlags.Ephemeral } : {};
}
