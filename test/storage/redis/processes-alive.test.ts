import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { QueueSummary } from '../../../src/lookup/fair-order.ts';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import type { RedisClient } from '../../../src/storage/redis/redis-client.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { logLines } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { startSlowRelay } from '../../support/slow-relay.ts';

/** So short that tests need not wait; dead only after many beats, because the machine may be busy. */
const TIMES = { everyMs: 50, deadAfterMs: 1_000 };
/** Beats after which all that are alive have been heard of. */
const TO_HEAR_ALL = TIMES.deadAfterMs / TIMES.everyMs + 1;
/** As many beats, and more on a busy machine. */
const PATIENCE = { timeout: 15_000, interval: 20 };

type Address = Pick<TestRedis, 'url' | 'prefix'>;

/** One process of a fleet, as far as the others can tell. */
async function join({ url, prefix }: Address, expectedSize?: number, times = TIMES) {
  const { log } = logLines();
  const link = new RedisLink({ url, prefix, log });
  onFinished(() => link.close());
  const processesAlive = new ProcessesAlive(link, prefix, expectedSize, times);
  onFinished(() => processesAlive.leave());
  let beats = 0;
  processesAlive.onHeartbeat(() => {
    beats += 1;
  });
  await link.opened(10_000);
  return {
    link,
    processesAlive,
    /** Resolves after so many more beats. */
    hears: async (more: number) => {
      const until = beats + more;
      await expect.poll(() => beats, PATIENCE).toBeGreaterThanOrEqual(until);
    },
    becomes: (health: RedisLink['health']) => expect.poll(() => link.health, PATIENCE).toBe(health),
    /** Of one that all have heard of, by Redis's clock. */
    silentMs: (id: string) =>
      link.run(
        async (client) =>
          (await nowMsOf(client)) - Number.parseInt((await client.hGet(`${prefix}:fleet`, id)) ?? '', 10),
      ),
    finds: (size: number) => expect.poll(() => processesAlive.size, PATIENCE).toBe(size),
  };
}

const IDLE: QueueSummary = {
  waiting: [],
  served: { members: { member: 0, guild: 0 }, renewals: { member: 0, guild: 0 } },
};

function lineOf(memberId: string): QueueSummary {
  const rank = { member: 1, guild: 2 };
  const payer = { memberId, guildId: 'g' };
  return { ...IDLE, waiting: [{ lane: 'members', rank, queuedAtMs: 3, payer, requesters: [payer] }] };
}

/** Some rules are about many beats. */
const SLOW = { timeout: 60_000 };

