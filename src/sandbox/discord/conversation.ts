import { ApiError } from './api-error.ts';
import type { Callback } from './callback-rules.ts';
import type { ChatMessage } from './chat.ts';
import { withProxyUrls } from './external-images.ts';
import { acknowledge, type Lifetimes, type Phase, timeLimit, webhookRefusal } from './interaction.ts';
import { EMPTY_REPLY, edited, isEmpty, type MessageForm, type Reply } from './message-rules.ts';
import { type SentMessage, SentMessages } from './sent-messages.ts';
import { nextSnapshot } from './snapshot.ts';

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

/** One typed command and everything the bot answers to it. Its methods throw ApiError as Discord refuses. */
export class Conversation {
  readonly token: string;
  readonly channelId: string;
  readonly commandName: string;
  readonly history: ChatMessage[] = [];
  readonly #options: ConversationOptions;
  readonly #listeners = new Set<(message: ChatMessage) => void>();
  readonly #sent = new SentMessages();
  #message: ChatMessage;
  #phase: Phase = 'sent';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.token = options.token;
    this.channelId = options.channelId;
    this.commandName = options.commandName;
    this.#message = options.message;
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

  /** The time to answer starts to run. */
  begin(): void {
    this.#enter('sent');
  }

  acknowledge(callback: Callback, newFiles: number): void {
    const outcome = acknowledge(this.#life(), callback.kind, Date.now(), this.#options.lifetimes);
    if ('refusal' in outcome) throw new ApiError(outcome.refusal);
    const reply = callback.kind === 'reply' ? this.#changed(EMPTY_REPLY, callback.form, newFiles) : EMPTY_REPLY;
    this.#sent.put({ id: this.#options.nextId(), ephemeral: callback.ephemeral, edited: false, reply });
    this.#enter(outcome.phase);
  }

  /** One of the bot's messages here: `@original`, or an id. */
  sent(messageId: string): SentMessage {
    this.#refuseWebhook();
    return this.#sent.find(messageId);
  }

  edit(messageId: string, form: MessageForm, newFiles: number): void {
    const before = this.sent(messageId);
    const fills = this.#phase === 'thinking' && this.#sent.isOriginal(before);
    this.#sent.put({ ...before, reply: this.#changed(before.reply, form, newFiles), edited: !fills });
    if (fills) this.#enter('answered');
    else this.#publish();
  }

  delete(messageId: string): void {
    const gone = this.sent(messageId);
    this.#sent.remove(gone);
    if (this.#sent.isOriginal(gone)) this.#enter('deleted');
    else this.#publish();
  }

  /** Sends a further message, or fills the one that still shows "thinking…". Returns the message's id. */
  followUp(form: MessageForm, ephemeral: boolean, newFiles: number): string {
    this.#refuseWebhook();
    if (this.#phase === 'thinking') {
      this.edit('@original', form, newFiles);
      return this.#sent.find('@original').id;
    }
    const reply = this.#changed(EMPTY_REPLY, form, newFiles);
    const id = this.#options.nextId();
    this.#sent.put({ id, ephemeral, edited: false, reply });
    this.#publish();
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

  #changed(reply: Reply, form: MessageForm, newFiles: number): Reply {
    const changed = edited(reply, form, newFiles);
    if (isEmpty(changed)) throw new ApiError('emptyMessage');
    return { ...changed, embeds: withProxyUrls(changed.embeds, this.#options.origin) };
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    clearTimeout(this.#timer);
    const limit = timeLimit(phase, this.#options.lifetimes);
    if (limit) {
      const waitMs = this.#message.typedAtMs + limit.afterMs - Date.now();
      this.#timer = setTimeout(() => this.#enter(limit.next), waitMs);
    }
    this.#publish();
  }

  #publish(): void {
    this.#message = nextSnapshot(this.#message, this.#phase, this.#sent, Date.now());
    this.history.push(this.#message);
    if (this.history.length > LONGEST_HISTORY) this.history.shift();
    for (const listener of [...this.#listeners, this.#options.onSnapshot]) listener(this.#message);
  }
}
