import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { CardLock } from '../../lookup/lookup-requests.ts';
import type { RedisLink } from './redis-link.ts';
import { RedisUnavailable } from './redis-unavailable.ts';

/** The lease of a process that died expires after this; until then no other process requests the card. */
const LEASE_SECONDS = 4;
const RENEW_EVERY_MS = 1_000;

/** A limit of one holder at a time. While Redis is unavailable every process gets the lock. */
export class RedisCardLock implements CardLock {
  readonly isShared = true;
  readonly #link: RedisLink;
  readonly #limiter: RateLimiterRedis;
  readonly #leaseMs: number;
  readonly #renewEveryMs: number;
  /** Until when each lease certainly belongs to this process: the limiter knows no owners, and later it may be another's. */
  readonly #held = new Map<string, number>();
  #renewing: NodeJS.Timeout | undefined;

  /**
   * @param prefix of the leases of this service: another service has other cards
   * @param times whole seconds, at least 1: the limiter rounds down, and a lease of 0 would never expire
   */
  constructor(link: RedisLink, prefix: string, times = { leaseSeconds: LEASE_SECONDS, renewEveryMs: RENEW_EVERY_MS }) {
    this.#link = link;
    this.#leaseMs = times.leaseSeconds * 1_000;
    this.#renewEveryMs = times.renewEveryMs;
    this.#limiter = new RateLimiterRedis({
      storeClient: link.client,
      useRedisPackage: true,
      keyPrefix: `${prefix}:lease`,
      points: 1,
      duration: times.leaseSeconds,
    });
  }

  async acquire(cardId: string): Promise<boolean> {
    const untilMs = performance.now() + this.#leaseMs;
    try {
      await this.#link.run(() => this.#limiter.consume(cardId));
    } catch (refused) {
      return refused instanceof RedisUnavailable;
    }
    this.#held.set(cardId, untilMs);
    this.#renewing ??= setInterval(() => this.#renew(), this.#renewEveryMs).unref();
    return true;
  }

  async release(cardId: string): Promise<void> {
    const isHeld = this.#isHeld(cardId);
    this.#held.delete(cardId);
    if (this.#held.size === 0) {
      clearInterval(this.#renewing);
      this.#renewing = undefined;
    }
    if (isHeld) await this.#link.run(() => this.#limiter.delete(cardId)).catch(() => {}); // it expires
  }

  #renew(): void {
    for (const cardId of this.#held.keys()) {
      if (!this.#isHeld(cardId)) continue;
      const untilMs = performance.now() + this.#leaseMs;
      this.#link
        .run(() => this.#limiter.set(cardId, 1, this.#leaseMs / 1_000))
        .then(() => this.#held.has(cardId) && this.#held.set(cardId, untilMs))
        .catch(() => {});
    }
  }

  #isHeld(cardId: string): boolean {
    return (this.#held.get(cardId) ?? 0) > performance.now();
  }
}
