import { createClient } from 'redis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PlanSetting } from '../../src/quota/pace.ts';
import type { Pacer } from '../../src/quota/pacer.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import type { RealServer } from '../support/redis/real-server.ts';
import { startRealRedis, type TestRedis } from '../support/redis.ts';
import { SharingProcess } from '../support/sharing-process.ts';
import {
  ANSWERED,
  ask,
  drain,
  LONG,
  limited,
  nextTurn,
  QUICK,
  reading,
  SLOW,
  TOKENS,
  turnOf,
} from './pacer.contract.ts';

const HOUR_MS = 3_600_000;
/** What was written is still there after `kill` and `start`. */
const LASTING = { appendonly: true, settings: { appendfsync: 'always' } };

/** Two that know of each other. */
async function pair(redis: TestRedis, setting: PlanSetting = SLOW): Promise<[SharingProcess, SharingProcess]> {
  const [one, other] = await Promise.all([1, 2].map(() => SharingProcess.joined(redis, { setting })));
  if (!one || !other) throw new Error('two are two');
  await expect.poll(() => [one.fleet.size, other.fleet.size], LONG).toEqual([2, 2]);
  return [one, other];
}

async function allBecome(health: string, ...all: SharingProcess[]): Promise<void> {
  await expect.poll(() => all.map(({ link }) => link.health), LONG).toEqual(all.map(() => health));
}

/** Spends so many of the burst, and has all know it. */
async function spend(requests: number, one: SharingProcess, other: SharingProcess): Promise<void> {
  for (let turns = 0; turns < requests; turns++) await ask(one.pacer);
  await expect
    .poll(() => [one, other].map(({ pacer }) => leftOf(pacer)), LONG)
    .toEqual([TOKENS - requests, TOKENS - requests]);
}

/** Tokens that are to be had now, as the outlook has it. */
function leftOf(pacer: Pacer): number {
  const { turnAtMs } = pacer.outlook();
  const nowMs = Date.now();
  for (let position = 1; ; position++) if (turnAtMs(position) > nowMs) return position - 1;
}

describe('a pacer that has never reached Redis', () => {
  it('gives one turn at once, and no burst', async () => {
    const { pacer } = new SharingProcess(
      { url: 'redis://127.0.0.1:1', prefix: 'nowhere', kind: 'given' },
      { setting: SLOW },
    );
    expect(await drain(pacer)).toBe(1);
  });
});

