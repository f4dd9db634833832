import { describe, expect, it, onTestFinished } from 'vitest';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { RedisLocks, redisIdentifySlots } from '../../../src/storage/redis/redis-locks.ts';
import { logLines } from '../../support/log-lines.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis } from '../../support/redis.ts';

/** The slots of a process that reaches Redis. */
async function slotsAt({ url, prefix }: { url: string; prefix: string }, answerTimeoutMs = 10_000) {
  const link = new RedisLink({ url, prefix, log: logLines().log, answerTimeoutMs });
  onTestFinished(() => link.close());
  const processesAlive = new ProcessesAlive(link, prefix);
  onTestFinished(() => processesAlive.leave());
  await link.opened(10_000);
  return { link, processesAlive, slots: redisIdentifySlots(new RedisLocks(processesAlive, prefix)) };
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

  it('stay taken when their process leaves: Discord counts its identify', async () => {
    const redis = await startRedis();
    const [one, other] = await Promise.all([slotsAt(redis), slotsAt(redis)]);
    await one.slots.acquire(0);
    await one.processesAlive.leave();
    expect(await other.slots.acquire(0)).toBeGreaterThan(0);
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
      await expect.poll(health, { timeout: 60_000 }).toEqual(['usable', 'usable']);

      expect(await one.slots.acquire(0)).toBe(0);
      expect(await other.slots.acquire(0)).toBeGreaterThan(0);
    },
  );
});
