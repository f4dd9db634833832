import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RedisClient } from '../../../src/storage/redis/client.ts';
import type { RedisHealth } from '../../../src/storage/redis/link.ts';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { linkTo, type RedisAddress } from '../../support/redis-link.ts';
import { startSlowRelay } from '../../support/slow-relay.ts';

/** Short, so that tests need not wait; dead only after many heartbeats, because the machine may be busy. */
const TIMES = { everyMs: 50, deadAfterMs: 1_000 };
/** Of a process that no silence makes dead. */
const NEVER_DEAD = { ...TIMES, deadAfterMs: 600_000 };

/** One of several processes, as far as the others can tell. */
async function join(redis: RedisAddress, expectedSize?: number, times = TIMES) {
  const { link } = linkTo(redis, {});
  const processesAlive = new ProcessesAlive(link, expectedSize, times);
  onFinished(() => processesAlive.leave());
  let heartbeats = 0;
  processesAlive.onHeartbeat(() => {
    heartbeats += 1;
  });
  await link.opened(10_000);
  return {
    link,
    processesAlive,
    /** Resolves after this many more heartbeats. */
    seesAll: () => expect.poll(() => processesAlive.hasSeenAll).toBe(true),
    beats: async (more: number) => {
      const until = heartbeats + more;
      await expect.poll(() => heartbeats).toBeGreaterThanOrEqual(until);
    },
    becomes: (health: RedisHealth) => expect.poll(() => link.health).toBe(health),
    /** Of a process that all have seen, by Redis's clock. */
    silentMs: (id: string) =>
      link.run(
        async (client) =>
          (await nowMsOf(client)) - Number.parseInt((await client.hGet(`${redis.prefix}:processes`, id)) ?? '', 10),
      ),
    finds: (size: number) => expect.poll(() => processesAlive.size).toBe(size),
  };
}

describe('processes over one Redis', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startRedis();
  });
  let addresses = 0;
  const newAddress = (): RedisAddress => ({ ...server, prefix: `${server.prefix}:${addresses++}` });

  it('are told the queue lengths of the others, and not their own', async () => {
    const redis = newAddress();
    const [a, b, c] = await Promise.all([join(redis), join(redis), join(redis)]);
    a.processesAlive.tell(3);
    b.processesAlive.tell(70);
    await expect.poll(() => c.processesAlive.lengths().toSorted()).toEqual([3, 70]);
    expect(c.processesAlive.size).toBe(3);
  });

  it('notice at their next heartbeat that one has left', async () => {
    const redis = newAddress();
    const [a, b] = await Promise.all([join(redis, 1, NEVER_DEAD), join(redis, 1, NEVER_DEAD)]);
    await b.finds(2);
    await a.processesAlive.leave();
    await b.finds(1);
    expect(b.processesAlive.lengths()).toEqual([]);
  });

  it('declare a process dead when it is silent for too long, and not sooner', async () => {
    const redis = newAddress();
    const [a, b] = await Promise.all([join(redis), join(redis)]);
    await b.finds(2);
    a.link.close();
    await b.finds(1);
    expect(await b.silentMs(a.processesAlive.id)).toBeGreaterThanOrEqual(TIMES.deadAfterMs);
    expect(b.processesAlive.size).toBe(1);
    expect(b.processesAlive.lengths()).toEqual([]);
  });

  it('forget one that has been silent for a minute', async () => {
    const redis = newAddress();
    const a = await join(redis);
    const nowMs = await a.link.run(nowMsOf);
    const silent = { recently: `${nowMs - 30_000} 0`, long: `${nowMs - 61_000} 0` };
    await a.link.run((client) => client.hSet(`${redis.prefix}:processes`, silent));
    await a.beats(2);
    const known = await a.link.run((client) => client.hKeys(`${redis.prefix}:processes`));
    expect(known.toSorted()).toEqual([a.processesAlive.id, 'recently'].toSorted());
  });

  it('are seen at once, on a link that was usable before', async () => {
    const redis = newAddress();
    const a = await join(redis);
    const second = new ProcessesAlive(a.link, 1, TIMES);
    onFinished(() => second.leave());
    const known = await a.link.run((client) => client.hKeys(`${redis.prefix}:processes`));
    expect(known.toSorted()).toEqual([a.processesAlive.id, second.id].toSorted());
  });

  it('assume the expected size until they have seen all', async () => {
    const a = await join(newAddress(), 4);
    await a.beats(2);
    expect(a.processesAlive.size).toBe(4);
    await a.finds(1);
  });
});

describe.skipIf(noRealRedis('heartbeats while Redis is unavailable'))(
  'processes whose Redis becomes unavailable',
  () => {
    it('keep their number, and none of them is gone', async () => {
      const redis = await startRealRedis();
      const [a, b] = await Promise.all([join(redis), join(redis)]);
      await a.seesAll();
      await redis.kill();
      await a.becomes('unavailable');
      await b.processesAlive.leave(); // which the others cannot read
      expect(a.processesAlive.lengths()).toEqual([]);
      expect(a.processesAlive.size).toBe(2);
      expect(a.processesAlive.hasSeenAll).toBe(false); // so that none of them is declared dead
    });

    it('declare no process dead that reaches an empty Redis later than others', async () => {
      const times = { everyMs: 100, deadAfterMs: 4_000 }; // a link may take 2 s to come back
      const toSeeAll = times.deadAfterMs / times.everyMs + 1;
      const redis = await startRealRedis();
      const relay = await startSlowRelay(redis.url, { delayMs: 0 });
      const [a, b] = await Promise.all([join(redis, 1, times), join({ ...redis, url: relay.url }, 1, times)]);
      await a.finds(2);
      const sizes: number[] = [];
      a.processesAlive.onHeartbeat(() => sizes.push(a.processesAlive.size));

      await redis.kill();
      await Promise.all([a.becomes('unavailable'), b.becomes('unavailable')]);
      relay.delayMs = 2_000;
      await redis.startEmpty();
      await a.beats(5);
      expect(b.link.health).toBe('unavailable');
      relay.delayMs = 0;
      await b.becomes('usable');
      await a.beats(toSeeAll);

      expect(sizes.length).toBeGreaterThan(toSeeAll);
      expect(new Set(sizes)).toEqual(new Set([2]));
    });
  },
);

async function nowMsOf(client: RedisClient): Promise<number> {
  const reply = await client.sendCommand(['TIME']);
  const [seconds, micros] = z.tuple([z.coerce.number(), z.coerce.number()]).parse(reply);
  return seconds * 1_000 + Math.floor(micros / 1_000);
}
