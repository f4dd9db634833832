import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NOTHING_LEARNED } from '../../../src/quota/learned.ts';
import type { Limiter, Permit } from '../../../src/quota/limiter-port.ts';
import { INITIAL_LIMITER_STATE } from '../../../src/quota/limiter-state.ts';
import {
  ANSWERED,
  ask,
  DOWN,
  drain,
  HOUR_MS,
  limited,
  NOT_HELD,
  nextPermit,
  PER_MINUTE,
  permitOf,
  QUICK,
  reading,
  SLOW,
  TOKENS,
} from '../../quota/limiter.contract.ts';
import { WARN } from '../../support/log-lines.ts';
import { clientOf, startRedis, type TestRedis } from '../../support/redis.ts';
import { LIMITER_KEY, processes, SharingProcess } from '../../support/sharing-process.ts';
import { onMachineAhead } from '../../support/skewed-clock.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What is stored in Redis; `undefined` when nothing is. */
async function stored(redis: TestRedis) {
  const client = await clientOf(redis);
  const { state, ...rest } = await client.hGetAll(`${redis.prefix}:${LIMITER_KEY}`);
  return state === undefined ? undefined : { ...rest, state: JSON.parse(state) };
}

/** Stores another state, as another process does. */
async function store(redis: TestRedis, state: string): Promise<void> {
  const client = await clientOf(redis);
  const key = `${redis.prefix}:${LIMITER_KEY}`;
  await client.hSet(key, 'state', state);
  await client.hSet(key, 'terms', await client.hIncrBy(key, 'version', 1));
}

