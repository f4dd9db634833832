import { randomBytes } from 'node:crypto';

import { Listeners } from '../listeners.ts';
import { ApiError } from './api-error.ts';
import type { ChatMessage } from './chat.ts';
import { Conversation, type ConversationOptions, type HeldMessage } from './conversation.ts';
import type { MessageForm } from './message-rules.ts';
import type { NumberedUpload } from './request-body.ts';

type NewConversation = Omit<ConversationOptions, 'token' | 'onSnapshot'>;

const KEPT = 1_000; // finished conversations; older ones are dropped, so that memory stays bounded

/** All conversations of the emulated Discord, by the interaction's id or token. */
export class Conversations {
  readonly #byId = new Map<string, Conversation>();
  readonly #byToken = new Map<string, Conversation>();
  readonly #messages = new Listeners<ChatMessage>();
  readonly onMessage = this.#messages.add;
  readonly #finished = new Set<string>();

  start(options: NewConversation): Conversation {
    const { interactionId } = options.message;
    const token = newToken(interactionId);
    const conversation = new Conversation({ ...options, token, onSnapshot: (message) => this.#onSnapshot(message) });
    this.#byId.set(interactionId, conversation);
    this.#byToken.set(token, conversation);
    conversation.begin();
    return conversation;
  }

  /** A message of the bot that answers nobody. Nothing is left of one that is refused. @throws ApiError */
  post(options: NewConversation, form: MessageForm, uploads: readonly NumberedUpload[]): HeldMessage {
    const onSnapshot = (message: ChatMessage) => {
      this.#byId.set(message.interactionId, conversation);
      this.#onSnapshot(message);
    };
    const conversation = new Conversation({ ...options, token: '', onSnapshot });
    return conversation.post(form, uploads);
  }

  /** A message of the bot that answers nobody; undefined = none has this nonce, or none so young. */
  posted(nonce: string | number, sinceMs: number): HeldMessage | undefined {
    const found = this.#byId
      .values()
      .find(({ details, message }) => details.nonce === nonce && message.typedAtMs >= sinceMs);
    return found?.held('@original');
  }

  find(interactionId: string): Conversation | undefined {
    return this.#byId.get(interactionId);
  }

  /** @throws ApiError 10062 when no interaction has this id and token. */
  interaction(id: string, token: string): Conversation {
    const found = this.#byId.get(id);
    if (found?.details.token !== token) throw new ApiError('unknownInteraction');
    return found;
  }

  /** @throws ApiError 10015 when no interaction has this token. */
  webhook(token: string): Conversation {
    const found = this.#byToken.get(token);
    if (!found) throw new ApiError('unknownWebhook');
    return found;
  }

  /** The conversation of a bot message; undefined = no such message, or it was dropped. */
  holder(messageId: string): Conversation | undefined {
    return this.#byId.values().find((conversation) => conversation.holds(messageId));
  }

  messages(): ChatMessage[] {
    return Array.from(this.#byId.values(), ({ message }) => message);
  }

  close(): void {
    for (const conversation of this.#byId.values()) conversation.close();
  }

  /** Forgets everything that was typed. */
  clear(): void {
    this.close();
    for (const kept of [this.#byId, this.#byToken, this.#finished]) kept.clear();
  }

  #onSnapshot(message: ChatMessage): void {
    if (message.state === 'answered' || message.state === 'failed') this.#finish(message.interactionId);
    this.#messages.tell(message);
  }

  #finish(id: string): void {
    this.#finished.add(id);
    if (this.#finished.size <= KEPT) return;
    const [oldest] = this.#finished;
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(id: string): void {
    const conversation = this.#byId.get(id);
    if (conversation) this.#byToken.delete(conversation.details.token);
    this.#byId.delete(id);
    this.#finished.delete(id);
  }
}

/** A token in Discord's format. */
export function newToken(interactionId: string): string {
  return Buffer.from(`interaction:${interactionId}:${randomBytes(48).toString('hex')}`).toString('base64url');
}
