import KeyvRedis, { type RedisClientConnectionType } from '@keyv/redis';
import type { RedisLink } from './redis-link.ts';
import { unlessUnavailable } from './redis-unavailable.ts';

/** A scan keeps Redis busy for about so many microseconds. */
const KEYS_AT_ONCE = 1_000;

/** A Keyv storage adapter over Redis that misses while Redis is away, and keeps nobody waiting for it. */
export class RedisStore {
  /** What Keyv asks of an adapter. */
  readonly opts = {};
  readonly namespace = undefined;
  readonly #link: RedisLink;
  readonly #redis: KeyvRedis<string>;

  constructor(link: RedisLink) {
    this.#link = link;
    // Typed for node-redis 5; the few commands that it calls are the same in 6, as the contract tests show.
    const client = link.client as unknown as RedisClientConnectionType;
    this.#redis = new KeyvRedis<string>(client, { throwOnConnectError: false, throwOnErrors: true });
  }

  /** Keyv listens for errors of connections; the link has its own. */
  on(): this {
    return this;
  }

  get(key: string): Promise<string | undefined> {
    return unlessUnavailable(this.#link.read(() => this.#redis.get(key)));
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await unlessUnavailable(this.#link.run(() => this.#redis.set(key, value, ttlMs)));
  }

  /** @throws RedisUnavailable */
  async *keys(prefix: string): AsyncGenerator<string> {
    const MATCH = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`;
    let cursor = '0';
    do {
      const found = await this.#link.read((client) => client.scan(cursor, { MATCH, COUNT: KEYS_AT_ONCE }));
      cursor = found.cursor;
      yield* found.keys;
    } while (cursor !== '0');
  }

  async delete(key: string): Promise<boolean> {
    return (await unlessUnavailable(this.#link.run(() => this.#redis.delete(key)))) ?? false;
  }

  /** @throws always: it would take every key of that Redis, whoever's it is */
  clear(): Promise<void> {
    return Promise.reject(new Error('cards in Redis are not cleared: they expire'));
  }

  /** The link belongs to others, too. */
  disconnect(): Promise<void> {
    return Promise.resolve();
  }
}
