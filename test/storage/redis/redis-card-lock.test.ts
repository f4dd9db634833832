import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NO_CARD_LOCK } from '../../../src/lookup/lookup-requests.ts';
import { RedisCardLock } from '../../../src/storage/redis/redis-card-lock.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { logLines } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';

const PATIENCE = { timeout: 10_000, interval: 20 };
/** Short enough to see it end, long beside what a busy machine holds up a renewal. */
const TIMES = { leaseSeconds: 2, renewEveryMs: 200 };
/** Longer than any test: what is free was given back. */
const LONG = { leaseSeconds: 600, renewEveryMs: 60_000 };
const NEVER_RENEWED = { ...TIMES, renewEveryMs: 3_600_000 };

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});

async function join({ url, prefix }: Pick<TestRedis, 'url' | 'prefix'>, times = LONG) {
  const { log, lines } = logLines();
  const link = new RedisLink({ url, prefix, log });
  onFinished(() => link.close());
  await link.opened(10_000);
  return { link, lines, cardLock: new RedisCardLock(link, prefix, times) };
}

/** Two processes. */
async function two(times = LONG) {
  const reservation = { url: redis.url, prefix: `${redis.prefix}:${crypto.randomUUID()}` };
  const [one, other] = [await join(reservation, times), await join(reservation, times)];
  return { one: one.cardLock, other: other.cardLock };
}

describe('the lock of a card', () => {
  it('is always acquired by a process that shares its quota with no other', async () => {
    expect([await NO_CARD_LOCK.acquire('a'), await NO_CARD_LOCK.acquire('a')]).toEqual([true, true]);
  });

  it('is acquired by one of many at once', async () => {
    const { one, other } = await two();
    const got = await Promise.all([one, other, one, other].map((cardLock) => cardLock.acquire('a')));
    expect(got.filter(Boolean)).toHaveLength(1);
  });

  it('is one per card', async () => {
    const { one, other } = await two();
    expect([await one.acquire('a'), await other.acquire('b')]).toEqual([true, true]);
  });

  it('can be acquired as soon as it is released, however often it was refused', async () => {
    const { one, other } = await two();
    await one.acquire('a');
    for (let time = 0; time < 5; time++) expect(await other.acquire('a')).toBe(false);
    await one.release('a');
    expect(await other.acquire('a')).toBe(true);
    expect(await one.acquire('a')).toBe(false);
  });

  it('is not released by a process that does not hold it', async () => {
    const { one, other } = await two();
    await one.acquire('a');
    await other.acquire('a');
    await other.release('a');
    expect(await other.acquire('a')).toBe(false);
  });

  it('is renewed while its process lives', async () => {
    const { one, other } = await two(TIMES);
    await one.acquire('a');
    const untilMs = performance.now() + TIMES.leaseSeconds * 1_500;
    while (performance.now() < untilMs) {
      expect(await other.acquire('a')).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await one.release('a');
    expect(await other.acquire('a')).toBe(true);
  });

  it('ends with its process, after its time and not before', async () => {
    const { one, other } = await two(NEVER_RENEWED);
    await one.acquire('a');
    expect(await other.acquire('a')).toBe(false);
    await expect.poll(() => other.acquire('a'), PATIENCE).toBe(true);
  });

  it('is not released by a process that has lost it without notice', async () => {
    const { one, other } = await two(NEVER_RENEWED);
    await one.acquire('a');
    await expect.poll(() => other.acquire('a'), PATIENCE).toBe(true);
    await one.release('a');
    expect(await one.acquire('a')).toBe(false);
  });

  it('leaves no timer behind', async () => {
    const { one } = await two(TIMES);
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    for (const cardId of ['a', 'b']) await one.acquire(cardId);
    for (const cardId of ['a', 'b']) await one.release(cardId);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

describe.skipIf(noRealRedis('card locks while Redis is unavailable'))('while Redis', () => {
  it.each(['is gone', 'hangs'])('%s every process acquires it, and none logs anything of its own', async (how) => {
    const server = await startRealRedis();
    const [one, other] = [await join(server), await join(server)];
    onTestFinished(() => server.resume());
    await one.cardLock.acquire('held');
    if (how === 'is gone') await server.kill();
    else server.pause();
    for (const { cardLock } of [one, other, one, other]) expect(await cardLock.acquire('a')).toBe(true);
    for (const { cardLock } of [one, other]) await cardLock.release('a');
    await one.cardLock.release('held');
    for (const { lines } of [one, other]) expect(lines.length).toBeLessThanOrEqual(1); // the link's own
  });

  it('restarts empty, a process keeps the lock that it holds', async () => {
    const server = await startRealRedis();
    const [one, other] = [await join(server, TIMES), await join(server, TIMES)];
    await one.cardLock.acquire('a');
    await server.kill();
    await server.startEmpty();
    for (const { link } of [one, other]) await expect.poll(() => link.health, PATIENCE).toBe('usable');
    const key = `${server.prefix}:lease:a`;
    await expect.poll(() => other.link.read((client) => client.get(key)), PATIENCE).toBe('1');
    expect(await other.cardLock.acquire('a')).toBe(false);
  });
});
