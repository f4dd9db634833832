import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { keepingMs, type Pace } from '../../../src/quota/pace.ts';
import { RedisBucket } from '../../../src/storage/redis/redis-bucket.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { RedisUnavailable } from '../../../src/storage/redis/redis-unavailable.ts';
import { logLines } from '../../support/log-lines.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

/** So slow that no token is refilled during a test. */
const PACE: Pace = { intervalMs: 10_000, capacity: 19 };

let redis: TestRedis;
let prefix: string;
let bucket: RedisBucket;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  prefix = `${redis.prefix}:${randomUUID()}`;
  bucket = await opened();
});

async function opened(): Promise<RedisBucket> {
  const link = new RedisLink({ url: redis.url, prefix, log: logLines().log });
  onTestFinished(() => link.close());
  await link.opened(10_000);
  return new RedisBucket(link, prefix, 'account');
}

async function drain(pace = PACE, heldBackMs = 0): Promise<number> {
  for (let taken = 0; ; taken++) if (!(await bucket.take(pace, heldBackMs)).taken) return taken;
}

describe('a bucket in Redis', () => {
  it('holds the same for several processes as for one', async () => {
    const others = await Promise.all([opened(), opened()]);
    const takes = Array.from({ length: 30 }, (_, index) => (others[index % 2] ?? bucket).take(PACE, 0));
    expect((await Promise.all(takes)).filter(({ taken }) => taken)).toHaveLength(19);
    expect(await drain()).toBe(0);
  });

  it.each([
    [0, 19],
    [1, 18],
    [2, 17],
    [18, 1],
    [19, 0],
    [100, 0],
  ])('that is charged for %i requests has %i tokens left', async (requests, left) => {
    if (requests > 0) await bucket.charge(PACE, requests);
    expect(await drain()).toBe(left);
  });

  it('that is delayed by an interval and a half has two tokens less', async () => {
    await bucket.delay(PACE, PACE.intervalMs * 1.5);
    expect(await drain()).toBe(PACE.capacity - 2);
  });

  it('is no emptier than empty, however much is charged', async () => {
    await bucket.charge(PACE, 1_000);
    await bucket.empty(PACE);
    const { taken, fullAtMs } = await bucket.take(PACE, 0);
    expect(taken).toBe(false);
    expect(Math.round((fullAtMs - Date.now()) / PACE.intervalMs)).toBe(PACE.capacity);
  });

  it('holds a token back as long as asked', async () => {
    expect(await drain(PACE, keepingMs(9, PACE))).toBe(10);
    expect(await drain()).toBe(9);
  });

  it('holds fewer tokens at once when the plan allows fewer', async () => {
    await bucket.charge(PACE, 4);
    expect(await drain({ ...PACE, capacity: 5 })).toBe(1);
  });

  it('has no key once it is full', async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    onTestFinished(() => client.destroy());
    await bucket.take(PACE, 0);
    const ttlMs = await client.pTTL(bucket.key);
    expect(Math.round(ttlMs / 1_000)).toBeLessThanOrEqual(11);
    expect(ttlMs).toBeGreaterThan(0);
  });

  it('rejects while Redis is unavailable', async () => {
    const link = new RedisLink({ url: 'redis://127.0.0.1:1', prefix: 'nowhere', log: logLines().log });
    onTestFinished(() => link.close());
    await expect(new RedisBucket(link, 'nowhere', 'account').take(PACE, 0)).rejects.toThrow(RedisUnavailable);
  });
});