describe('the processes of a fleet', SLOW, () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startRedis();
  });
  let fleets = 0;
  const newFleet = (): Address => ({ ...server, prefix: `${server.prefix}:${fleets++}` });

  it('see what waits in the lines of the others, and not their own', async () => {
    const redis = newFleet();
    const [a, b, c] = await Promise.all([join(redis), join(redis), join(redis)]);
    await a.processesAlive.exchange(lineOf('ann'));
    expect(await b.processesAlive.exchange(lineOf('bob'))).toContainEqual(lineOf('ann'));
    const seen = await c.processesAlive.exchange(IDLE);
    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([lineOf('ann'), lineOf('bob')]));
    expect(c.processesAlive.size).toBe(3);
  });

  it('see nothing of a fleet with another prefix', async () => {
    const redis = newFleet();
    const [a, b] = await Promise.all([join(redis), join({ ...redis, prefix: `${redis.prefix}:another` })]);
    await a.processesAlive.exchange(lineOf('ann'));
    expect(await b.processesAlive.exchange(IDLE)).toEqual([]);
    expect(b.processesAlive.size).toBe(1);
  });

  it('count one whose line they cannot read', async () => {
    const redis = newFleet();
    const a = await join(redis);
    await a.link.run(async (client) => {
      await client.hSet(`${redis.prefix}:fleet`, 'newer', `${await nowMsOf(client)} {"v":2}`);
    });
    expect(await a.processesAlive.exchange(IDLE)).toEqual([]);
    expect(a.processesAlive.size).toBe(2);
  });

  it('notice at their next beat that one has left', async () => {
    const redis = newFleet();
    const [a, b] = await Promise.all([join(redis), join(redis)]);
    await a.processesAlive.exchange(lineOf('ann'));
    await b.hears(TO_HEAR_ALL);
    expect(b.processesAlive.isGone(a.processesAlive.id)).toBe(false);
    await a.processesAlive.leave();
    await a.processesAlive.exchange(lineOf('ann')); // a last one that was under way
    expect(await b.processesAlive.exchange(IDLE)).toEqual([]);
    expect(b.processesAlive.isGone(a.processesAlive.id)).toBe(true);
    expect(b.processesAlive.size).toBe(1);
  });

  it('declare dead one that is silent for too long, and none sooner', async () => {
    const redis = newFleet();
    const [a, b] = await Promise.all([join(redis), join(redis)]);
    await b.finds(2);
    a.link.close();
    await expect.poll(() => b.processesAlive.isGone(a.processesAlive.id), PATIENCE).toBe(true);
    expect(await b.silentMs(a.processesAlive.id)).toBeGreaterThanOrEqual(TIMES.deadAfterMs);
    expect(b.processesAlive.size).toBe(1);
    expect(await b.processesAlive.exchange(IDLE)).toEqual([]);
  });

  it('do not take one for dead that is too new to have been heard of', async () => {
    const redis = newFleet();
    const a = await join(redis);
    await a.hears(TO_HEAR_ALL);
    expect(a.processesAlive.isGone('never heard of')).toBe(false);
    const b = await join(redis);
    expect(a.processesAlive.isGone(b.processesAlive.id)).toBe(false);
    await a.hears(TO_HEAR_ALL);
    expect(a.processesAlive.isGone('never heard of')).toBe(true);
    expect(a.processesAlive.isGone(b.processesAlive.id)).toBe(false);
  });

  it('are heard of at once, on a link that was usable before', async () => {
    const redis = newFleet();
    const a = await join(redis);
    const second = new ProcessesAlive(a.link, redis.prefix, 1, TIMES);
    onFinished(() => second.leave());
    await a.processesAlive.exchange(IDLE); // on the same connection, so after the first beat
    expect(a.processesAlive.size).toBe(2);
  });

  it('reckon with the expected size until they have heard all', async () => {
    const a = await join(newFleet(), 4);
    await a.hears(2);
    expect(a.processesAlive.size).toBe(4);
    await a.finds(1);
  });
});

describe.skipIf(noRealRedis('a fleet whose Redis goes away'))('a fleet whose Redis goes away', SLOW, () => {
  it('keeps its size, and nobody in it is gone', async () => {
    const redis = await startRealRedis();
    const [a, b] = await Promise.all([join(redis), join(redis)]);
    await a.hears(TO_HEAR_ALL);
    await redis.kill();
    await a.becomes('unavailable');
    await b.processesAlive.leave(); // which nobody hears
    expect(await a.processesAlive.exchange(IDLE)).toEqual([]);
    expect(a.processesAlive.size).toBe(2);
    expect(a.processesAlive.isGone(b.processesAlive.id)).toBe(false);
  });

  it('declares nobody dead who comes back from an empty Redis later than others', async () => {
    const times = { everyMs: 100, deadAfterMs: 4_000 }; // a link may take 2 s to come back
    const toHearAll = times.deadAfterMs / times.everyMs + 1;
    const redis = await startRealRedis();
    const relay = await startSlowRelay(redis.url, { delayMs: 0 });
    const [a, b] = await Promise.all([join(redis, 1, times), join({ ...redis, url: relay.url }, 1, times)]);
    await a.finds(2);
    const declared: { gone: boolean; size: number }[] = [];
    a.processesAlive.onHeartbeat(() =>
      declared.push({ gone: a.processesAlive.isGone(b.processesAlive.id), size: a.processesAlive.size }),
    );

    await redis.kill();
    await Promise.all([a.becomes('unavailable'), b.becomes('unavailable')]);
    relay.delayMs = 2_000;
    await redis.startEmpty();
    await a.hears(5);
    expect(b.link.health).toBe('unavailable');
    relay.delayMs = 0;
    await b.becomes('usable');
    await a.hears(toHearAll);

    expect(declared.length).toBeGreaterThan(toHearAll);
    expect(declared).toEqual(declared.map(() => ({ gone: false, size: 2 })));
  });
});

async function nowMsOf(client: RedisClient): Promise<number> {
  const reply = await client.sendCommand(['TIME']);
  const [seconds, micros] = z.tuple([z.coerce.number(), z.coerce.number()]).parse(reply);
  return seconds * 1_000 + micros / 1_000;
}
