import { DiscordAPIError, RateLimitError, REST, RESTJSONErrorCodes, type RouteLike, Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { Incident, type Logger } from '../../log.ts';
import type { Message, Sent } from '../../model/message.ts';
import { backOffMs } from '../../time.ts';
import { isOfMessage, NO_MENTIONS } from './requests.ts';

/** Discord has one for each member, for ever. */
const KEPT_CHANNELS = 1_000;
/** Discord does not say how long channels are opened too fast. */
const BACK_OFF = { firstMs: 1_000, longestMs: 60_000 };

const Channel = z.object({ id: z.string() });

/**
 * Messages that answer no command, in channels of which several are opened at a time. Without files. No method rejects.
 */
export class DirectMessages {
  readonly #rest: REST;
  readonly #token: string;
  readonly #log: Logger;
  readonly #outage: Incident;
  /** The channels by their members. */
  readonly #channels = new LRUCache<string, string>({ max: KEPT_CHANNELS });
  /** One for each channel that is being opened: discord.js sends requests of one route one after the other. */
  readonly #idle: REST[] = [];
  /** Monotonic: a clock that is set changes no wait. */
  #opensAtMs = 0;
  #refusals = 0;

  constructor(rest: REST, token: string, log: Logger) {
    this.#rest = rest;
    this.#token = token;
    this.#log = log;
    this.#outage = new Incident(log, {
      level: 'warn',
      begins: 'discord takes no messages to members: each is sent again for two minutes, then shown with a command',
      ends: 'discord takes messages to members again',
    });
  }

  /** For how long no message to a member will be sent, because Discord opens no channels; 0 when there is one. */
  waitMs(memberId: string): number {
    return this.#channels.has(memberId) ? 0 : Math.max(0, this.#opensAtMs - performance.now());
  }

  /**
   * Costs one request to Discord, and one more for the first message to a member.
   *
   * @param nonce at most 25 characters: for some minutes Discord shows no second message with the same
   * @returns `refused`: no other try will help; `failed`: it may be there, and can be sent again with the same nonce
   */
  async send(memberId: string, message: Message, nonce: string): Promise<Sent> {
    if (this.waitMs(memberId) > 0) return 'unsent';
    const body = { ...message, nonce, enforce_nonce: true, allowed_mentions: NO_MENTIONS };
    try {
      const channelId = this.#channels.get(memberId) ?? (await this.#opened(memberId));
      await this.#post(this.#rest, Routes.channelMessages(channelId), body);
      this.#outage.succeeded();
      return 'sent';
    } catch (err) {
      if (isFinal(err)) {
        this.#log[isOfMessage(err) ? 'warn' : 'info'](
          { member: memberId, err },
          'discord refuses a message to a member',
        );
        return 'refused';
      }
      this.#outage.failed({ err });
      return this.waitMs(memberId) > 0 ? 'unsent' : 'failed';
    }
  }

  async #opened(memberId: string): Promise<string> {
    const rest = this.#idle.pop() ?? new REST(this.#rest.options);
    try {
      const { id } = Channel.parse(await this.#post(rest, Routes.userChannels(), { recipient_id: memberId }));
      this.#refusals = 0;
      this.#channels.set(memberId, id);
      return id;
    } catch (err) {
      if (this.#opensAtMs <= performance.now()) this.#refusals++; // several that were under way together are one
      this.#opensAtMs = Math.max(this.#opensAtMs, performance.now() + pauseMs(err, this.#refusals));
      throw err;
    } finally {
      this.#idle.push(rest);
    }
  }

  /** By `auth`, discord.js would forget the token after a 401, for the gateway and all messages to come. */
  #post(rest: REST, route: RouteLike, body: object): Promise<unknown> {
    return rest.post(route, { body, auth: false, headers: { Authorization: `Bot ${this.#token}` } });
  }
}

/** For how long no channel is opened after an error; 0 when it says nothing of other members. */
export function pauseMs(err: unknown, refusals: number): number {
  if (err instanceof RateLimitError) return Math.max(err.retryAfter, BACK_OFF.firstMs);
  if (!(err instanceof DiscordAPIError) || err.code !== RESTJSONErrorCodes.OpeningDirectMessagesTooFast) return 0;
  const { retry_after: stated } = err.rawError as { retry_after?: unknown };
  return Number(stated) > 0 ? Number(stated) * 1_000 : backOffMs(refusals, BACK_OFF);
}

/** Refusals that are over after a while. */
const PASSING = new Set<unknown>([
  RESTJSONErrorCodes.OpeningDirectMessagesTooFast, // 40003
  RESTJSONErrorCodes.SendMessagesHasBeenTemporarilyDisabled, // 40004
]);

/**
 * Whether a message, or its channel, is refused for good, such as with 50007 for a member who takes none. A 401 is
 * about the bot's token.
 */
export function isFinal(err: unknown): boolean {
  return err instanceof DiscordAPIError && !PASSING.has(err.code) && err.status !== 401;
}
