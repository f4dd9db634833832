import { randomBytes } from 'node:crypto';
import { InteractionType, MessageType } from 'discord-api-types/v10';

import { Listeners } from '../listeners.ts';
import { ApiError } from './api-error.ts';
import type { ChatMessage, Choice, Member, Post, Whereabouts } from './chat.ts';
import { type Begun, BLANK_MESSAGE, Conversation, type Surroundings } from './conversation.ts';
import type { ArrivedMessage } from './message-rules.ts';
import { apiUser, channelId, placeOf, snowflakeTimeMs } from './world.ts';

const KEPT = 1_000; // older ones are dropped, so that memory stays bounded

/** All conversations of the emulated Discord. */
export class Conversations {
  readonly #around: Surroundings;
  readonly #byId = new Map<string, Conversation>();
  readonly #messages = new Listeners<ChatMessage>();
  readonly onMessage = this.#messages.add;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  start(begun: Begun): Conversation {
    const id = this.#around.nextId();
    const conversation = new Conversation(id, newToken(id), begun, this.#around);
    this.#add(conversation);
    conversation.begin();
    return conversation;
  }

  /** Writes to a member in direct messages. Nothing is left of what is refused. @throws ApiError */
  post(member: Member, sent: ArrivedMessage, nonce?: string | number): object {
    const place = placeOf({ memberId: member.id, guildId: null }, this.#around.world);
    const begun = {
      type: InteractionType.ApplicationCommand,
      trigger: 'message',
      line: '',
      place,
      owners: { 0: '0' },
      nonce,
    } as const;
    const conversation = new Conversation(this.#around.nextId(), '', begun, this.#around);
    this.#add(conversation);
    try {
      return conversation.post(sent);
    } catch (error) {
      this.#byId.delete(conversation.id);
      throw error;
    }
  }

  /** A message of the bot that answers nobody; undefined = none has this nonce, or none so young. */
  posted(nonce: string | number, sinceMs: number): object | undefined {
    const found = this.#first(({ begun, message }) => begun.nonce === nonce && message.typedAtMs >= sinceMs);
    return found?.apiMessage('@original');
  }

  find(interactionId: string): Conversation | undefined {
    return this.#byId.get(interactionId);
  }

  /** @throws ApiError 10062 when no interaction has this id and token. */
  interaction(id: string, token: string): Conversation {
    const found = this.#byId.get(id);
    if (found?.token !== token) throw new ApiError('unknownInteraction');
    return found;
  }

  /** @throws ApiError 10015 when no interaction has this token. */
  webhook(token: string): Conversation {
    const found = this.#first((conversation) => conversation.token === token);
    if (!found) throw new ApiError('unknownWebhook');
    return found;
  }

  /** The conversation of a bot message; undefined = no such message, or it was dropped. */
  holder(messageId: string): Conversation | undefined {
    return this.#first((conversation) => conversation.holds(messageId));
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
    this.#byId.clear();
  }

  #first(fits: (conversation: Conversation) => boolean): Conversation | undefined {
    return this.#byId.values().find(fits);
  }

  #add(conversation: Conversation): void {
    this.#byId.set(conversation.id, conversation);
    conversation.onSnapshot((message) => this.#messages.tell(message));
    if (this.#byId.size <= KEPT) return;
    const oldest = this.#first(({ message: { state } }) => state === 'answered' || state === 'failed');
    if (oldest) this.#byId.delete(oldest.id);
  }
}

/** A token in Discord's format. */
function newToken(interactionId: string): string {
  return Buffer.from(`interaction:${interactionId}:${randomBytes(48).toString('hex')}`).toString('base64url');
}

interface Pending {
  token: string;
  locale: string;
  timer: NodeJS.Timeout;
  isAnswered: boolean;
  resolve(choices: Choice[]): void;
}

/** Autocomplete interactions that the bot may still answer. They have choices instead of a message. */
export class Autocompletions {
  readonly #byId = new Map<string, Pending>();

  /** `choices` rejects with Discord's sentence when there is no answer within `ackMs`. */
  start(id: string, locale: string, ackMs: number): { token: string; choices: Promise<Choice[]> } {
    const token = newToken(id);
    const { promise: choices, resolve, reject } = Promise.withResolvers<Choice[]>();
    const timer = setTimeout(() => {
      this.#byId.delete(id);
      reject(new Error('Loading options failed'));
    }, ackMs);
    this.#byId.set(id, { token, locale, timer, isAnswered: false, resolve });
    return { token, choices };
  }

  /** Answers with what `choicesFor` makes of the member's locale. @returns whether there is one that waits. @throws ApiError 40060 */
  answer(id: string, token: string, choicesFor: (locale: string) => Choice[]): boolean {
    const pending = this.#byId.get(id);
    if (pending?.token !== token) return false;
    const choices = choicesFor(pending.locale);
    if (pending.isAnswered) throw new ApiError('alreadyAcknowledged');
    pending.isAnswered = true;
    pending.resolve(choices);
    return true;
  }

  close(): void {
    for (const { timer } of this.#byId.values()) clearTimeout(timer);
  }
}

const KEPT_POSTS = 100;
const LONGEST_POST = 2_000; // resources/message, "Create Message"

/** The messages that members write. Without the intent for messages, a bot receives none of them. */
export class Posts {
  readonly #around: Surroundings;
  readonly #changes = new Listeners();
  readonly onChange = this.#changes.add;
  /** The last hundred, oldest first. */
  last: readonly Post[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** @throws Error with a sentence */
  add({ content, ...at }: Whereabouts & { content: string }): Post {
    const { member, guildId, context } = placeOf(at, this.#around.world);
    const text = content.trim();
    if (text === '' || text.length > LONGEST_POST) throw new Error(`A message has 1 to ${LONGEST_POST} characters.`);
    const messageId = this.#around.nextId();
    const post = { messageId, guildId, context, member, content: text, postedAtMs: snowflakeTimeMs(messageId) };
    this.#become([...this.last, post].slice(-KEPT_POSTS));
    return post;
  }

  clear(): void {
    this.#become([]);
  }

  /** A message as Discord sends it; resources/message, "Message Structure". */
  find(id: string): object | undefined {
    const post = this.last.find(({ messageId }) => messageId === id);
    return post && apiPost(post);
  }

  #become(posts: readonly Post[]): void {
    this.last = posts;
    this.#changes.tell();
  }
}

function apiPost({ messageId, guildId, context, member, content, postedAtMs }: Post): object {
  return {
    ...BLANK_MESSAGE,
    id: messageId,
    type: MessageType.Default,
    channel_id: channelId({ guildId, context, memberId: member.id }),
    author: apiUser(member),
    content,
    timestamp: new Date(postedAtMs).toISOString(),
  };
}
