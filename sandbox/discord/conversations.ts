import { randomBytes } from 'node:crypto';
import { InteractionType } from 'discord-api-types/v10';

import { Listeners } from '../listeners.ts';
import { ApiError } from './api-error.ts';
import type { ChatMessage, Choice, Member, Whereabouts } from './chat.ts';
import { type Begun, Conversation, type Surroundings } from './conversation.ts';
import type { ArrivedMessage } from './message-rules.ts';
import { placeOf } from './world.ts';

const KEPT = 1_000; // older ones are dropped, so that memory stays bounded
const LONGEST_POST = 2_000; // resources/message, "Create Message"

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
    const conversation = this.#add(new Conversation(id, newToken(id), begun, this.#around));
    conversation.begin();
    return conversation;
  }

  /** Writes to a member in direct messages. Nothing is left of what is refused. @throws ApiError */
  post(member: Member, sent: ArrivedMessage, nonce?: string | number): object {
    const conversation = this.#unasked('message', { memberId: member.id, guildId: null }, nonce);
    try {
      return conversation.post(sent);
    } catch (error) {
      this.#byId.delete(conversation.id);
      throw error;
    }
  }

  /** Writes a member's message. @returns its id. @throws Error with a sentence */
  write({ content, ...at }: Whereabouts & { content: string }): string {
    const text = content.trim();
    if (text === '' || text.length > LONGEST_POST) throw new Error(`A message has 1 to ${LONGEST_POST} characters.`);
    return this.#unasked('post', at).write(text);
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

  /** The conversation of a message; undefined = no such message, or it was dropped. */
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

  /** A message that answers no interaction. */
  #unasked(trigger: 'message' | 'post', at: Whereabouts, nonce?: string | number): Conversation {
    const type = InteractionType.ApplicationCommand;
    const place = placeOf(at, this.#around.world);
    const begun: Begun = { type, trigger, line: '', place, owners: { 0: '0' }, nonce };
    return this.#add(new Conversation(this.#around.nextId(), '', begun, this.#around));
  }

  #add(conversation: Conversation): Conversation {
    this.#byId.set(conversation.id, conversation);
    conversation.onSnapshot((message) => this.#messages.tell(message));
    const oldest = this.#first(({ message: { state } }) => state === 'answered' || state === 'failed');
    if (oldest && this.#byId.size > KEPT) this.#byId.delete(oldest.id);
    return conversation;
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
