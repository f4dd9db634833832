import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LineSummary } from '../../src/lookup/peers.ts';
import { Fleet } from '../../src/redis/fleet.ts';
import { RedisLink } from '../../src/redis/redis-link.ts';
import { logLines } from '../support/log-lines.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { startSlowRelay } from '../support/slow-relay.ts';
import { whenOver } from '../support/when-over.ts';

/** Five beats, and more on a busy machine. */
const PATIENCE = { timeout: 15_000, interval: 20 };

type Address = Pick<TestRedis, 'url' | 'prefix'>;

/** One process of a fleet, as far as the others can tell. */
async function join({ url, prefix }: Address, expectedSize?: number) {
  const { log } = logLines();
  const link = new RedisLink({ url, prefix, log });
  whenOver(() => link.close());
  const fleet = new Fleet(link, prefix, expectedSize);
  whenOver(() => fleet.leave());
  let beats = 0;
  fleet.onBeat(() => {
    beats += 1;
  });
  await link.opened(10_000);
  return {
    link,
    fleet,
    /** Resolves after so many more beats. */
    hears: async (more: number) => {
      const until = beats + more;
      await expect.poll(() => beats, PATIENCE).toBeGreaterThanOrEqual(until);
    },
    becomes: (health: RedisLink['health']) => expect.poll(() => link.health, PATIENCE).toBe(health),
    finds: (size: number) => expect.poll(() => fleet.size, PATIENCE).toBe(size),
  };
}

const IDLE: LineSummary = {
  waiting: [],
  served: { members: { member: 0, guild: 0 }, background: { member: 0, guild: 0 } },
};

function lineOf(memberId: string): LineSummary {
  const rank = { member: 1, guild: 2 };
  return { ...IDLE, waiting: [{ lane: 'members', rank, place: 3, payer: { memberId, guildId: 'g' } }] };
}

/** Beats are a second apart, and some rules are about many of them. */
const SLOW = { timeout: 60_000 };

describe('the processes of a fleet', SLOW, () => {
  it('see what waits in the lines of the others, and not their own', async () => {
    const redis = await startRedis();
    const [a, b, c] = await Promise.all([join(redis), join(redis), join(redis)]);
    await a.fleet.exchange(lineOf('ann'));
    expect(await b.fleet.exchange(lineOf('bob'))).toContainEqual(lineOf('ann'));
    const seen = await c.fleet.exchange(IDLE);
    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([lineOf('ann'), lineOf('bob')]));
    expect(c.fleet.size).toBe(3);
  });

  it('see nothing of a fleet with another prefix', async () => {
    const redis = await startRedis();
    const [a, b] = await Promise.all([join(redis), join({ ...redis, prefix: `${redis.prefix}:another` })]);
    await a.fleet.exchange(lineOf('ann'));
    expect(await b.fleet.exchange(IDLE)).toEqual([]);
    expect(b.fleet.size).toBe(1);
  });

  it('count one whose line they cannot read', async () => {
    const redis = await startRedis();
    const a = await join(redis);
    await a.link.run(async (client) => {
      const [seconds] = z.tuple([z.coerce.number(), z.unknown()]).parse(await client.sendCommand(['TIME']));
      await client.hSet(`${redis.prefix}:fleet`, 'newer', `${seconds * 1_000} {"v":2}`);
    });
    expect(await a.fleet.exchange(IDLE)).toEqual([]);
    expect(a.fleet.size).toBe(2);
  });

  it('notice at their next beat that one has left', async () => {
    const redis = await startRedis();
    const [a, b] = await Promise.all([join(redis), join(redis)]);
    await a.fleet.exchange(lineOf('ann'));
    await b.hears(5); // all that are alive have been heard of
    expect(b.fleet.isGone(a.fleet.id)).toBe(false);
    await a.fleet.leave();
    await a.fleet.exchange(lineOf('ann')); // a last one that was under way
    expect(await b.fleet.exchange(IDLE)).toEqual([]);
    expect(b.fleet.isGone(a.fleet.id)).toBe(true);
    expect(b.fleet.size).toBe(1);
  });

  it('declare dead one that is silent for 4 s, and none sooner', async () => {
    const redis = await startRedis();
    const [a, b] = await Promise.all([join(redis), join(redis)]);
    await b.finds(2);
    a.link.close();
    const silentMs = await msOf(expect.poll(() => b.fleet.isGone(a.fleet.id), PATIENCE).toBe(true));
    expect(silentMs).toBeGreaterThan(2_500); // its last beat was up to 1 s ago
    expect(b.fleet.size).toBe(1);
    expect(await b.fleet.exchange(IDLE)).toEqual([]);
  });

  it('do not take one for dead that is too new to have been heard of', async () => {
    const redis = await startRedis();
    const a = await join(redis);
    await a.hears(6);
    expect(a.fleet.isGone('never heard of')).toBe(false);
    const b = await join(redis);
    expect(a.fleet.isGone(b.fleet.id)).toBe(false);
    await a.hears(5);
    expect(a.fleet.isGone('never heard of')).toBe(true);
    expect(a.fleet.isGone(b.fleet.id)).toBe(false);
  });

  it('are heard of at once, on a link that was usable before', async () => {
    const redis = await startRedis();
    const a = await join(redis);
    const second = new Fleet(a.link, redis.prefix);
    whenOver(() => second.leave());
    await a.fleet.exchange(IDLE); // on the same connection, so after the first beat
    expect(a.fleet.size).toBe(2);
  });

  it('reckon with the expected size until they have heard all', async () => {
    const a = await join(await startRedis(), 4);
    await a.hears(2);
    expect(a.fleet.size).toBe(4);
    await a.finds(1);
  });
});

describe.skipIf(noRealRedis('a fleet whose Redis goes away'))('a fleet whose Redis goes away', SLOW, () => {
  it('keeps its size, and nobody in it is gone', async () => {
    const redis = await startRealRedis();
    const [a, b] = await Promise.all([join(redis), join(redis)]);
    await a.hears(6);
    await redis.kill();
    await a.becomes('away');
    await b.fleet.leave(); // which nobody hears
    expect(await a.fleet.exchange(IDLE)).toEqual([]);
    expect(a.fleet.size).toBe(2);
    expect(a.fleet.isGone(b.fleet.id)).toBe(false);
  });

  it('declares nobody dead who comes back from an empty Redis later than others', async () => {
    const redis = await startRealRedis();
    const relay = await startSlowRelay(redis.url, { delayMs: 0 });
    const [a, b] = await Promise.all([join(redis), join({ ...redis, url: relay.url })]);
    await a.finds(2);
    const declared: { gone: boolean; size: number }[] = [];
    a.fleet.onBeat(() => declared.push({ gone: a.fleet.isGone(b.fleet.id), size: a.fleet.size }));

    await redis.kill();
    await Promise.all([a.becomes('away'), b.becomes('away')]);
    relay.delayMs = 2_000;
    await redis.startEmpty();
    await a.hears(3);
    expect(b.link.health).toBe('away');
    relay.delayMs = 0;
    await b.becomes('usable');
    await a.hears(6);

    expect(declared.length).toBeGreaterThanOrEqual(9);
    expect(declared).toEqual(declared.map(() => ({ gone: false, size: 2 })));
  });
});

async function msOf(work: Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work;
  return performance.now() - startedMs;
}
