import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddedCardService } from '../../../sandbox/card-service.ts';
import type { PlanSetting } from '../../../src/model/plan.ts';
import type { Limiter, PermitLane } from '../../../src/quota/limiter-port.ts';
import {
  ANSWERED,
  ask,
  drain,
  HOUR_MS,
  NOT_HELD,
  permitOf,
  QUICK,
  reading,
  SLOW,
  TOKENS,
} from '../../quota/limiter.contract.ts';
import { by, lookup, lookupQueueOver, withAcquire } from '../../support/lookup-queue.ts';
import { clientOf, startRedis, type TestRedis } from '../../support/redis.ts';
import { LIMITER_KEY, processes, SharingProcess } from '../../support/sharing-process.ts';
import { startSlowRelay } from '../../support/slow-relay.ts';

const INTERVAL_MS = 10_000;
const PATIENT = { answerTimeoutMs: 10_000 };

async function three(redis: TestRedis): Promise<[Limiter, Limiter, Limiter]> {
  const [{ limiter: one }, { limiter: other }, { limiter: third }] = await processes(3, redis, SLOW);
  return [one, other, third];
}

async function hashOf(redis: TestRedis) {
  const client = await clientOf(redis);
  const key = `${redis.prefix}:${LIMITER_KEY}`;
  return {
    get: async (field: string) => (await client.hGet(key, field)) ?? '',
    set: (field: string, value: string) => client.hSet(key, field, value),
  };
}

/** Each in turn waits for a token, of which there is none. @returns when each is told to come: tokens after the first */
async function queueUp(limiters: readonly Limiter[]): Promise<number[]> {
  const told: number[] = [];
  for (const limiter of limiters) {
    const got = await limiter.acquire('members');
    if (got.kind !== 'wait') throw new Error('there is a token');
    told.push(got.untilMs);
  }
  return told.map((atMs) => Math.round((atMs - (told[0] ?? 0)) / INTERVAL_MS));
}

describe('processes that share a quota', () => {
  it('never have more requests under way than remain, together', async () => {
    const redis = await startRedis();
    const limiters = await three(redis);
    const [one] = limiters;
    const hash = await hashOf(redis);
    one.observe(reading(4, HOUR_MS));
    await expect.poll(() => hash.get('remaining')).toBe('4');

    const tries = await Promise.all(
      [...limiters, ...limiters, ...limiters].map(async (limiter) => ({ limiter, permit: await permitOf(limiter) })),
    );
    const held = tries.flatMap(({ limiter, permit }) => (permit ? [{ limiter, permit }] : []));
    // Those of one process that are asked for at the same moment count as if all were given, so that fewer may be.
    expect(held.length).toBeLessThanOrEqual(4);
    const heldBy = async (limiter: Limiter) => {
      const permit = await permitOf(limiter);
      return permit ? held.push({ limiter, permit }) : held.length;
    };
    await expect.poll(() => heldBy(one)).toBe(4);
    for (const each of limiters) expect(await heldBy(each)).toBe(4);

    const { limiter, permit } = held[0] as (typeof held)[0];
    limiter.observe(reading(3, HOUR_MS));
    await limiter.release(permit, ANSWERED);
    for (const each of limiters) expect(await permitOf(each)).toBeUndefined(); // 3 remain, and 3 are under way
    const { limiter: other, permit: another } = held[1] as (typeof held)[0];
    await other.release(another, { kind: 'abandoned' });
    await expect.poll(async () => (await permitOf(one)) !== undefined).toBe(true);
  });

  it('count no request of a process that has died', async () => {
    const redis = await startRedis();
    const [one, other] = await processes(2, redis, SLOW);
    one.limiter.observe(reading(2, HOUR_MS));
    const hash = await hashOf(redis);
    await expect.poll(() => hash.get('remaining')).toBe('2');
    expect([await permitOf(one.limiter), await permitOf(one.limiter)]).not.toContain(undefined);
    expect(await permitOf(other.limiter)).toBeUndefined();
    one.die();
    await expect.poll(async () => (await permitOf(other.limiter)) !== undefined).toBe(true);
  });

  it('take what a process had under way when it died as spent of a month that nobody states', async () => {
    const redis = await startRedis();
    const [one, other] = await processes(2, redis, { ...SLOW, requestsPerMonth: 100 });
    const left = () => other.limiter.view().windows.find(({ per }) => per === 'month')?.remaining;
    for (let requests = 0; requests < 3; requests++) await one.limiter.acquire('members');
    one.die();
    await expect.poll(left).toBe(97);
    await ask(other.limiter);
    await expect.poll(left).toBe(96);
    const [later] = await processes(1, redis, { ...SLOW, requestsPerMonth: 100 });
    await expect.poll(() => later.limiter.view().windows[0]?.remaining).toBe(96);
  });

  it('take turns: a token is left to who was refused before, and each is told when it is its turn', async () => {
    const redis = await startRedis();
    const limiters = await three(redis);
    const [first, second, third] = limiters;
    expect(await drain(first)).toBe(TOKENS);
    expect(await queueUp([first, second, third, first, second])).toEqual([0, 1, 2, 0, 1]);

    const hash = await hashOf(redis);
    const addToken = async () => hash.set('fullAtMs', String(Number(await hash.get('fullAtMs')) - INTERVAL_MS));
    for (const next of [first, second, third, first]) {
      await addToken();
      for (const limiter of limiters) if (limiter !== next) expect(await permitOf(limiter)).toBeUndefined();
      expect(await permitOf(next)).toBeDefined();
      await queueUp([next]);
    }
  });

  it('leave no token to a process that has died', async () => {
    const redis = await startRedis();
    const [one, other] = await processes(2, redis, SLOW);
    await drain(one.limiter);
    expect(await queueUp([one.limiter, other.limiter])).toEqual([0, 1]);
    const toldMs = async () => {
      const got = await other.limiter.acquire('members');
      return got.kind === 'permit' ? 0 : got.untilMs;
    };
    const before = await toldMs();
    one.die();
    await expect.poll(async () => Math.round((before - (await toldMs())) / INTERVAL_MS)).toBe(1);
  });
});

