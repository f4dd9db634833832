import { describe, expect, it } from 'vitest';
import type { CardRecord } from '../../../src/model/card.ts';
import { RedisStore } from '../../../src/storage/redis/cards.ts';
import { KEEP_MS, redisCards } from '../../cache/card-stores.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis } from '../../support/redis.ts';

const CARD = { id: 'base1-4', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'base1', name: 'First Fires' } };

/** Now, because Redis expires keys by its own clock. */
function newAnswer(ageMs = 0): CardRecord {
  return { card: CARD, fetchedAtMs: Date.now() - ageMs };
}

describe('cards in Redis', () => {
  it('have keys of prefix, version and origin', async () => {
    const cards = redisCards(await startRedis());
    const { store } = await cards.open();
    await store.set('base1:4 é', newAnswer());
    expect(await cards.keys()).toEqual([
      expect.stringMatching(new RegExp(`^${cards.prefix}:cards:v1:[0-9a-f]{12}:base1:4 é$`)),
    ]);
  });

  it('expire at the end of their life, however much of it was over when they were written', async () => {
    const cards = redisCards(await startRedis());
    const { store } = await cards.open();
    await store.set('a', newAnswer(KEEP_MS / 2));
    const [key = ''] = await cards.keys();
    const leftMs = await (await cards.client()).pTTL(key);
    expect(leftMs).toBeGreaterThan(KEEP_MS / 2 - 60_000);
    expect(leftMs).toBeLessThanOrEqual(KEEP_MS / 2);
  });

  it('cannot be cleared: other programs may use that Redis', async () => {
    const cards = redisCards(await startRedis());
    const { link, store } = await cards.openLink();
    await store.set('a', newAnswer());
    await expect(new RedisStore(link).clear()).rejects.toThrow();
    expect(await cards.count()).toBe(1);
  });

  it('are a miss where another program stores something else, and the link stays usable', async () => {
    const cards = redisCards(await startRedis());
    const { link, store } = await cards.openLink();
    await store.set('a', newAnswer());
    const [key = ''] = await cards.keys();
    const client = await cards.client();
    await client.unlink(key);
    await client.lPush(key, 'x');
    expect(await (await cards.open()).store.get('a')).toBeUndefined();
    expect(link.health).toBe('usable');
  });
});

describe.skipIf(noRealRedis('cards while Redis is unavailable'))('cards while Redis', () => {
  it('is gone are those in memory; the others are misses, without a log line', async () => {
    const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
    const cards = redisCards(redis);
    const [one, other] = [await cards.openLink(), await cards.openLink()];
    await one.store.set('remembered', newAnswer());
    await other.store.set('elsewhere', newAnswer());
    await redis.kill();

    const later = newAnswer();
    expect(await one.store.get('elsewhere')).toBeUndefined();
    await expect.poll(() => one.link.health).toBe('unavailable');
    expect(await one.store.get('remembered', () => false)).toMatchObject({ card: CARD });
    expect(await one.store.get('elsewhere')).toBeUndefined();
    await one.store.set('later', later);
    expect(await one.store.get('later')).toEqual(later);
    expect(one.lines).toEqual([]);

    await redis.start();
    await expect.poll(() => one.link.health).toBe('usable');
    expect(await one.store.get('elsewhere')).toMatchObject({ card: CARD });
    expect(one.lines).toEqual([]);
  });

  it('only answers reads are read from it', async () => {
    const redis = await startRealRedis();
    const cards = redisCards(redis);
    const [one, other] = [await cards.openLink(), await cards.openLink()];
    const answer = newAnswer();
    await other.store.set('a', answer);
    await one.link.run((client) => client.sendCommand(['REPLICAOF', '127.0.0.1', '1']));
    await expect.poll(() => one.link.health).toBe('readable');
    expect(await one.store.get('a')).toEqual(answer);
    await one.store.set('b', answer);
    expect(await one.store.get('b')).toEqual(answer);
    expect(await other.store.get('b')).toBeUndefined();
    expect([...one.lines, ...other.lines]).toEqual([]);
  });
});
