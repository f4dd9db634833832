import { ApiError } from './api-error.ts';
import type { Callback } from './callback-rules.ts';
import type { ChatMessage, FollowUp } from './chat.ts';
import { withProxyUrls } from './external-images.ts';
import { acknowledge, type Lifetimes, type Phase, SHOWN, timeLimit, webhookRefusal } from './interaction.ts';
import { EMPTY_REPLY, edited, isEmpty, type MessageForm, type Reply } from './message-rules.ts';

const LONGEST_HISTORY = 100; // snapshots kept of one conversation

export interface ConversationOptions {
  token: string;
  channelId: string;
  commandName: string;
  /** The snapshot at the moment of typing. */
  message: ChatMessage;
  lifetimes: Lifetimes;
  nextId: () => string;
  /** Where this Discord serves external pictures. */
  origin: string;
  onSnapshot: (message: ChatMessage) => void;
}

type Sent = { reply: Reply; ephemeral: boolean; edited: boolean };

/** One typed command and everything the bot answers to it. Its methods throw ApiError as Discord refuses. */
export class Conversation {
  readonly token: string;
  readonly channelId: string;
  readonly commandName: string;
  readonly history: ChatMessage[] = [];
  readonly #options: ConversationOptions;
  readonly #listeners = new Set<(message: ChatMessage) => void>();
  readonly #followUps = new Map<string, Sent>();
  #message: ChatMessage;
  #phase: Phase = 'sent';
  #reply: Reply = EMPTY_REPLY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.token = options.token;
    this.channelId = options.channelId;
    this.commandName = options.commandName;
    this.#message = options.message;
  }

  /** The time to answer starts to run. */
  begin(): void {
    this.#enter('sent', {});
  }

  get message(): ChatMessage {
    return this.#message;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Every snapshot from now on. Returns an unsubscribe. */
  subscribe(listener: (message: ChatMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  acknowledge(callback: Callback, newFiles: number): void {
    const nowMs = Date.now();
    const outcome = acknowledge(this.#life(), callback.kind, nowMs, this.#options.lifetimes);
    if ('refusal' in outcome) throw new ApiError(outcome.refusal);
    const { ephemeral } = callback;
    if (callback.kind === 'reply') this.#reply = this.#changed(EMPTY_REPLY, callback.form, newFiles);
    this.#enter(outcome.phase, {
      messageId: this.#options.nextId(),
      ephemeral,
      ...(callback.kind === 'reply' && { answeredAtMs: nowMs }),
    });
  }

  /** One of the bot's messages here: `@original`, or an id. */
  sent(messageId: string): { id: string } & Sent {
    this.#refuseWebhook();
    const id = this.#resolve(messageId);
    const { messageId: original, ephemeral, edited } = this.#message;
    if (id === original) return { id, reply: this.#reply, ephemeral, edited };
    const followUp = this.#followUps.get(id);
    if (!followUp) throw new ApiError('unknownMessage');
    return { id, ...followUp };
  }

  edit(messageId: string, form: MessageForm, newFiles: number) {
    const { id, reply, ephemeral } = this.sent(messageId);
    const changed = this.#changed(reply, form, newFiles);
    if (id !== this.#message.messageId) {
      this.#followUps.set(id, { reply: changed, ephemeral, edited: true });
      return this.#publish({});
    }
    this.#reply = changed;
    if (this.#phase === 'thinking') this.#enter('answered', { answeredAtMs: Date.now() });
    else this.#publish({ edited: true });
  }

  delete(messageId: string) {
    const { id } = this.sent(messageId);
    if (this.#followUps.delete(id)) return this.#publish({});
    this.#reply = EMPTY_REPLY;
    this.#enter('deleted', { deleted: true });
  }

  /** Sends a further message, or fills the one that still shows "thinking…". Returns the message's id. */
  followUp(form: MessageForm, ephemeral: boolean, newFiles: number): string {
    this.#refuseWebhook();
    if (this.#phase === 'thinking') {
      this.edit('@original', form, newFiles);
      return this.#resolve('@original');
    }
    const id = this.#options.nextId();
    this.#followUps.set(id, { reply: this.#changed(EMPTY_REPLY, form, newFiles), ephemeral, edited: false });
    this.#publish({});
    return id;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #life() {
    return { phase: this.#phase, typedAtMs: this.#message.typedAtMs };
  }

  #refuseWebhook(): void {
    const refusal = webhookRefusal(this.#life(), Date.now(), this.#options.lifetimes);
    if (refusal) throw new ApiError(refusal);
  }

  #resolve(messageId: string): string {
    const original = this.#message.messageId;
    const id = messageId === '@original' ? original : messageId;
    if (id === undefined || (id === original && this.#phase === 'deleted')) throw new ApiError('unknownMessage');
    return id;
  }

  #changed(reply: Reply, form: MessageForm, newFiles: number): Reply {
    const changed = edited(reply, form, newFiles);
    if (isEmpty(changed)) throw new ApiError('emptyMessage');
    return { ...changed, embeds: withProxyUrls(changed.embeds, this.#options.origin) };
  }

  #enter(phase: Phase, change: Partial<ChatMessage>): void {
    this.#phase = phase;
    this.#startTimer();
    this.#publish(change);
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const limit = timeLimit(this.#phase, this.#options.lifetimes);
    if (!limit) return;
    const waitMs = this.#message.typedAtMs + limit.afterMs - Date.now();
    this.#timer = setTimeout(() => this.#enter(limit.next, {}), waitMs);
  }

  #publish(change: Partial<ChatMessage>): void {
    const { content, embeds } = this.#reply;
    const followUps = [...this.#followUps].map(([messageId, sent]) => shown(messageId, sent));
    this.#message = {
      ...this.#message,
      content,
      embeds,
      ...SHOWN[this.#phase],
      ...(followUps.length > 0 && { followUps }),
      ...change,
    };
    this.history.push(this.#message);
    if (this.history.length > LONGEST_HISTORY) this.history.shift();
    for (const listener of [...this.#listeners, this.#options.onSnapshot]) listener(this.#message);
  }
}

function shown(messageId: string, { reply: { content, embeds }, ephemeral, edited }: Sent): FollowUp {
  return { messageId, ephemeral, edited, content, embeds };
}
