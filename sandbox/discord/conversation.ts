import { ApiError } from './api-error.ts';
import type { Answerable, Callback } from './callback-rules.ts';
import { changedReply } from './changed-reply.ts';
import type { ChatMessage, MessageBody } from './chat.ts';
import { ConversationCourse, type CourseOptions } from './conversation-course.ts';
import type { FileStore } from './file-store.ts';
import { acknowledge, webhookRefusal } from './interaction.ts';
import { EMPTY_REPLY, type MessageForm } from './message-rules.ts';
import type { Owners } from './place.ts';
import type { NumberedUpload } from './request-body.ts';
import { type SentMessage, SentMessages } from './sent-messages.ts';

export interface ConversationOptions extends Answerable, CourseOptions {
  token: string;
  channelId: string;
  owners: Owners;
  /** Whether all messages here are for the member alone, whatever the bot wants. */
  isForcedPrivate: boolean;
  /** `interaction_metadata` of every message here; absent of one that answers nobody. */
  metadata?: object;
  /** Stands in a message that answers nobody. */
  nonce?: string | number | undefined;
  /** The message whose component started the interaction. */
  source?: { conversation: Conversation; messageId: string } | undefined;
  nextId: () => string;
  files: FileStore;
  /** Where this Discord serves external pictures. */
  origin: string;
}

/** A bot message and its conversation. */
export interface HeldMessage {
  conversation: Conversation;
  message: SentMessage;
}

const MOST_USER_FOLLOW_UPS = 5; // interactions/receiving-and-responding, "Followup Messages"

/** One interaction and all answers of the bot. Methods throw ApiError where Discord refuses. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #sent = new SentMessages();
  /** How it went so far, as the chat shows it. */
  readonly course: ConversationCourse;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.course = new ConversationCourse(options, this.#sent);
  }

  get details(): Readonly<Omit<ConversationOptions, 'message' | 'onSnapshot'>> {
    return this.#options;
  }

  get message(): ChatMessage {
    return this.course.message;
  }

  /** Starts the time limit for the first answer. */
  begin(): void {
    this.course.enter('sent');
  }

  /** Sends the message of a conversation that the bot begins by itself. */
  post(form: MessageForm, uploads: readonly NumberedUpload[]): HeldMessage {
    this.#sent.putOriginal(this.#made(form, false, uploads, []));
    this.course.enter('answered');
    return this.held('@original');
  }

  acknowledge(callback: Callback, uploads: readonly NumberedUpload[]): void {
    const outcome = acknowledge(this.course.state, callback.kind, Date.now(), this.#options.lifetimes);
    if ('refusal' in outcome) throw new ApiError(outcome.refusal);
    this.#perform(callback, uploads);
    this.course.enter(outcome.phase);
  }

  /** A bot message by the interaction's token: `@original`, or an id. */
  sent(messageId: string): HeldMessage {
    this.#refuseWebhook();
    const { source } = this.#options;
    const meansSource = source !== undefined && ['@original', source.messageId].includes(messageId);
    if (meansSource && this.message.updatesSource) return source.conversation.held(source.messageId);
    return this.held(messageId);
  }

  /** A message of this conversation, even if the token has expired. @throws ApiError 10008 */
  held(messageId: string): HeldMessage {
    return { conversation: this, message: this.#sent.find(messageId) };
  }

  holds(messageId: string): boolean {
    return this.#sent.has(messageId);
  }

  edit(messageId: string, form: MessageForm, uploads: readonly NumberedUpload[]): void {
    const { conversation, message } = this.sent(messageId);
    conversation.#change(message, form, uploads);
  }

  delete(messageId: string): void {
    const { conversation, message } = this.sent(messageId);
    conversation.#remove(message);
  }

  /** A member deletes a message that everybody sees, or dismisses a private one. @throws ApiError 10008 */
  dismiss(messageId: string): void {
    this.#remove(this.#sent.find(messageId));
  }

  /** Sends a follow-up message, or completes the reply that still shows "thinking…". */
  followUp(form: MessageForm, ephemeral: boolean, uploads: readonly NumberedUpload[]): HeldMessage {
    this.#refuseWebhook();
    if (this.course.phase === 'thinking') {
      this.#change(this.#sent.find('@original'), form, uploads);
      return this.held('@original');
    }
    if (!('0' in this.#options.owners) && this.#sent.followUps.length >= MOST_USER_FOLLOW_UPS) {
      throw new ApiError('tooManyFollowUps');
    }
    const message = this.#made(form, ephemeral, uploads, []);
    this.#sent.put(message);
    this.course.publish();
    return { conversation: this, message };
  }

  close(): void {
    this.course.close();
  }

  #refuseWebhook(): void {
    const refusal = webhookRefusal(this.course.state, Date.now(), this.#options.lifetimes);
    if (refusal) throw new ApiError(refusal);
  }

  #perform(callback: Callback, uploads: readonly NumberedUpload[]): void {
    const { source } = this.#options;
    switch (callback.kind) {
      case 'reply':
        this.#sent.putOriginal(this.#made(callback.form, callback.ephemeral, uploads, ['data']));
        return;
      case 'defer':
        this.#sent.putOriginal(this.#message(callback.ephemeral, EMPTY_REPLY));
        return;
      case 'modal':
        this.course.amend({ modal: callback.modal });
        return;
      default: {
        if (!source) throw new ApiError('unknownMessage');
        const { message } = source.conversation.held(source.messageId);
        if (callback.kind === 'update') source.conversation.#change(message, callback.form, uploads, ['data']);
        this.course.amend({ updatesSource: true });
      }
    }
  }

  #made(form: MessageForm, ephemeral: boolean, uploads: readonly NumberedUpload[], at: readonly string[]): SentMessage {
    return this.#message(ephemeral, changedReply(EMPTY_REPLY, form, uploads, this.#options, at));
  }

  #message(ephemeral: boolean, reply: MessageBody): SentMessage {
    const { nextId, isForcedPrivate } = this.#options;
    return { id: nextId(), ephemeral: ephemeral || isForcedPrivate, edited: false, reply };
  }

  #change(
    before: SentMessage,
    form: MessageForm,
    uploads: readonly NumberedUpload[],
    at: readonly string[] = [],
  ): void {
    const fills = this.course.phase === 'thinking' && this.#sent.isOriginal(before);
    this.#sent.put({ ...before, reply: changedReply(before.reply, form, uploads, this.#options, at), edited: !fills });
    if (fills) this.course.enter('answered');
    else this.course.publish();
  }

  #remove(gone: SentMessage): void {
    this.#sent.remove(gone);
    if (this.#sent.isOriginal(gone)) this.course.enter('deleted');
    else this.course.publish();
  }
}
