import { RateLimiterRedis } from 'rate-limiter-flexible';
import { RedisAway } from '../redis/redis-errors.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import type { CardLease } from './card-lease.ts';

/** A lease is lost with its process after this long; until then nobody else asks for the card. */
const LEASE_SECONDS = 4;
const RENEW_EVERY_MS = 1_000;

/** A limit of one asker at a time. While Redis is away everybody asks for themselves. */
export class RedisCardLease implements CardLease {
  readonly #link: RedisLink;
  readonly #limiter: RateLimiterRedis;
  readonly #held = new Set<string>();
  #renewing: NodeJS.Timeout | undefined;

  /** @param prefix of the leases of this service: another shares no card with it */
  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#limiter = new RateLimiterRedis({
      storeClient: link.client,
      useRedisPackage: true,
      keyPrefix: `${prefix}:lease`,
      points: 1,
      duration: LEASE_SECONDS,
    });
  }

  async acquire(cardId: string): Promise<boolean> {
    try {
      await this.#link.run(() => this.#limiter.consume(cardId));
    } catch (refused) {
      return refused instanceof RedisAway;
    }
    this.#held.add(cardId);
    this.#renewing ??= setInterval(() => this.#renew(), RENEW_EVERY_MS).unref();
    return true;
  }

  async release(cardId: string): Promise<void> {
    if (!this.#held.delete(cardId)) return;
    if (this.#held.size === 0) {
      clearInterval(this.#renewing);
      this.#renewing = undefined;
    }
    await this.#link.run(() => this.#limiter.delete(cardId)).catch(() => {}); // it ends by itself
  }

  #renew(): void {
    for (const cardId of this.#held) {
      this.#link.run(() => this.#limiter.set(cardId, 1, LEASE_SECONDS)).catch(() => {});
    }
  }
}
