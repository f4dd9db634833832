import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NO_CARD_LOCK } from '../../../src/lookup/card-lock.ts';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { RedisLocks, redisCardLock } from '../../../src/storage/redis/redis-locks.ts';
import { logLines } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';

const PATIENCE = { timeout: 60_000, interval: 20 };
/** Longer than any test: what is free was given back. */
const LONG_MS = 600_000;
/** Short enough to see it end. */
const SHORT_MS = 300;
const HEARTBEATS = { everyMs: 50, deadAfterMs: 1_000 };

/** Of the bot; elsewhere a busy machine is no outage. */
const QUICK = { answerTimeoutMs: 250 };

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});

async function join(
  { url, prefix }: Pick<TestRedis, 'url' | 'prefix'>,
  { ttlMs = LONG_MS, answerTimeoutMs = 10_000 } = {},
) {
  const { log, lines } = logLines();
  const link = new RedisLink({ url, prefix, log, answerTimeoutMs });
  onFinished(() => link.close());
  const processesAlive = new ProcessesAlive(link, prefix, 1, HEARTBEATS);
  onFinished(() => processesAlive.leave());
  await link.opened(10_000);
  const locks = new RedisLocks(processesAlive, prefix);
  return { link, lines, processesAlive, locks, cardLock: redisCardLock(locks, 'account', ttlMs) };
}

function newAddress() {
  return { url: redis.url, prefix: `${redis.prefix}:${crypto.randomUUID()}` };
}

/** Two processes. */
async function two(ttlMs = LONG_MS) {
  const address = newAddress();
  const [one, other] = [await join(address, { ttlMs }), await join(address, { ttlMs })];
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

  it('ends by itself', async () => {
    const { one, other } = await two(SHORT_MS);
    await one.acquire('a');
    await expect.poll(() => other.acquire('a'), PATIENCE).toBe(true);
  });

  it('is not released by a process that has lost it without notice', async () => {
    const address = newAddress();
    const [one, other] = [await join(address, { ttlMs: SHORT_MS }), await join(address)];
    await one.cardLock.acquire('a');
    await expect.poll(() => other.cardLock.acquire('a'), PATIENCE).toBe(true);
    await one.cardLock.release('a');
    expect(await one.cardLock.acquire('a')).toBe(false);
  });

  it('is free when its process has died or left, and not before', async () => {
    const address = newAddress();
    const [dies, leaves, other] = [await join(address), await join(address), await join(address)];
    await dies.cardLock.acquire('a');
    await leaves.cardLock.acquire('b');
    await expect.poll(() => other.processesAlive.hasSeenAll, PATIENCE).toBe(true);
    for (const cardId of ['a', 'b']) expect(await other.cardLock.acquire(cardId)).toBe(false);

    dies.link.close();
    await leaves.processesAlive.leave();

    expect(await other.cardLock.acquire('b')).toBe(true);
    await expect.poll(() => other.cardLock.acquire('a'), PATIENCE).toBe(true);
  });

  it('is not taken from its process by one that has just come and knows nobody', async () => {
    const address = newAddress();
    const one = await join(address);
    await one.cardLock.acquire('a');
    await one.processesAlive.leave();
    const other = await join(address);
    expect(other.processesAlive.hasSeenAll).toBe(false);
    expect(await other.cardLock.acquire('a')).toBe(false);
  });
});

describe.skipIf(noRealRedis('card locks while Redis is unavailable'))('while Redis', () => {
  it.each(['is gone', 'hangs'])('%s every process acquires it, and none logs anything of its own', async (how) => {
    const server = await startRealRedis();
    const [one, other] = [await join(server, QUICK), await join(server, QUICK)];
    onTestFinished(() => server.resume());
    await one.cardLock.acquire('held');
    if (how === 'is gone') await server.kill();
    else server.pause();
    for (const { cardLock } of [one, other, one, other]) expect(await cardLock.acquire('a')).toBe(true);
    for (const { cardLock } of [one, other]) await cardLock.release('a');
    await one.cardLock.release('held');
    for (const { lines } of [one, other]) expect(lines.length).toBeLessThanOrEqual(1); // the link's own
  });
});
