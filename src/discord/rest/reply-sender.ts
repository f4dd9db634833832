import {
  type APIApplicationCommandOptionChoice,
  ComponentType,
  DiscordAPIError,
  InteractionResponseType,
  MessageFlags,
  type RawFile,
  type REST,
  RESTJSONErrorCodes,
  Routes,
  TextInputStyle,
} from 'discord.js';
import { z } from 'zod';
import { withDelete } from '../../../commands/delete-reply.ts';
import { Incident, type Logger } from '../../log.ts';
import type { Invocation } from '../../model/invocation.ts';
import type { Form, FormField, Message } from '../../model/message.ts';
import type { Sent } from '../../model/sent.ts';
import { formatMessage } from '../../render/messages.ts';
import { replyLocale } from '../../render/reply-locale.ts';
import {
  below,
  type CardsReply,
  type CompleteResult,
  type EditResult,
  type FirstResult,
  type ReplySender,
} from '../../replies/reply-ports.ts';
import {
  FIRST_ANSWER_MS,
  type FirstAnswer,
  failedEdit,
  failedFollowUp,
  sendAgain,
  sendFirstAnswer,
} from './delivery.ts';
import { withoutRefused } from './refused-parts.ts';
import { NO_MENTIONS } from './requests.ts';

/** Covers a connection that was closed; after that the caller decides when to try again. */
const EDIT_AGAIN_MS = 200;
/** Discord keeps whatever an edit leaves out. */
const NOTHING_ELSE = { content: '', embeds: [], components: [], attachments: [] };
/** The answer waits for what is read here. */
const READ_TIMEOUT_MS = 1_000;

const OriginalMessage = z.object({ content: z.string(), embeds: z.array(z.unknown()) });
const NO_MESSAGE: z.infer<typeof OriginalMessage> = { content: '', embeds: [] };

/** What the bot shows for interactions: a first answer to each, and edits of it. No method rejects. */
export class RestReplySender implements ReplySender {
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