describe('limiters over one Redis', () => {
  it('together get the burst, and not one permit more', async () => {
    const all = await processes(4, await startRedis(), SLOW);
    const counts = await Promise.all(all.map(({ limiter }) => drain(limiter)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(TOKENS);
  });

  it('learn once from 429s that all of them get at the same time', async () => {
    const redis = await startRedis();
    const all = (await processes(4, redis, SLOW)).map(({ limiter }) => limiter);
    for (const limiter of all) await ask(limiter);
    await Promise.all(all.map((limiter) => limiter.release(NOT_HELD, limited(30_000))));
    expect(await stored(redis)).toMatchObject({
      state: { learned: { capacity: 9 }, breaker: { reason: 'pause', failures: 1 } },
    });
  });

  it('learn a window together: what one is answered and another refused', async () => {
    const redis = await startRedis();
    const all = (await processes(4, redis, SLOW)).map(({ limiter }) => limiter);
    const held: { limiter: Limiter; permit: Permit }[] = [];
    for (const limiter of [...all, ...all, ...all]) {
      const permit = await permitOf(limiter);
      if (permit) held.push({ limiter, permit });
    }
    expect(held).toHaveLength(12);
    // Of the same moment, and the refusals come first.
    await Promise.all(held.slice(PER_MINUTE).map(({ limiter, permit }) => limiter.release(permit, limited(30_000))));
    await Promise.all(held.slice(0, PER_MINUTE).map(({ limiter, permit }) => limiter.release(permit, ANSWERED)));
    expect(await stored(redis)).toMatchObject({
      state: { learned: { window: PER_MINUTE }, breaker: { reason: 'pause', failures: 1 } },
    });
    for (const limiter of all) {
      await expect.poll(() => limiter.view().learned).toEqual({ window: PER_MINUTE, capacity: undefined });
    }
  });

  it('keep to a window together, however often they ask, and one that joins later, too', async () => {
    const redis = await startRedis();
    const learned = { ...NOTHING_LEARNED, window: PER_MINUTE, inFlight: 20, pace: `${60_000 / PER_MINUTE} ${TOKENS}` };
    const initial = { ...INITIAL_LIMITER_STATE, learned };
    const join = () => SharingProcess.joined(redis, { setting: SLOW, initial, answerTimeoutMs: 10_000 });
    const all = await Promise.all([join(), join(), join()]);
    let permits = 0;
    const tryHard = async ({ limiter }: SharingProcess) => {
      for (let tries = 0; tries < 20; tries++) {
        const permit = await permitOf(limiter);
        if (!permit) continue;
        permits++;
        await sleep(10);
        await limiter.release(permit, ANSWERED);
      }
    };
    await Promise.all(all.flatMap((one) => [tryHard(one), tryHard(one)]));
    await tryHard(await join());
    expect(permits).toBe(PER_MINUTE);
  });

  it('lose no change when four change at once', async () => {
    const redis = await startRedis();
    const all = (await processes(4, redis, SLOW)).map(({ limiter }) => limiter);
    const sentAtMs = Date.now() - 1_000;
    let remaining = 800;
    for (let round = 0; round < 10; round++) {
      for (const limiter of all) limiter.observe({ ...reading(--remaining, HOUR_MS), sentAtMs });
      await Promise.all(all.map(async (limiter) => limiter.release(NOT_HELD, ANSWERED)));
      expect((await stored(redis))?.state.quota.remaining).toBe(remaining);
    }
  });

  it('publish any number of changes with two commands while the first is under way', async () => {
    const redis = await startRedis();
    const [one] = await processes(1, redis, SLOW);
    await ask(one.limiter);
    await one.processesAlive.leave(); // so that no heartbeat comes between
    const commands = vi.spyOn(one.link, 'run');
    const changes = Array.from({ length: 100 }, (_, index) => {
      one.limiter.observe(reading(900 - index, HOUR_MS));
      return one.limiter.release(NOT_HELD, index < 97 ? ANSWERED : DOWN);
    });
    await Promise.all(changes);
    expect(commands.mock.calls.length).toBeLessThanOrEqual(2);
    expect((await stored(redis))?.state).toMatchObject({
      quota: { remaining: 801 },
      breaker: { failures: 1 }, // those that come together are one hiccup
    });
  });

  it('learn what one was answered, and notify their listeners, before they ask for a permit', async () => {
    const [{ limiter: one }, { limiter: other }] = await processes(2, await startRedis(), SLOW);
    const notified = vi.fn();
    await ask(other);
    other.onChange(() => notified(other.view().refusalFor('members')?.reason));
    one.observe(reading(0, HOUR_MS));
    await ask(one);
    await expect.poll(() => notified.mock.lastCall).toEqual(['day']);
    expect(other.quota()).toMatchObject({ limit: 1_000, remaining: 0 });
  });

  it('send another probe when the process that sent the first died', async () => {
    const [one, other] = await processes(2, await startRedis(), QUICK);
    await ask(one.limiter, limited(300));
    expect(await nextPermit(one.limiter)).toMatchObject({ probe: true });
    one.die();
    expect(await permitOf(other.limiter)).toBeUndefined();
    expect(await nextPermit(other.limiter)).toMatchObject({ probe: true });
  });

  it('work with clocks that differ by minutes', async () => {
    const redis = await startRedis();
    const machines = [0, 5 * 60_000, -5 * 60_000];
    const on = <T>(machine: number, work: () => T): T => onMachineAhead(machines[machine] ?? 0, work);
    const all = await Promise.all(
      machines.map((_, machine) => on(machine, () => SharingProcess.joined(redis, { setting: QUICK }))),
    );
    const limiters = all.map(({ limiter }) => limiter);
    const inTheirTime = <T>(work: (limiter: Limiter) => Promise<T>): Promise<T[]> =>
      Promise.all(limiters.map((limiter, machine) => on(machine, () => work(limiter))));

    await on(1, () => ask(limiters[1] as Limiter, limited(2_000)));
    const waits = await inTheirTime(async (limiter) => {
      const got = await limiter.acquire('members');
      return got.kind === 'wait' ? Math.round((got.untilMs - Date.now()) / 2_000) : got;
    });
    expect(waits).toEqual([1, 1, 1]);

    const probes: Permit[] = [];
    const anyProbe = async (): Promise<number> => {
      probes.push(...(await inTheirTime((limiter) => permitOf(limiter))).filter((permit) => permit !== undefined));
      return probes.length;
    };
    await expect.poll(anyProbe).toBe(1);
    for (let tries = 0; tries < 5; tries++) expect(await anyProbe()).toBe(1);
  });

  it('leave no key in Redis without an expiry', async () => {
    const redis = await startRedis();
    const [one] = await processes(1, redis, SLOW);
    await ask(one.limiter);
    const client = await clientOf(redis);
    const ttls = await Promise.all((await client.keys(`${redis.prefix}:*`)).map((key) => client.pTTL(key)));
    expect(ttls.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...ttls)).toBeGreaterThan(0);
  });
});

describe('when the state in Redis', () => {
  it('is lost, no process gets a new burst, not even with one that started since, and what they know is written again', async () => {
    const redis = await startRedis();
    const [{ limiter: one }, { limiter: other }] = await processes(2, redis, SLOW);
    const client = await clientOf(redis);
    await drain(one);
    one.observe(reading(700, HOUR_MS));
    await one.acquire('members');
    await other.acquire('members');
    await client.unlink(await client.keys(`${redis.prefix}:*`));
    const { limiter: newcomer } = await SharingProcess.joined(redis, { setting: SLOW, answerTimeoutMs: 10_000 });
    await ask(newcomer);
    expect([await drain(other), await drain(one), await drain(newcomer)]).toEqual([0, 0, 0]);
    expect((await stored(redis))?.state.quota.remaining).toBe(699); // the newcomer's request was answered without a figure
  });

  it.each<[string, (limiter: Limiter) => Promise<unknown>]>([
    ['a permit is acquired', (limiter) => limiter.acquire('members')],
    ['nothing happens', async () => {}],
  ])('is lost before %s, a breaker that is open for the day stays open', async (_, next) => {
    const redis = await startRedis();
    const [one] = await processes(1, redis, SLOW);
    one.limiter.observe(reading(0, HOUR_MS));
    await ask(one.limiter);
    const client = await clientOf(redis);
    await client.unlink(await client.keys(`${redis.prefix}:*`));
    await next(one.limiter);
    await expect.poll(async () => (await stored(redis))?.state.breaker.reason).toBe('day');
    expect(one.limiter.view().refusalFor('members')).toMatchObject({ reason: 'day' });
  });

  it('is invalid, it is replaced, which is logged once', async () => {
    const redis = await startRedis();
    const [one] = await processes(1, redis, SLOW);
    await ask(one.limiter);
    await store(redis, '{"breaker":"nonsense"}');
    await one.limiter.acquire('members');
    await one.limiter.acquire('members');
    expect(await stored(redis)).toMatchObject({ state: { breaker: { state: 'closed' } } });
    expect(one.log.lines.filter(({ level }) => level === WARN)).toHaveLength(1);
  });

  it('is of a time to come, because its clock was set back, a pause lasts no longer', async () => {
    const redis = await startRedis();
    const [one, other] = await processes(2, redis, SLOW);
    await ask(one.limiter, limited(2_000));
    const { state } = (await stored(redis)) ?? {};
    state.breaker.sinceMs += HOUR_MS;
    state.breaker.untilMs += HOUR_MS;
    await store(redis, JSON.stringify(state));
    const startMs = Date.now();
    const probe = await Promise.any([one, other].map(({ limiter }) => nextPermit(limiter)));
    expect(probe).toMatchObject({ probe: true });
    expect(Date.now() - startMs).toBeGreaterThan(1_000);
  });

  it('keeps changing, a process continues isolated, and joins again afterwards', async () => {
    const redis = await startRedis();
    const [one, other] = await processes(2, redis, SLOW);
    const client = await clientOf(redis);
    const key = `${redis.prefix}:${LIMITER_KEY}`;
    await ask(one.limiter);
    await client.unlink(key);
    await client.lPush(key, 'of another type');
    await ask(one.limiter, limited(20_000));
    expect(one.limiter.view().paused).toBe(true);
    await client.unlink(key);
    await expect.poll(async () => (await stored(redis))?.state.breaker.reason).toBe('pause');
    await expect.poll(() => other.limiter.view().paused).toBe(true);
  });
});
