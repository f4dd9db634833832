import { ApiError } from './api-error.ts';
import type { MessageBody } from './chat.ts';
import { EMPTY_REPLY } from './message-rules.ts';

/** A bot message in a conversation. */
export interface SentMessage {
  id: string;
  ephemeral: boolean;
  edited: boolean;
  reply: MessageBody;
}

/** The bot messages in one conversation: the first is the reply, `@original`; the others are follow-ups. */
export class SentMessages {
  readonly #byId = new Map<string, SentMessage>();
  #originalId: string | undefined;

  /** Adds the reply. */
  putOriginal(message: SentMessage): void {
    this.#originalId = message.id;
    this.put(message);
  }

  /** Adds a message, or replaces it by its next version. */
  put(message: SentMessage): void {
    this.#byId.set(message.id, message);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** @throws ApiError 10008 when the message does not exist or was deleted. */
  find(id: string): SentMessage {
    const found = this.#byId.get(id === '@original' ? (this.#originalId ?? '') : id);
    if (!found) throw new ApiError('unknownMessage');
    return found;
  }

  /** The reply, empty if it was deleted; undefined = none was sent. */
  get original(): SentMessage | undefined {
    if (this.#originalId === undefined) return undefined;
    const gone = { id: this.#originalId, ephemeral: false, edited: false, reply: EMPTY_REPLY };
    return this.#byId.get(this.#originalId) ?? gone;
  }

  get followUps(): SentMessage[] {
    return this.#byId.size === 0 ? [] : [...this.#byId.values()].filter(({ id }) => id !== this.#originalId);
  }

  isOriginal({ id }: SentMessage): boolean {
    return id === this.#originalId;
  }

  remove({ id }: SentMessage): void {
    this.#byId.delete(id);
  }
}
