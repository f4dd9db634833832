import { DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import { Incident, type Logger } from '../../log.ts';
import type { Message } from '../../model/message.ts';
import type { Sent } from '../../model/sent.ts';
import { isOfMessage } from './delivery.ts';
import { DmChannels } from './dm-channels.ts';
import { NO_MENTIONS } from './requests.ts';

/** Messages that answer no command. Without files. No method rejects. */
export class DirectMessages {
  readonly #rest: REST;
  /** By `auth`, discord.js would forget the token after a 401, for the gateway and all messages to come. */
  readonly #headers: Record<string, string>;
  readonly #log: Logger;
  readonly #outage: Incident;
  readonly #channels: DmChannels;

  constructor(rest: REST, token: string, log: Logger) {
    this.#rest = rest;
    this.#headers = { Authorization: `Bot ${token}` };
    this.#channels = new DmChannels(rest, this.#headers);
    this.#log = log;
    this.#outage = new Incident(log, {
      level: 'warn',
      begins: 'discord takes no messages to members: each is sent again for two minutes, then shown with a command',
      ends: 'discord takes messages to members again',
    });
  }

  /** For how long no message to a member will be sent, because Discord opens no channels. */
  waitMs(memberId: string): number {
    return this.#channels.waitMs(memberId);
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
      const route = Routes.channelMessages(await this.#channels.of(memberId));
      await this.#rest.post(route, { body, auth: false, headers: this.#headers });
      this.#outage.succeeded();
      return 'sent';
    } catch (err) {
      const level = isOfMessage(err) ? 'warn' : 'info';
      if (isFinal(err)) this.#log[level]({ member: memberId, err }, 'discord refuses a message to a member');
      else this.#outage.failed({ err });
      if (isFinal(err)) return 'refused';
      return this.waitMs(memberId) > 0 ? 'unsent' : 'failed';
    }
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
