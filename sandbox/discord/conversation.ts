import { ComponentType, type InteractionType, MessageFlags, MessageType } from 'discord-api-types/v10';

import { Listeners } from '../listeners.ts';
import { ApiError } from './api-error.ts';
import type { Callback } from './callback-rules.ts';
import type { ChatMessage, ChatState, MessageBody, Trigger } from './chat.ts';
import type { FileStore } from './file-store.ts';
import { changedReply, EMPTY_REPLY, standingFiles } from './message-body.ts';
import { type ArrivedMessage, isEphemeral, type Moderation, moderate } from './message-rules.ts';
import { apiUser, botUser, isForcedPrivate, type Owners, type Place, snowflakeTimeMs, type World } from './world.ts';

/** How long an interaction may wait for its first answer, and how long its token is valid after it was typed. */
export interface Lifetimes {
  ackMs: number;
  tokenMs: number;
}

// interactions/receiving-and-responding, "Interaction callback"
export const DISCORD_LIFETIMES: Lifetimes = { ackMs: 3_000, tokenMs: 900_000 };

/** What all conversations of one Discord share. */
export interface Surroundings {
  world: World;
  lifetimes: Lifetimes;
  files: FileStore;
  moderation: Moderation;
  nextId: () => string;
  /** Where this Discord serves external pictures. */
  origin: string;
}

/** An interaction, or a message that answers none, at its beginning. */
export interface Begun {
  type: Exclude<InteractionType, InteractionType.Ping>;
  trigger: Trigger;
  /** What the chat shows of it. */
  line: string;
  place: Place;
  owners: Owners;
  /** Fields of `interaction_metadata` besides the common ones. */
  metadata?: object;
  /** Stands in a message that the bot sends by itself. */
  nonce?: string | number | undefined;
  /** The message whose component started the interaction. */
  source?: { conversation: Conversation; messageId: string } | undefined;
}

/** A message in a conversation: of the bot, or the one that a member wrote. */
interface SentMessage {
  id: string;
  ephemeral: boolean;
  edited: boolean;
  reply: MessageBody;
}

/** A typed command, as its member sees it. */
export type TypedInteraction = Readonly<Pick<Conversation, 'id' | 'message' | 'history' | 'until' | 'settled'>>;

/**
 * The state of one interaction. `unanswered`: not acknowledged in time; `expired`: it still showed "thinking…" when its
 * token expired; `deleted`: the reply was deleted.
 */
type Phase = 'sent' | 'thinking' | 'answered' | 'unanswered' | 'expired' | 'deleted';

const MOST_USER_FOLLOW_UPS = 5; // interactions/receiving-and-responding, "Followup Messages"
const LONGEST_HISTORY = 100;
const PATIENCE_MS = 60_000;

/**
 * One interaction and all answers of the bot. Methods that the bot calls throw ApiError where Discord refuses, and return
 * messages as Discord does.
 */