describe('over slow links', () => {
  const TRIP_MS = 200;

  async function joinedSlowly(redis: TestRedis, setting: PlanSetting) {
    const relay = await startSlowRelay(redis.url, { delayMs: TRIP_MS });
    return SharingProcess.joined({ ...redis, url: relay.url }, { setting, ...PATIENT });
  }

  it('a process takes permits side by side, and while it writes', async () => {
    const { limiter, link, processesAlive } = await joinedSlowly(await startRedis(), SLOW);
    await limiter.acquire('renewals'); // has joined
    await processesAlive.leave(); // so that no heartbeat counts
    const run = link.run.bind(link);
    let [underWay, most] = [0, 0];
    vi.spyOn(link, 'run').mockImplementation(async (work) => {
      most = Math.max(most, ++underWay);
      return run(work).finally(() => underWay--);
    });
    const written = limiter.release(NOT_HELD, ANSWERED);
    await Promise.all([limiter.acquire('members'), limiter.acquire('members'), written]);
    expect(most).toBeGreaterThanOrEqual(3);
  });

  it('no process is kept from writing by quicker ones', async () => {
    const redis = await startRedis();
    const slow = await Promise.all([1, 2, 3].map(() => joinedSlowly(redis, SLOW)));
    const [quick] = await processes(1, redis, SLOW);
    for (const { limiter } of slow) await limiter.acquire('renewals'); // has joined
    let isOver = false;
    const hammer = async () => {
      while (!isOver) {
        await quick.limiter.release(NOT_HELD, ANSWERED);
        await sleep(10);
      }
    };
    const hammering = hammer();
    const commands = slow.map(({ link }) => vi.spyOn(link.client, 'eval'));
    const ROUNDS = 2;
    await Promise.all(
      slow.map(async ({ limiter }) => {
        for (let round = 0; round < ROUNDS; round++) await limiter.release(NOT_HELD, ANSWERED);
      }),
    );
    isOver = true;
    await hammering;
    const calls = commands.flatMap(({ mock }) => mock.calls);
    const writes = calls.filter(([, options]) => options?.arguments?.[2] === 'write');
    expect(writes.length / (slow.length * ROUNDS)).toBeLessThan(8);
  });
});

it('a process that alone is cut off from Redis spends its share at most, which all are charged for when it is back', async () => {
  const redis = await startRedis();
  const relay = await startSlowRelay(redis.url, { delayMs: 0 });
  const cut = await SharingProcess.joined({ ...redis, url: relay.url }, { setting: SLOW, ...PATIENT });
  const [one, other] = await processes(2, redis, SLOW);
  await expect.poll(() => cut.processesAlive.size).toBe(3);
  await ask(cut.limiter);

  relay.leadTo('redis://127.0.0.1:1');
  relay.drop();
  await expect.poll(() => cut.link.health).toBe('unavailable');
  expect(await drain(cut.limiter)).toBe(6); // a third of the 18 that were left
  for (let permits = 0; permits < 5; permits++) await ask(one.limiter);

  relay.leadTo(redis.url);
  await expect.poll(() => cut.link.health).toBe('usable');
  const left = () => [cut, one, other].map(({ limiter }) => leftOf(limiter));
  await expect.poll(left).toEqual([7, 7, 7]);
  const counts = [await drain(cut.limiter), await drain(one.limiter), await drain(other.limiter)];
  expect(counts).toEqual([7, 0, 0]);
});

it('queues over one limiter are refused once at most for each permit', async () => {
  const redis = await startRedis();
  const sharing = await processes(2, redis, QUICK);
  const got = { permit: 0, wait: 0, blocked: 0 };
  const answered = sharing.map(({ limiter }, at) => {
    const acquire = async (lane: PermitLane) => {
      const acquired = await limiter.acquire(lane);
      got[acquired.kind] += 1;
      return acquired;
    };
    const service = new EmbeddedCardService({ requestsPerMinute: 6_000, burst: 1_000 });
    const { queue } = lookupQueueOver(service, QUICK, { seenAs: () => withAcquire(limiter, acquire) });
    onTestFinished(() => queue.close(0));
    return Array.from({ length: 30 }, (_, card) => queue.enqueue(lookup(`base${at}-${card}`, by(`member ${card}`))));
  });
  await Promise.all(answered.flat());
  expect(got.permit).toBe(60);
  expect(got.wait).toBeLessThanOrEqual(got.permit);
  expect(got.blocked).toBe(0);
});

/** The tokens available now, by the view. */
function leftOf(limiter: Limiter): number {
  const view = limiter.view();
  const nowMs = Date.now();
  for (let position = 1; ; position++) if (view.forecast('members', position) > nowMs) return position - 1;
}
