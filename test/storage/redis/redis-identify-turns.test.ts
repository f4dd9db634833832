import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisIdentifyTurns } from '../../../src/storage/redis/redis-identify-turns.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { logLines } from '../../support/log-lines.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis } from '../../support/redis.ts';

/** The turns as a process has them that finds Redis there. */
async function turnsAt({ url, prefix }: { url: string; prefix: string }) {
  const link = new RedisLink({ url, prefix, log: logLines().log });
  onTestFinished(() => link.close());
  await link.opened(10_000);
  return { link, turns: new RedisIdentifyTurns(link, prefix) };
}

describe('turns to identify in Redis', () => {
  it('belong to one process each, and the others hear when to ask again', async () => {
    const redis = await startRedis();
    const processes = await Promise.all(Array.from({ length: 4 }, () => turnsAt(redis)));

    const waitsMs = await Promise.all(processes.map(({ turns }) => turns.take(0)));

    const others = waitsMs.filter((waitMs) => waitMs !== 0);
    expect(others).toHaveLength(3);
    for (const waitMs of others) expect(waitMs).toBeLessThanOrEqual(6_000);
  });

  it('are apart for each key, and for each bot', async () => {
    const redis = await startRedis();
    const one = await turnsAt(redis);
    const other = await turnsAt({ ...redis, prefix: `${redis.prefix}-other` });

    expect(await Promise.all([one.turns.take(0), one.turns.take(1), other.turns.take(0)])).toEqual([0, 0, 0]);
  });

  it.skipIf(noRealRedis('turns to identify while Redis is away'))(
    "are each process's own while Redis is away, and shared again when it is back",
    async () => {
      const redis = await startRealRedis();
      const [one, other] = await Promise.all([turnsAt(redis), turnsAt(redis)]);
      const health = () => [one.link.health, other.link.health];
      await one.turns.take(0);

      await redis.kill();

      expect([await one.turns.take(0), await other.turns.take(0)]).toEqual([0, 0]);
      expect(await one.turns.take(0)).toBeGreaterThan(0);

      await redis.startEmpty();
      await expect.poll(health, { timeout: 10_000 }).toEqual(['usable', 'usable']);

      expect(await one.turns.take(0)).toBe(0);
      expect(await other.turns.take(0)).toBeGreaterThan(0);
    },
  );
});
