import KeyvRedis from '@keyv/redis';
import { LRUCache } from 'lru-cache';
import type { RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

/** Answers to requests that were under way when an outage began. The oldest are dropped. */
const MOST_UNSTORED = 100;

/**
 * A Keyv storage adapter over the shared link. While Redis is unavailable every read is a miss, without a wait; what is to be
 * stored then is stored when it is back, so that no other process asks for it again.
 */
export class RedisStore {
  readonly #link: RedisLink;
  readonly #redis: KeyvRedis<string>;
  readonly #unstored = new LRUCache<string, { value: string; ttlMs: number }>({ max: MOST_UNSTORED });

  constructor(link: RedisLink) {
    this.#link = link;
    // Made for version 5 of the client: package.json gives it the bot's, whose few commands that it calls are the same.
    this.#redis = new KeyvRedis<string>(link.client, { throwOnConnectError: false, throwOnErrors: true });
    link.onHealth((health) => {
      if (health !== 'usable') return;
      const unstored = [...this.#unstored];
      this.#unstored.clear();
      for (const [key, { value, ttlMs }] of unstored) void this.set(key, value, ttlMs);
    });
  }

  get(key: string): Promise<string | undefined> {
    return unlessUnavailable(this.#link.read(() => this.#redis.get(key)));
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    const stored = this.#link.run(() => this.#redis.set(key, value, ttlMs).then(() => true));
    if (!(await unlessUnavailable(stored))) this.#unstored.set(key, { value, ttlMs });
  }

  async delete(key: string): Promise<boolean> {
    return (await unlessUnavailable(this.#link.run(() => this.#redis.delete(key)))) ?? false;
  }

  /** Keyv demands it. @throws always: it would delete every key of that Redis, those of other programs too */
  clear(): Promise<void> {
    return Promise.reject(new Error('cards in Redis are not cleared: they expire'));
  }
}

/** Redis is busy with one scan of this many keys for about 1 ms. */
const KEYS_PER_SCAN = 1_000;

/** All keys with a prefix, in batches and in no order. Costs a scan of all keys of that Redis. @throws RedisUnavailable */
export async function* keysBelow(link: RedisLink, prefix: string): AsyncGenerator<string[]> {
  const MATCH = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`;
  const batches = link.client.scanIterator({ MATCH, COUNT: KEYS_PER_SCAN });
  for (;;) {
    const { done, value } = await link.read(() => batches.next());
    if (done) return;
    yield value;
  }
}
