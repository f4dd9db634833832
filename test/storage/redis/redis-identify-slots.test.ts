import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisIdentifySlots } from '../../../src/storage/redis/redis-identify-slots.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { logLines } from '../../support/log-lines.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis } from '../../support/redis.ts';

/** The slots of a process that reaches Redis. */
async function slotsAt({ url, prefix }: { url: string; prefix: string }) {
  const link = new RedisLink({ url, prefix, log: logLines().log });
  onTestFinished(() => link.close());
  await link.opened(10_000);
  return { link, slots: new RedisIdentifySlots(link, prefix) };
}

describe('identify slots in Redis', () => {
  it('belong to one process each, and the others learn when to ask again', async () => {
    const redis = await startRedis();
    const processes = await Promise.all(Array.from({ length: 4 }, () => slotsAt(redis)));

    const waitsMs = await Promise.all(processes.map(({ slots }) => slots.acquire(0)));

    const others = waitsMs.filter((waitMs) => waitMs !== 0);
    expect(others).toHaveLength(3);
    for (const waitMs of others) expect(waitMs).toBeLessThanOrEqual(6_000);
  });

  it('are separate for each key and each prefix', async () => {
    const redis = await startRedis();
    const one = await slotsAt(redis);
    const other = await slotsAt({ ...redis, prefix: `${redis.prefix}-other` });

    expect(await Promise.all([one.slots.acquire(0), one.slots.acquire(1), other.slots.acquire(0)])).toEqual([0, 0, 0]);
  });

  it.skipIf(noRealRedis('identify slots while Redis is unavailable'))(
    'are separate in each process while Redis is unavailable, and shared again when it is back',
    async () => {
      const redis = await startRealRedis();
      const [one, other] = await Promise.all([slotsAt(redis), slotsAt(redis)]);
      const health = () => [one.link.health, other.link.health];
      await one.slots.acquire(0);

      await redis.kill();

      expect([await one.slots.acquire(0), await other.slots.acquire(0)]).toEqual([0, 0]);
      expect(await one.slots.acquire(0)).toBeGreaterThan(0);

      await redis.startEmpty();
      await expect.poll(health, { timeout: 10_000 }).toEqual(['usable', 'usable']);

      expect(await one.slots.acquire(0)).toBe(0);
      expect(await other.slots.acquire(0)).toBeGreaterThan(0);
    },
  );
});
