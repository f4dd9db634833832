import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { PlanSetting } from '../../../src/model/plan.ts';
import {
  ANSWERED,
  ask,
  HOUR_MS,
  limited,
  nextPermit,
  permitOf,
  QUICK,
  reading,
  SLOW,
  TOKENS,
} from '../../quota/limiter.contract.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { clientOf, startRealRedis, type TestRedis } from '../../support/redis.ts';
import { LIMITER_KEY, SharingProcess } from '../../support/sharing-process.ts';
import { startSlowRelay } from '../../support/slow-relay.ts';

/** Data survives `kill` and `start`. */
const DURABLE = { appendonly: true, settings: { appendfsync: 'always' } };

/** Two processes that know of each other. */
async function pair(redis: TestRedis, setting: PlanSetting = SLOW): Promise<[SharingProcess, SharingProcess]> {
  const [one, other] = await Promise.all([1, 2].map(() => SharingProcess.joined(redis, { setting })));
  if (!one || !other) throw new Error('two are two');
  await expect.poll(() => [one.processesAlive.size, other.processesAlive.size]).toEqual([2, 2]);
  return [one, other];
}

async function allBecome(health: string, ...all: SharingProcess[]): Promise<void> {
  await expect.poll(() => all.map(({ link }) => link.health)).toEqual(all.map(() => health));
}

describe.skipIf(noRealRedis('limiters while Redis is unavailable'))('limiters whose Redis', () => {
  it('is killed at the moment of a probe send one all the same', async () => {
    const redis = await startRealRedis();
    const [one, other] = await pair(redis, QUICK);
    const all = [one, other].map(({ limiter }) => limiter);
    await ask(one.limiter, limited(2_000)); // long enough to be seen by the other on a busy machine
    await expect.poll(() => other.limiter.view().paused).toBe(true);
    await expect.poll(() => all.some((limiter) => limiter.view().paused)).toBe(false);
    void redis.kill();
    const probes = await Promise.all(all.map((limiter) => nextPermit(limiter)));
    expect(probes).toMatchObject([{ probe: true }, { probe: true }]);
    for (const limiter of all) expect(await permitOf(limiter)).toBeUndefined();
  });

  it('was used by one process alone leave it the whole plan', async () => {
    const redis = await startRealRedis();
    const { limiter, link } = await SharingProcess.joined(redis, { setting: SLOW });
    await expect.poll(() => limiter.view().isIsolated).toBe(false);
    await redis.kill();
    await expect.poll(() => link.health).toBe('unavailable');
    expect(limiter.view().isIsolated).toBe(true);
    const sent: unknown[] = [];
    for (;;) {
      const permit = await permitOf(limiter);
      if (!permit) break;
      sent.push(permit);
      await limiter.release(permit, ANSWERED);
    }
    expect(sent).toHaveLength(TOKENS);
  });

  it('is lost do not overdraw a month that nobody states, and count what all have spent of it when it is back', async () => {
    const redis = await startRealRedis();
    const [one, other] = await pair(redis, { ...QUICK, requestsPerMonth: 16 });
    const spendAll = async ({ limiter }: SharingProcess) => {
      for (let sent = 0; ; ) {
        const got = await limiter.acquire('members');
        if (got.kind === 'blocked') return sent;
        if (got.kind === 'wait') await vi.waitUntil(() => Date.now() >= got.untilMs);
        else {
          await setImmediate(); // the other one asks meanwhile
          await limiter.release(got.permit, ANSWERED);
          sent++;
        }
      }
    };
    const together = async (process: SharingProcess) => {
      const sent = await Promise.all([1, 2].map(() => spendAll(process)));
      return sent.reduce((sum, each) => sum + each);
    };
    for (const { limiter } of [one, other]) await ask(limiter);
    for (const { limiter } of [one, other]) await expect.poll(() => limiter.quota()?.remaining).toBe(14);
    await redis.kill();
    await allBecome('unavailable', one, other);
    await ask(one.limiter, limited(300)); // is not counted
    expect(await Promise.all([one, other].map(together))).toEqual([7, 7]);
    expect(one.limiter.quota()).toMatchObject({ per: 'month', remaining: 0 });

    await redis.startEmpty();
    await allBecome('usable', one, other);
    for (const { limiter } of [one, other]) await expect.poll(() => limiter.view().isIsolated).toBe(false);
    expect(await permitOf(one.limiter)).toBeUndefined();
  });

  it('becomes unavailable, and is back, notify their listeners', async () => {
    const redis = await startRealRedis();
    const [one] = await pair(redis);
    await expect.poll(() => one.limiter.view().isIsolated).toBe(false);
    const notified = vi.fn();
    one.limiter.onChange(notified);
    await redis.kill();
    await expect.poll(() => notified.mock.calls.length).toBeGreaterThan(0);
    notified.mockClear();
    await redis.startEmpty();
    await expect.poll(() => notified.mock.calls.length).toBeGreaterThan(0);
  });

  it('lacks their last write after a failover learn what is written in its place', async () => {
    const redis = await startRealRedis();
    const relays = await Promise.all([1, 2].map(() => startSlowRelay(redis.url, { delayMs: 0 })));
    const [one, other] = (await Promise.all(
      relays.map(({ url }) => SharingProcess.joined({ ...redis, url }, { setting: SLOW })),
    )) as [SharingProcess, SharingProcess];
    const client = await clientOf(redis);
    const key = `${redis.prefix}:${LIMITER_KEY}`;
    const read = () => expect.poll(() => other.limiter.quota()?.remaining);

    one.limiter.observe(reading(700, HOUR_MS));
    await read().toBe(700);
    const replicated = await client.hGetAll(key);
    one.limiter.observe(reading(600, HOUR_MS));
    await read().toBe(600);
    for (const relay of relays) relay.setState('closed');
    await allBecome('unavailable', one, other);
    await client.del(key);
    await client.hSet(key, replicated);

    await ask(one.limiter, limited(60_000));
    for (const [index, process] of [one, other].entries()) {
      relays[index]?.setState('open');
      await expect.poll(() => process.limiter.view().paused).toBe(true);
    }
    expect(one.limiter.view().paused).toBe(true);
  });

  it('is back wait for no probe that ended meanwhile', async () => {
    const redis = await startRealRedis(DURABLE);
    const [one, other] = await pair(redis, QUICK);
    await ask(one.limiter, limited(300));
    const probe = await nextPermit(one.limiter);
    expect(probe).toMatchObject({ probe: true });
    await redis.kill();
    await allBecome('unavailable', one, other);
    await one.limiter.release(probe, ANSWERED);
    await redis.start();
    await allBecome('usable', one, other);
    expect(await ask(other.limiter)).toMatchObject({ probe: true });
    expect(await ask(one.limiter)).toMatchObject({ probe: false });
  });

  it('is back wait for a probe that is still under way', async () => {
    const redis = await startRealRedis(DURABLE);
    const [one, other] = await pair(redis, QUICK);
    await ask(one.limiter, limited(300));
    const probe = await nextPermit(one.limiter);
    await redis.kill();
    await allBecome('unavailable', one, other);
    expect(await permitOf(one.limiter)).toBeUndefined();
    await redis.start();
    await allBecome('usable', one, other);
    for (let tries = 0; tries < 3; tries++) expect(await permitOf(one.limiter)).toBeUndefined();
    await one.limiter.release(probe, ANSWERED);
    expect(await ask(other.limiter)).toMatchObject({ probe: false });
  });
});
