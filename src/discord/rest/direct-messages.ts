import { DiscordAPIError, RateLimitError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Logger } from '../../log.ts';
import type { ReplyMessage } from '../../replies/reply-journal.ts';
import { NO_MENTIONS } from './requests.ts';

/**
 * What became of a message to a member. `refused`: no other try will help. `failed`: it may be there, and can be sent again
 * with the same nonce, after `waitMs` when Discord states a wait.
 */
export type DirectMessageResult = 'sent' | 'refused' | { failed: unknown; waitMs?: number };

/** Discord has one for each member, for ever. */
const KEPT_CHANNELS = 1_000;

const Channel = z.object({ id: z.string() });

/** Messages that answer no command. Without files. No method rejects. */
export class DirectMessages {
  readonly #rest: REST;
  readonly #log: Logger;
  readonly #channelIds = new LRUCache<string, string>({ max: KEPT_CHANNELS });

  constructor(rest: REST, log: Logger) {
    this.#rest = rest;
    this.#log = log;
  }

  /**
   * Costs one request to Discord, and one more for the first message to a member.
   *
   * @param nonce at most 25 characters: for some minutes Discord shows no second message with the same
   */
  async send(memberId: string, message: ReplyMessage, nonce: string): Promise<DirectMessageResult> {
    try {
      const channelId = this.#channelIds.get(memberId) ?? (await this.#open(memberId));
      const body = { ...message, nonce, enforce_nonce: true, allowed_mentions: NO_MENTIONS };
      await this.#rest.post(Routes.channelMessages(channelId), { body });
      return 'sent';
    } catch (err) {
      const result = failedMessage(err);
      if (result === 'refused') {
        this.#channelIds.delete(memberId);
        const isUsual = TAKES_NONE.has((err as DiscordAPIError).code);
        this.#log[isUsual ? 'info' : 'warn']({ member: memberId, err }, 'discord refuses a message to a member');
      }
      return result;
    }
  }

  async #open(memberId: string): Promise<string> {
    const opened = await this.#rest.post(Routes.userChannels(), { body: { recipient_id: memberId } });
    const { id } = Channel.parse(opened);
    this.#channelIds.set(memberId, id);
    return id;
  }
}

/** The member has blocked the bot, takes no messages, or shares no server with it. */
const TAKES_NONE: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.CannotSendMessagesToThisUser, // 50007
  RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds, // 50278
]);

/** What the error of a message, or of opening its channel, means. */
export function failedMessage(err: unknown): Exclude<DirectMessageResult, 'sent'> {
  if (err instanceof RateLimitError) return { failed: err, waitMs: err.retryAfter };
  const isRefused = err instanceof DiscordAPIError && !IS_OF_NOW.has(err.code) && err.status !== 401;
  return isRefused ? 'refused' : { failed: err };
}

/** Refusals that say nothing of the member. */
const IS_OF_NOW: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.OpeningDirectMessagesTooFast, // 40003, without a wait
  RESTJSONErrorCodes.SendMessagesHasBeenTemporarilyDisabled, // 40004
]);