  async reply(to: Invocation, message: Message, isPrivate: boolean, isInPlace = false): Promise<FirstResult> {
    const first = await this.#reply(to, message, isPrivate, isInPlace);
    if (isPrivate || first.refusal === undefined) return this.#explained(to, first);
    const word = formatMessage(to.locale, 'shownInPrivate', { why: first.refusal });
    this.#log.info(
      { command: to.command, member: to.requester.memberId, err: first.err },
      'reply cannot be shown to others',
    );
    const again = await this.#reply(to, below(word, message), true);
    return again.shown ? { ...again, word } : this.#explained(to, again);
  }

  /**
   * One more message to the member alone, below a reply that shows its answer: it would complete one that does not. Costs
   * one request to Discord, which is not sent again.
   */
  async followUp(to: Invocation, message: Message): Promise<Sent> {
    const { applicationId, token } = to.webhook;
    const { body, files } = messageBody(message);
    try {
      await this.#rest.post(Routes.webhook(applicationId, token), {
        auth: false,
        body: { ...body, ...flags(true) },
        files,
      });
      return 'sent';
    } catch (err) {
      const left = this.#leftOf(message, err, to);
      if (left) return this.followUp(to, left);
      const sent = failedFollowUp(err);
      this.#log[sent === 'refused' ? 'warn' : 'info'](
        { member: to.requester.memberId, err },
        'a message below a reply cannot be sent',
      );
      return sent;
    }
  }

  /** Suggestions for the option that is being typed. */
  suggest(to: Invocation, choices: readonly APIApplicationCommandOptionChoice[]): Promise<FirstResult> {
    const { ApplicationCommandAutocompleteResult: type } = InteractionResponseType;
    return sendFirstAnswer(this.#rest, to, { type, data: { choices } });
  }

  async defer(to: CardsReply): Promise<FirstResult> {
    const { DeferredChannelMessageWithSource: type } = InteractionResponseType;
    return this.#explained(to, await sendFirstAnswer(this.#rest, to, { type, data: flags(to.asked.isPrivate) }));
  }

  async complete(to: CardsReply, message: Message, isAnother: boolean): Promise<CompleteResult> {
    const { isPrivate, language: set } = to.asked;
    const result = await this.edit(to, message, isPrivate);
    if (result !== 'refused' && result !== 'blocked') return result;
    const locale = replyLocale(to, isPrivate, set);
    const say = async (content: string) => {
      const sentence = isPrivate ? { content } : withDelete({ content }, locale);
      const said = await this.edit(to, sentence, isPrivate);
      return said === 'refused' || said === 'blocked' ? 'lost' : said;
    };
    if (!isPrivate) {
      const word = formatMessage(locale, 'shownInPrivate', { why: result });
      const before = isAnother ? await this.read(to) : NO_MESSAGE;
      if (before?.content === word) return 'shownInPrivate';
      // Not before the reply has ended: a follow-up would take the place of "thinking…", for everyone.
      const said = before ? await say(word) : 'failed';
      if (said !== 'shown') return said;
      const sent = await this.followUp(to, message);
      if (sent === 'sent' || sent === 'failed') return 'shownInPrivate'; // in doubt, it is there
    }
    const said = await say(formatMessage(locale, 'broken'));
    return said === 'shown' ? 'refused' : said;
  }

  async read({ webhook: { applicationId, token } }: CardsReply): Promise<typeof NO_MESSAGE | undefined> {
    try {
      const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
      const found = await this.#rest.get(Routes.webhookMessage(applicationId, token), { auth: false, signal });
      return OriginalMessage.parse(found);
    } catch (err) {
      return err instanceof DiscordAPIError ? NO_MESSAGE : undefined; // refused: there is none, as the edit will show
    }
  }

  async edit(edited: Invocation, message: Message, isPrivate: boolean): Promise<EditResult> {
    const { webhook, command, requester } = edited;
    const route = Routes.webhookMessage(webhook.applicationId, webhook.token);
    const { body: shown, files } = messageBody(message);
    const body = { ...NOTHING_ELSE, ...shown };
    try {
      await sendAgain(EDIT_AGAIN_MS, () => this.#rest.patch(route, { auth: false, body, files }));
      this.#outage.succeeded();
      return 'shown';
    } catch (err) {
      const left = this.#leftOf(message, err, edited);
      if (left) return this.edit(edited, left, isPrivate);
      const code = err instanceof DiscordAPIError ? err.code : undefined;
      const ageMs = Date.now() - edited.receivedAtMs;
      if (code === RESTJSONErrorCodes.UnknownWebhook && ageMs < FIRST_ANSWER_MS) {
        return this.#answerFirst(edited, message, isPrivate);
      }
      const result = failedEdit(err, ageMs);
      const details = { command, member: requester.memberId, err };
      if (result !== 'failed') this.#log[result === 'refused' ? 'error' : 'info'](details, 'reply cannot be edited');
      else if (code === undefined) this.#outage.failed(details); // otherwise Discord has answered
      return result;
    }
  }

  /** The "thinking…" has not reached Discord, so there is nothing to edit; a first answer is still possible. */
  async #answerFirst(to: Invocation, message: Message, isPrivate: boolean): Promise<EditResult> {
    const first = await this.#reply(to, message, isPrivate);
    // With an earlier answer, or one that is not confirmed, there may be a reply after all, so the edit can succeed.
    if (first.shown) return first.isEarlier || first.err !== undefined ? 'failed' : 'shown';
    this.#log.info({ command: to.command, member: to.requester.memberId, err: first.err }, 'reply cannot be sent');
    return first.refusal ?? 'lost';
  }

  /** Opens a form. @returns what prevented it, for the log */
  async open(to: Invocation, form: Form): Promise<{ outcome?: string; err?: unknown }> {
    const { Modal: type } = InteractionResponseType;
    const data = { custom_id: form.customId, title: form.title, components: form.fields.map(labelled) };
    const first = await this.#explained(to, await sendFirstAnswer(this.#rest, to, { type, data }));
    return first.shown ? {} : { outcome: first.outcome, err: first.err };
  }

  /**
   * Leaves the message whose button was used as it is; one that is gone needs no answer.
   *
   * @returns what prevented it, for the log
   */
  async acknowledge(to: Invocation): Promise<{ outcome?: string; err?: unknown }> {
    const prevented = await this.#acknowledge(to);
    return prevented === 'gone' ? {} : prevented;
  }

  /**
   * Deletes the message whose button was used. Costs two requests to Discord.
   *
   * @returns what prevented it, for the log; nothing when the message is gone
   */
  async deleteSource(to: Invocation): Promise<{ outcome?: string; err?: unknown }> {
    const prevented = await this.#acknowledge(to);
    if (prevented === 'gone') return {};
    // It was acknowledged just now, whatever the clock says.
    return prevented.outcome === undefined ? this.#deleteOriginal(to, 0) : prevented;
  }

  async #acknowledge(to: Invocation): Promise<'gone' | { outcome?: string; err?: unknown }> {
    const { DeferredMessageUpdate: type } = InteractionResponseType;
    const sent = await sendFirstAnswer(this.#rest, to, { type });
    const isGone = sent.err instanceof DiscordAPIError && sent.err.code === RESTJSONErrorCodes.UnknownMessage;
    if (isGone) return 'gone';
    const first = await this.#explained(to, sent);
    return first.shown ? {} : { outcome: first.outcome, err: first.err };
  }

  async delete(to: CardsReply): Promise<boolean> {
    const { outcome, err } = await this.#deleteOriginal(to, Date.now() - to.receivedAtMs);
    if (outcome === undefined) return true;
    const details = { command: to.command, member: to.requester.memberId, err };
    const isRefused = err instanceof DiscordAPIError;
    if (isRefused) this.#log.warn(details, 'a reply cannot be deleted');
    else this.#outage.failed(details);
    return isRefused;
  }

  async #deleteOriginal({ webhook }: Invocation, ageMs: number): Promise<{ outcome?: string; err?: unknown }> {
    const route = Routes.webhookMessage(webhook.applicationId, webhook.token);
    try {
      await sendAgain(EDIT_AGAIN_MS, () => this.#rest.delete(route, { auth: false }));
      this.#outage.succeeded();
      return {};
    } catch (err) {
      const isGone = ['deleted', 'lost'].includes(failedEdit(err, ageMs));
      return isGone ? {} : { outcome: 'not answered', err };
    }
  }

  async #reply(to: Invocation, message: Message, isPrivate: boolean, isInPlace = false): Promise<FirstAnswer> {
    const { body, files } = messageBody(message);
    const { ChannelMessageWithSource, UpdateMessage } = InteractionResponseType;
    const data = isInPlace ? { ...NOTHING_ELSE, ...body } : { ...body, ...flags(isPrivate) };
    const type = isInPlace ? UpdateMessage : ChannelMessageWithSource;
    const first = await sendFirstAnswer(this.#rest, to, { type, data }, files);
    const left = first.refusal && this.#leftOf(message, first.err, to);
    return left ? this.#reply(to, left, isPrivate, isInPlace) : first;
  }

  /** What is sent again of a message that Discord refuses; `undefined`: nothing. */
  #leftOf(message: Message, err: unknown, { command, requester }: Invocation): Message | undefined {
    const left = withoutRefused(message, err);
    if (left)
      this.#log.warn(
        { command, member: requester.memberId, err },
        'discord refuses a part of a reply: it is shown without',
      );
    return left;
  }

  /** In place of an answer that Discord refuses, the member reads a private sentence. */
  async #explained(to: Invocation, first: FirstAnswer): Promise<FirstResult> {
    if (first.refusal === undefined) return first;
    const plain = await this.#reply(to, { content: formatMessage(to.locale, 'broken') }, true);
    if (plain.isEarlier) return plain;
    const isRead = plain.shown && plain.err === undefined;
    return { shown: false, outcome: isRead ? 'broken' : 'not answered', err: first.err };
  }
}

/** A message as Discord's REST takes it, with its files as parts of their own. It notifies nobody. */
function messageBody({ files = [], ...message }: Message): { body: object; files: RawFile[] } {
  const attachments = files.map(({ name, description }, at) => ({ id: String(at), filename: name, description }));
  return {
    body: { ...message, allowed_mentions: NO_MENTIONS, ...(attachments.length > 0 && { attachments }) },
    files: files.map(({ name, data, contentType }) => ({ name, data: Buffer.from(data), contentType })),
  };
}

/** A field of a form as Discord's REST takes it. */
function labelled({ id, label, placeholder, value, maxLength, lines, isOptional = false }: FormField): object {
  const style = lines === 'one' ? TextInputStyle.Short : TextInputStyle.Paragraph;
  const input = { type: ComponentType.TextInput, custom_id: id, style, placeholder, value, max_length: maxLength };
  return { type: ComponentType.Label, label, component: { ...input, required: !isOptional } };
}

function flags(isPrivate: boolean): { flags?: MessageFlags } {
  return isPrivate ? { flags: MessageFlags.Ephemeral } : {};
}
