import { DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { Incident, type Logger } from '../../log.ts';
import type { ReplyMessage } from '../../replies/reply-journal.ts';
import { NO_MENTIONS } from './requests.ts';

/** Discord has one for each member, for ever. */
const KEPT_CHANNELS = 1_000;

const Channel = z.object({ id: z.string() });

/** Messages that answer no command. Without files. No method rejects. */
export class DirectMessages {
  readonly #rest: REST;
  readonly #token: string;
  readonly #log: Logger;
  readonly #outage: Incident;
  readonly #channelIds = new LRUCache<string, string>({ max: KEPT_CHANNELS });

  constructor(rest: REST, token: string, log: Logger) {
    this.#rest = rest;
    this.#token = token;
    this.#log = log;
    this.#outage = new Incident(log, {
      level: 'warn',
      begins: 'discord takes no messages to members: they are sent again for two minutes, then shown with a command',
      ends: 'discord takes messages to members again',
    });
  }

  /**
   * Costs one request to Discord, and one more for the first message to a member.
   *
   * @param nonce at most 25 characters: for some minutes Discord shows no second message with the same
   * @returns `refused`: no other try will help; `failed`: it may be there, and can be sent again with the same nonce
   */
  async send(memberId: string, message: ReplyMessage, nonce: string): Promise<'sent' | 'refused' | 'failed'> {
    const body = { ...message, nonce, enforce_nonce: true, allowed_mentions: NO_MENTIONS };
    try {
      await this.#post(Routes.channelMessages(await this.#channelOf(memberId)), body);
      this.#outage.succeeded();
      return 'sent';
    } catch (err) {
      const isRefused = isFinal(err);
      if (isRefused) this.#log.info({ member: memberId, err }, 'discord refuses a message to a member');
      else this.#outage.failed({ err });
      return isRefused ? 'refused' : 'failed';
    }
  }

  async #channelOf(memberId: string): Promise<string> {
    const known = this.#channelIds.get(memberId);
    if (known !== undefined) return known;
    const { id } = Channel.parse(await this.#post(Routes.userChannels(), { recipient_id: memberId }));
    this.#channelIds.set(memberId, id);
    return id;
  }

  /** After a 401, discord.js would forget the token, for the gateway and all messages to come. */
  #post(route: `/${string}`, body: object): Promise<unknown> {
    return this.#rest.post(route, { body, auth: false, headers: { Authorization: `Bot ${this.#token}` } });
  }
}

/** Refusals that are over after a while. */
const PASSING: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.OpeningDirectMessagesTooFast, // 40003
  RESTJSONErrorCodes.SendMessagesHasBeenTemporarilyDisabled, // 40004
]);

/**
 * Whether a message, or its channel, is refused for good, such as with 50007 for a member who takes none. A 401 is about the
 * bot's token.
 */
export function isFinal(err: unknown): boolean {
  return err instanceof DiscordAPIError && !PASSING.has(err.code) && err.status !== 401;
}