describe.skipIf(noRealRedis('how processes pace while Redis is away'))('pacers whose Redis', () => {
  const TROUBLES: [string, (redis: RealServer) => void | Promise<void>][] = [
    ['is killed', (redis) => redis.kill()],
    ['hangs', (redis) => redis.pause()],
  ];

  it.each(TROUBLES)('%s have each their part of what was left', async (_, trouble) => {
    const redis = await startRealRedis();
    const [one, other] = await pair(redis);
    await spend(5, one, other);
    await trouble(redis);
    await allBecome('away', one, other);
    expect([await drain(one.pacer), await drain(other.pacer)]).toEqual([7, 7]);
  });

  it.each(TROUBLES)('%s keep nobody waiting', async (_, trouble) => {
    const redis = await startRealRedis();
    const [one, other] = await pair(redis);
    await trouble(redis);
    const startMs = performance.now();
    const all = [one, other].flatMap(({ pacer }) =>
      Array.from({ length: 20 }, async () => {
        pacer.hear(reading(500, HOUR_MS));
        await pacer.take('members');
        await pacer.settle({ probe: false, afterFailure: Number.MAX_SAFE_INTEGER }, ANSWERED);
      }),
    );
    await Promise.all(all);
    // 250 ms for what was asked before anybody knew, and nothing for the 119 that came after; a busy machine may add some.
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  it('is away pause alone, and hold nobody else up', async () => {
    const redis = await startRealRedis();
    const [one, other] = await pair(redis);
    await redis.kill();
    await allBecome('away', one, other);
    await ask(one.pacer, limited(300));
    expect([one.pacer.outlook().paused, other.pacer.outlook().paused]).toEqual([true, false]);
    expect(await turnOf(one.pacer)).toBeUndefined();
    expect(await turnOf(other.pacer)).toMatchObject({ probe: false });
    expect(await nextTurn(one.pacer)).toMatchObject({ probe: true });
  });

  it('is away forgive no token when the headers name a slower plan', async () => {
    const redis = await startRealRedis();
    const one = await SharingProcess.joined(redis, { setting: { plan: 'auto' } });
    one.pacer.hear(reading(40_000, HOUR_MS, 50_000));
    await ask(one.pacer);
    expect(leftOf(one.pacer)).toBeGreaterThan(3 * TOKENS);
    await redis.kill();
    await allBecome('away', one);
    for (let turns = 0; turns < 2 * TOKENS; turns++) expect(await turnOf(one.pacer)).toBeDefined();
    const laterMs = Date.now() + 10;
    one.pacer.hear({ ...reading(400, HOUR_MS), sentAtMs: laterMs, receivedAtMs: laterMs });
    expect(await turnOf(one.pacer)).toBeUndefined();
  });

  it('goes away, and comes back, tell those who wait', async () => {
    const redis = await startRealRedis();
    const [one] = await pair(redis);
    const told = vi.fn();
    one.pacer.onChange(told);
    await redis.kill();
    await expect.poll(() => told.mock.calls.length, LONG).toBeGreaterThan(0);
    told.mockClear();
    await redis.startEmpty();
    await expect.poll(() => told.mock.calls.length, LONG).toBeGreaterThan(0);
  });

  it('is back are charged for what they spent alone', async () => {
    const redis = await startRealRedis(LASTING);
    const [one, other] = await pair(redis);
    await spend(5, one, other);
    await redis.kill();
    await allBecome('away', one, other);
    for (let turns = 0; turns < 3; turns++) await ask(one.pacer);
    await ask(other.pacer);
    await redis.start();
    await allBecome('usable', one, other);
    // 14 were left, of which 3 and 1 were taken.
    await expect.poll(() => [one, other].map(({ pacer }) => leftOf(pacer)), LONG).toEqual([10, 10]);
    const counts = await Promise.all([drain(one.pacer), drain(other.pacer)]);
    expect(counts[0] + counts[1]).toBe(10);
  });

  it('is back all know of a pause that one learnt alone, and of the lower figure', async () => {
    const redis = await startRealRedis(LASTING);
    const [one, other] = await pair(redis);
    one.pacer.hear(reading(700, HOUR_MS));
    await one.pacer.take('members');
    await redis.kill();
    await allBecome('away', one, other);
    one.pacer.hear(reading(600, HOUR_MS));
    other.pacer.hear(reading(500, HOUR_MS));
    await ask(one.pacer, limited(60_000));
    await redis.start();
    await allBecome('usable', one, other);
    for (const { pacer } of [one, other]) {
      await expect.poll(() => [pacer.outlook().paused, pacer.quota()?.remaining], LONG).toEqual([true, 500]);
    }
    expect([await turnOf(one.pacer), await turnOf(other.pacer)]).toEqual([undefined, undefined]);
  });

  it('is back do not wait for a probe that ended meanwhile', async () => {
    const redis = await startRealRedis(LASTING);
    const [one, other] = await pair(redis, QUICK);
    await ask(one.pacer, limited(300));
    const probe = await nextTurn(one.pacer);
    expect(probe).toMatchObject({ probe: true });
    await redis.kill();
    await allBecome('away', one, other);
    await one.pacer.settle(probe, ANSWERED);
    await redis.start();
    await allBecome('usable', one, other);
    expect(await ask(other.pacer)).toMatchObject({ probe: true });
    expect(await ask(one.pacer)).toMatchObject({ probe: false });
  });

  it('is back wait for a probe that is still under way', async () => {
    const redis = await startRealRedis(LASTING);
    const [one, other] = await pair(redis, QUICK);
    await ask(one.pacer, limited(300));
    const probe = await nextTurn(one.pacer);
    await redis.kill();
    await allBecome('away', one, other);
    expect(await turnOf(one.pacer)).toBeUndefined();
    await redis.start();
    await allBecome('usable', one, other);
    for (let tries = 0; tries < 3; tries++) expect(await turnOf(one.pacer)).toBeUndefined();
    await one.pacer.settle(probe, ANSWERED);
    expect(await ask(other.pacer)).toMatchObject({ probe: false });
  });

  it.each<[string, (redis: TestRedis & RealServer) => Promise<void>]>([
    [
      'restarts empty',
      async (redis) => {
        await redis.kill();
        await redis.startEmpty();
      },
    ],
    [
      'loses all while it runs',
      async ({ url }) => {
        const client = createClient({ url });
        await client.connect();
        onTestFinished(() => client.destroy());
        await client.flushAll();
      },
    ],
  ])('%s get no new burst, and the day stays closed', async (_, lose) => {
    const redis = await startRealRedis();
    const [one, other] = await pair(redis);
    expect(await drain(one.pacer)).toBe(TOKENS);
    one.pacer.hear(reading(0, HOUR_MS));
    await one.pacer.settle({ probe: false, afterFailure: Number.MAX_SAFE_INTEGER }, ANSWERED);
    await expect.poll(() => other.pacer.outlook().closed?.why, LONG).toBe('day');

    await lose(redis);
    await allBecome('usable', one, other);
    const newcomer = await SharingProcess.joined(redis, { setting: SLOW });
    for (const { pacer } of [one, other, newcomer]) {
      await expect.poll(() => pacer.outlook().closed?.why, LONG).toBe('day');
      await expect.poll(() => leftOf(pacer), LONG).toBe(0);
    }
  });
});
