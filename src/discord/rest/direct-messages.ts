import { DiscordAPIError, RateLimitError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Logger } from '../../log.ts';
import type { ReplyMessage } from '../../replies/reply-journal.ts';
import { backOffMs } from '../../time/back-off.ts';
import { sendAgain } from './delivery.ts';
import { NO_MENTIONS } from './requests.ts';

/** Discord has one for each member, for ever. */
const KEPT_CHANNELS = 1_000;
const BACK_OFF = { firstMs: 1_000, longestMs: 15_000 };

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
   * @param tries until when it is sent again if Discord fails
   * @returns whether it is there; not when Discord has not confirmed it, though it may be
   */
  async send(
    memberId: string,
    message: ReplyMessage,
    nonce: string,
    { giveUpAtMs, signal }: { giveUpAtMs: number; signal: AbortSignal },
  ): Promise<boolean> {
    const body = { ...message, nonce, enforce_nonce: true, allowed_mentions: NO_MENTIONS };
    const send = async () => this.#rest.post(Routes.channelMessages(await this.#channelOf(memberId)), { body });
    try {
      await sendAgain(giveUpAtMs, send, { beforeNext: beforeNextMessageMs, signal });
      return true;
    } catch (err) {
      const isUsual = err instanceof DiscordAPIError && TAKES_NONE.has(err.code);
      if (!signal.aborted)
        this.#log[isUsual ? 'info' : 'warn']({ member: memberId, err }, 'a message to a member cannot be sent');
      return false;
    }
  }

  async #channelOf(memberId: string): Promise<string> {
    const known = this.#channelIds.get(memberId);
    if (known !== undefined) return known;
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

/** Refusals that are over after a while: any other is final. */
const IS_OF_NOW: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.OpeningDirectMessagesTooFast, // 40003, without a wait
  RESTJSONErrorCodes.SendMessagesHasBeenTemporarilyDisabled, // 40004
]);

/** How long to wait before a message is sent again; `undefined` when no other try will help. */
export function beforeNextMessageMs(error: unknown, tries: number): number | undefined {
  if (error instanceof RateLimitError) return error.retryAfter;
  const isFinal = error instanceof DiscordAPIError && !IS_OF_NOW.has(error.code) && error.status !== 401;
  return isFinal ? undefined : backOffMs(tries, BACK_OFF);
}
