import { MessageType } from 'discord-api-types/v10';

import { Listeners } from '../listeners.ts';
import { NOTHING_SPECIAL } from './api-message.ts';
import type { Post, Whereabouts } from './chat.ts';
import { channelId, placeOf } from './place.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import { apiUser, type World } from './world.ts';

const KEPT = 100;
const LONGEST = 2_000; // resources/message, "Create Message"

/** The messages that members write. Without the intent for messages, a bot receives none of them. */
export class Posts {
  readonly #world: World;
  readonly #nextId: () => string;
  readonly #changes = new Listeners();
  readonly onChange = this.#changes.add;
  #last: readonly Post[] = [];

  constructor(world: World, nextId: () => string) {
    this.#world = world;
    this.#nextId = nextId;
  }

  /** The last hundred, oldest first. */
  get last(): readonly Post[] {
    return this.#last;
  }

  /** @throws Error with a sentence */
  add({ content, ...at }: Whereabouts & { content: string }): Post {
    const { member, guildId, context } = placeOf(at, this.#world);
    const text = content.trim();
    if (text === '' || text.length > LONGEST) throw new Error(`A message has 1 to ${LONGEST} characters.`);
    const messageId = this.#nextId();
    const post = { messageId, guildId, context, member, content: text, postedAtMs: snowflakeTimeMs(messageId) };
    this.#last = [...this.#last, post].slice(-KEPT);
    this.#changes.tell();
    return post;
  }

  clear(): void {
    this.#last = [];
    this.#changes.tell();
  }

  /** A message as Discord sends it; resources/message, "Message Structure". */
  find(id: string): object | undefined {
    const post = this.#last.find(({ messageId }) => messageId === id);
    return post && apiPost(post);
  }
}

function apiPost({ messageId, guildId, context, member, content, postedAtMs }: Post): object {
  return {
    id: messageId,
    type: MessageType.Default,
    channel_id: channelId({ guildId, context, memberId: member.id }),
    author: apiUser(member),
    content,
    embeds: [],
    components: [],
    attachments: [],
    ...NOTHING_SPECIAL,
    timestamp: new Date(postedAtMs).toISOString(),
    edited_timestamp: null,
    flags: 0,
  };
}