export class Conversation {
  readonly id: string;
  readonly token: string;
  readonly begun: Begun;
  /** The latest snapshot. */
  message: ChatMessage;
  /** Every snapshot so far, the last hundred at most. */
  readonly history: ChatMessage[] = [];
  readonly #around: Surroundings;
  readonly #snapshots = new Listeners<ChatMessage>();
  /** Every snapshot from now on. */
  readonly onSnapshot = this.#snapshots.add;
  /** The first is the reply, `@original`; the others are follow-ups. */
  readonly #sent = new Map<string, SentMessage>();
  #originalId = '';
  #phase: Phase = 'sent';
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, token: string, begun: Begun, around: Surroundings) {
    this.id = id;
    this.token = token;
    this.begun = begun;
    this.#around = around;
    const { trigger, line, place } = begun;
    this.message = {
      interactionId: id,
      messageId: undefined,
      guildId: place.guildId,
      context: place.context,
      member: place.member,
      trigger,
      commandLine: line,
      state: 'sent',
      failure: undefined,
      ephemeral: false,
      edited: false,
      ...EMPTY_REPLY,
      typedAtMs: snowflakeTimeMs(id),
      answeredAtMs: undefined,
    };
  }

  /** Resolves to the first snapshot, past or future, that matches. Rejects with a sentence and the history after `timeoutMs`. */
  async until(fits: (message: ChatMessage) => boolean, timeoutMs = PATIENCE_MS): Promise<ChatMessage> {
    const past = this.history.find(fits);
    if (past) return past;
    const { promise, resolve, reject } = Promise.withResolvers<ChatMessage>();
    const unsubscribe = this.onSnapshot((message) => fits(message) && resolve(message));
    const timer = setTimeout(() => reject(new Error(this.#mismatch(timeoutMs))), timeoutMs);
    return promise.finally(() => {
      clearTimeout(timer);
      unsubscribe();
    });
  }

  /** Resolves to the first snapshot that is answered or failed; the notice of a wait counts as answered. */
  settled(timeoutMs?: number): Promise<ChatMessage> {
    return this.until(({ state }) => state === 'answered' || state === 'failed', timeoutMs);
  }

  /** Starts the time limit for the first answer. */
  begin(): void {
    this.#enter('sent');
  }

  /** Sends the message of a conversation that the bot begins by itself. */
  post(sent: ArrivedMessage): object {
    this.#reply(this.#made(sent));
    this.#enter('answered');
    return this.apiMessage(this.#originalId);
  }

  /** Writes the message of a conversation that is a member's alone. @returns its id */
  write(content: string): string {
    this.#reply({ ...this.#empty(false), reply: { ...EMPTY_REPLY, content } });
    this.#enter('answered');
    return this.#originalId;
  }

  acknowledge(callback: Callback): void {
    const { ackMs } = this.#around.lifetimes;
    if (this.#phase !== 'sent' || this.#ageMs > ackMs) {
      const isLate = this.#phase === 'sent' || this.#phase === 'unanswered' || this.#isExpired;
      throw new ApiError(isLate ? 'unknownInteraction' : 'alreadyAcknowledged');
    }
    this.#perform(callback);
    this.#enter(callback.kind === 'defer' ? 'thinking' : 'answered');
  }

  /** @param messageId `@original`, or an id */
  sent(messageId: string): object {
    const { holder, id } = this.#target(messageId);
    return holder.apiMessage(id);
  }

  edit(messageId: string, sent: ArrivedMessage): object {
    const { holder, id } = this.#target(messageId);
    holder.#change(id, sent);
    return holder.apiMessage(id);
  }

  delete(messageId: string): void {
    const { holder, id } = this.#target(messageId);
    holder.dismiss(id);
  }

  /** Sends a follow-up message, or completes the reply that still shows "thinking…". */
  followUp(sent: ArrivedMessage): object {
    this.#refuseWebhook();
    if (this.#phase === 'thinking') return this.edit('@original', sent);
    if (!('0' in this.begun.owners) && this.#followUps().length >= MOST_USER_FOLLOW_UPS) {
      throw new ApiError('tooManyFollowUps');
    }
    const message = this.#made(sent);
    this.#sent.set(message.id, message);
    this.#publish();
    return this.apiMessage(message.id);
  }

  /** A member deletes a message that everybody sees, or dismisses a private one. @throws ApiError 10008 */
  dismiss(messageId: string): void {
    const { id } = this.held(messageId);
    this.#sent.delete(id);
    if (id === this.#originalId) {
      this.message = { ...this.message, ...EMPTY_REPLY, deleted: true };
      this.#enter('deleted');
    } else this.#publish();
  }

  holds(messageId: string): boolean {
    return this.#sent.has(messageId);
  }

  /** A message of this conversation, even if the token has expired. @throws ApiError 10008 when there is none, or none any more */
  held(messageId: string): SentMessage {
    const message = this.#sent.get(messageId === '@original' ? this.#originalId : messageId);
    if (!message) throw new ApiError('unknownMessage');
    return message;
  }

  /** The same as Discord returns it; resources/message, "Message Structure". */
  apiMessage(messageId: string): object {
    const { id, reply, ephemeral, edited } = this.held(messageId);
    const { world } = this.#around;
    const { trigger, place, source, nonce } = this.begun;
    const isPost = trigger === 'post';
    const isLoading = this.#phase === 'thinking' && id === this.#originalId;
    return {
      ...{ mentions: [], mention_roles: [], mention_everyone: false, pinned: false, tts: false },
      id,
      type: TYPES[trigger],
      channel_id: place.channelId,
      author: isPost ? apiUser(place.member) : botUser(world),
      content: reply.content,
      embeds: reply.embeds.map((embed) => ({ ...embed, type: 'rich' })),
      // Menus with their range, even if the bot did not write it, and without what means something in forms only
      components: reply.components.map((row) => ({
        ...row,
        components: row.components.map((component) => {
          if (component.type === ComponentType.Button) return component;
          const { required: _, ...menu } = component;
          return { min_values: 1, max_values: 1, ...menu };
        }),
      })),
      attachments: standingFiles(reply),
      timestamp: new Date(snowflakeTimeMs(id)).toISOString(),
      edited_timestamp: edited ? new Date().toISOString() : null,
      flags: (ephemeral ? MessageFlags.Ephemeral : 0) | (isLoading ? MessageFlags.Loading : 0),
      ...(!isPost && { application_id: world.applicationId }),
      ...(!isPost && trigger !== 'message' && { webhook_id: world.applicationId, interaction_metadata: this.metadata }),
      ...(nonce !== undefined && { nonce }),
      ...(source && { message_reference: { type: 0, channel_id: place.channelId, message_id: source.messageId } }),
    };
  }

  /** `interaction_metadata` of every message here. */
  get metadata(): object {
    const { type, place, owners, metadata } = this.begun;
    return { id: this.id, type, user: apiUser(place.member), authorizing_integration_owners: owners, ...metadata };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  get #ageMs(): number {
    return Date.now() - this.message.typedAtMs;
  }

  get #isExpired(): boolean {
    return this.#ageMs >= this.#around.lifetimes.tokenMs;
  }

  #refuseWebhook(): void {
    if (this.#phase === 'sent' || this.#phase === 'unanswered') throw new ApiError('unknownWebhook');
    if (this.#isExpired) throw new ApiError('invalidWebhookToken');
  }

  /** The message that a call of the webhook is about: where the bot updated the source instead of replying, the source. */
  #target(messageId: string): { holder: Conversation; id: string } {
    this.#refuseWebhook();
    const { source } = this.begun;
    const meansSource = source && this.message.updatesSource && ['@original', source.messageId].includes(messageId);
    const holder = meansSource ? source.conversation : this;
    return { holder, id: holder.held(meansSource ? source.messageId : messageId).id };
  }

  #perform(callback: Callback): void {
    switch (callback.kind) {
      case 'reply':
        this.#reply(this.#made(callback.sent));
        return;
      case 'defer':
        this.#reply(this.#empty(callback.ephemeral));
        return;
      case 'modal':
        this.message = { ...this.message, modal: callback.modal };
        return;
      default: {
        const { source } = this.begun;
        if (!source?.conversation.holds(source.messageId)) throw new ApiError('unknownMessage');
        if (callback.kind === 'update') source.conversation.#change(source.messageId, callback.sent);
        this.message = { ...this.message, updatesSource: true };
      }
    }
  }

  #reply(message: SentMessage): void {
    this.#originalId = message.id;
    this.#sent.set(message.id, message);
  }

  #made(sent: ArrivedMessage): SentMessage {
    return this.#changed(this.#empty(isEphemeral(sent.form)), sent);
  }

  #empty(ephemeral: boolean): SentMessage {
    const isPrivate = ephemeral || isForcedPrivate(this.begun.place, this.begun.owners);
    return { id: this.#around.nextId(), ephemeral: isPrivate, edited: false, reply: EMPTY_REPLY };
  }

  #change(messageId: string, sent: ArrivedMessage): void {
    const before = this.held(messageId);
    const fills = this.#phase === 'thinking' && before.id === this.#originalId;
    this.#sent.set(before.id, { ...this.#changed(before, sent), edited: !fills });
    if (fills) this.#enter('answered');
    else this.#publish();
  }

  #changed(before: SentMessage, sent: ArrivedMessage): SentMessage {
    const { trigger, place } = this.begun;
    const { files, origin, moderation } = this.#around;
    if (trigger !== 'message') moderate(sent, before.ephemeral, moderation);
    const served = { files, origin, channelId: place.channelId };
    return { ...before, reply: changedReply(before.reply, sent, served) };
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    clearTimeout(this.#timer);
    const { ackMs, tokenMs } = this.#around.lifetimes;
    if (phase === 'sent') this.#after(ackMs, 'unanswered');
    if (phase === 'thinking') this.#after(tokenMs, 'expired');
    this.#publish();
  }

  #after(lifeMs: number, next: Phase): void {
    this.#timer = setTimeout(() => this.#enter(next), lifeMs - this.#ageMs);
  }

  #publish(): void {
    const before = this.message;
    const phase = this.#phase;
    const original = this.#sent.get(this.#originalId);
    const followUps = this.#followUps();
    this.message = {
      ...before,
      state: STATES[phase],
      failure: phase === 'unanswered' ? UNANSWERED[before.trigger] : EXPIRED[phase],
      ...(original && shown(original)),
      answeredAtMs: before.answeredAtMs ?? (phase === 'answered' ? Date.now() : undefined),
      ...((followUps.length > 0 || before.followUps) && { followUps: followUps.map(shown) }),
    };
    this.history.push(this.message);
    if (this.history.length > LONGEST_HISTORY) this.history.shift();
    this.#snapshots.tell(this.message);
  }

  #followUps(): SentMessage[] {
    return [...this.#sent.values()].filter(({ id }) => id !== this.#originalId);
  }

  #mismatch(timeoutMs: number): string {
    const lines = this.history.map(({ state, content, embeds, failure }) =>
      JSON.stringify({ state, content, embeds, failure }),
    );
    return `${this.message.commandLine} did not match within ${timeoutMs} ms. Its history:\n${lines.join('\n')}`;
  }
}

function shown({ id, ephemeral, edited, reply }: SentMessage) {
  return { messageId: id, ephemeral, edited, ...reply, attachments: standingFiles(reply) };
}

const STATES: Record<Phase, ChatState> = {
  sent: 'sent',
  thinking: 'thinking',
  answered: 'answered',
  deleted: 'answered',
  unanswered: 'failed',
  expired: 'failed',
};

// The sentences of Discord's client
const UNANSWERED: Partial<Record<Trigger, string>> = {
  command: 'The application did not respond',
  menu: 'The application did not respond',
  component: 'This interaction failed',
  modal: 'Something went wrong. Try again.',
};

/** Discord keeps showing "thinking…"; this chat reports that no answer can follow, for the tests that watch it. */
const EXPIRED: Partial<Record<Phase, string>> = {
  expired: 'The application did not respond before its token expired',
};

const TYPES: Record<Trigger, MessageType> = {
  command: MessageType.ChatInputCommand,
  menu: MessageType.ContextMenuCommand,
  component: MessageType.Reply,
  modal: MessageType.Reply,
  message: MessageType.Default,
  post: MessageType.Default,
};
