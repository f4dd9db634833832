import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type IdentifySlots, LocalIdentifySlots } from '../../discord/gateway/identify.ts';
import type { RedisLink } from './redis-link.ts';
import { RedisUnavailable } from './redis-unavailable.ts';

/** Discord's 5 s, and a margin for identifies that overtake each other on their way; the limiter counts whole seconds. */
const SLOT_SECONDS = 6;

/** Slots that all processes of the bot share. Each costs one command; while Redis is unavailable they are local. */
export class RedisIdentifySlots implements IdentifySlots {
  readonly #link: RedisLink;
  readonly #shared: RateLimiterRedis;
  readonly #local = new LocalIdentifySlots();

  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#shared = new RateLimiterRedis({
      storeClient: link.client,
      useRedisPackage: true,
      keyPrefix: `${prefix}:identify`,
      points: 1,
      duration: SLOT_SECONDS,
    });
  }

  async acquire(key: number): Promise<number> {
    try {
      await this.#link.run(() => this.#shared.consume(key));
      return 0;
    } catch (error) {
      if (error instanceof RateLimiterRes) return Math.max(error.msBeforeNext, 1);
      if (error instanceof RedisUnavailable) return this.#local.acquire(key);
      throw error;
    }
  }
}
