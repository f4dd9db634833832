import KeyvRedis from '@keyv/redis';
import { LRUCache } from 'lru-cache';
import type { RedisClient, RedisLink } from './connection.ts';

/** Answers to requests that were under way when an outage began. The oldest are dropped. */
const MOST_UNSTORED = 100;

/**
 * A Keyv storage adapter over the shared link. While Redis is unavailable every read is a miss, without a wait; what is
 * to be stored then is stored when it is back, so that no other process asks for it again.
 */
export class RedisStore {
  readonly #link: RedisLink;
  readonly #unstored = new LRUCache<string, { value: string; ttlMs: number }>({ max: MOST_UNSTORED });
  #redis: KeyvRedis<string> | undefined;

  constructor(link: RedisLink) {
    this.#link = link;
    link.onHealth((health) => {
      if (health !== 'usable') return;
      const unstored = [...this.#unstored];
      this.#unstored.clear();
      for (const [key, { value, ttlMs }] of unstored) void this.set(key, value, ttlMs);
    });
  }

  get(key: string): Promise<string | undefined> {
    return this.#link.read((client) => this.#over(client).get(key)).catch(() => undefined);
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    const stored = this.#link.run((client) => this.#over(client).set(key, value, ttlMs));
    await stored.catch(() => this.#unstored.set(key, { value, ttlMs }));
  }

  delete(key: string): Promise<boolean> {
    return this.#link.run((client) => this.#over(client).delete(key)).catch(() => false);
  }

  /** Keyv demands it. @throws always: it would delete every key of that Redis, those of other programs too */
  clear(): Promise<void> {
    return Promise.reject(new Error('cards in Redis are not cleared: they expire'));
  }

  /**
   * Made for version 5 of the client: package.json gives it the bot's, whose few commands that it calls are the same.
   */
  #over(client: RedisClient): KeyvRedis<string> {
    if (this.#redis?.client === client) return this.#redis;
    this.#redis = new KeyvRedis<string>(client, { throwOnConnectError: false, throwOnErrors: true });
    return this.#redis;
  }
}
