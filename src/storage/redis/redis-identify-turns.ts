import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type IdentifyTurns, LocalIdentifyTurns } from '../../discord/gateway/identify-turns.ts';
import { RedisAway } from './redis-errors.ts';
import type { RedisLink } from './redis-link.ts';

/** Discord's 5 s, and one for identifies that overtake each other on their way; this limiter counts whole seconds. */
const TURN_SECONDS = 6;

/** Turns that all processes of the bot share. Each costs one command; while Redis is away they are this process's own. */
export class RedisIdentifyTurns implements IdentifyTurns {
  readonly #link: RedisLink;
  readonly #shared: RateLimiterRedis;
  readonly #alone = new LocalIdentifyTurns();

  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#shared = new RateLimiterRedis({
      storeClient: link.client,
      useRedisPackage: true,
      keyPrefix: `${prefix}:identify`,
      points: 1,
      duration: TURN_SECONDS,
    });
  }

  async take(key: number): Promise<number> {
    try {
      await this.#link.run(() => this.#shared.consume(key));
      return 0;
    } catch (error) {
      if (error instanceof RateLimiterRes) return Math.max(error.msBeforeNext, 1);
      if (error instanceof RedisAway) return this.#alone.take(key);
      throw error;
    }
  }
}
