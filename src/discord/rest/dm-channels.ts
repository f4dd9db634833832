import { DiscordAPIError, RateLimitError, REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type BackOff, backOffMs } from '../../time/back-off.ts';

/** Discord has one for each member, for ever. */
const KEPT_CHANNELS = 1_000;
/** Discord does not say how long channels are opened too fast. */
const BACK_OFF: BackOff = { firstMs: 1_000, longestMs: 60_000 };

const Channel = z.object({ id: z.string() });

/** The channels of direct messages, of which several are opened at a time. */
export class DmChannels {
  readonly #rest: REST;
  readonly #headers: Record<string, string>;
  /** One for each channel that is being opened: discord.js sends requests of one route one after the other. */
  readonly #idle: REST[] = [];
  readonly #ids = new LRUCache<string, string>({ max: KEPT_CHANNELS });
  /** Monotonic: a clock that is set changes no wait. */
  #opensAtMs = 0;
  #refusals = 0;

  constructor(rest: REST, headers: Record<string, string>) {
    this.#rest = rest;
    this.#headers = headers;
  }

  /** For how long no channel of this member will be opened; 0 when there is one. */
  waitMs(memberId: string): number {
    return this.#ids.has(memberId) ? 0 : Math.max(0, this.#opensAtMs - performance.now());
  }

  /** Costs one request to Discord for a member's first message. @throws what Discord answers */
  async of(memberId: string): Promise<string> {
    const known = this.#ids.get(memberId);
    if (known !== undefined) return known;
    const rest = this.#idle.pop() ?? new REST(this.#rest.options);
    try {
      const body = { recipient_id: memberId };
      const { id } = Channel.parse(
        await rest.post(Routes.userChannels(), { body, auth: false, headers: this.#headers }),
      );
      this.#refusals = 0;
      this.#ids.set(memberId, id);
      return id;
    } catch (err) {
      if (this.#opensAtMs <= performance.now()) this.#refusals++; // several that were under way together are one
      this.#opensAtMs = Math.max(this.#opensAtMs, performance.now() + pauseMs(err, this.#refusals));
      throw err;
    } finally {
      this.#idle.push(rest);
    }
  }
}

/** For how long no channel is opened after an error; 0 when it says nothing of other members. */
export function pauseMs(err: unknown, refusals: number): number {
  if (err instanceof RateLimitError) return Math.max(err.retryAfter, BACK_OFF.firstMs);
  if (!(err instanceof DiscordAPIError) || err.code !== RESTJSONErrorCodes.OpeningDirectMessagesTooFast) return 0;
  const { retry_after: stated } = err.rawError as { retry_after?: unknown };
  return Number(stated) > 0 ? Number(stated) * 1_000 : backOffMs(refusals, BACK_OFF);
}
