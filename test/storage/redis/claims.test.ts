import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Claims, LocalClaims } from '../../../src/model/claims.ts';
import { RedisClaims } from '../../../src/storage/redis/claims.ts';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { linkTo, type RedisAddress } from '../../support/redis-link.ts';

/** Longer than any test: what is free was released. */
const LONG = { ttlMs: 600_000, endsWithOwner: true };
/** Short enough to see it end. */
const SHORT = { ttlMs: 300, endsWithOwner: true };
const HELD = { heldForMs: expect.any(Number) };
const HEARTBEATS = { everyMs: 50, deadAfterMs: 1_000 };
/** To whom no silence makes others dead. */
const PATIENT = { ...HEARTBEATS, deadAfterMs: 600_000 };

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});

async function join(redis: RedisAddress, patience?: { answerTimeoutMs?: number }, heartbeats = HEARTBEATS) {
  const { link, lines } = linkTo(redis, patience);
  const processesAlive = new ProcessesAlive(link, heartbeats);
  onFinished(() => processesAlive.leave());
  await link.opened(10_000);
  return { link, lines, processesAlive, claims: new RedisClaims(processesAlive) };
}

function newAddress() {
  return { url: redis.url, prefix: `${redis.prefix}:${crypto.randomUUID()}` };
}

/** Claims as two processes see them. */
async function two(address = newAddress()): Promise<[Claims, Claims]> {
  return [(await join(address)).claims, (await join(address)).claims];
}

it('the claims of one process end on time', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const claims = new LocalClaims();
  expect(await claims.claim('a', SHORT)).toBe('mine');
  expect(await claims.claim('a', SHORT)).toEqual({ heldForMs: 300 });
  vi.advanceTimersByTime(200);
  expect(await claims.claim('a', SHORT)).toEqual({ heldForMs: 100 });
  vi.advanceTimersByTime(100);
  expect(await claims.claim('a', SHORT)).toBe('mine');
});

describe.each<{ over: string; open: () => Promise<[Claims, Claims]> }>([
  {
    over: 'one process',
    open: async () => {
      const claims = new LocalClaims();
      return [claims, claims];
    },
  },
  { over: 'several processes over Redis', open: two },
])('a name that $over want', ({ open }) => {
  it('is claimed by one of many at once, and the others learn when to ask again', async () => {
    const [one, other] = await open();
    const claimed = await Promise.all([one, one, other, other].map((claims) => claims.claim('a', LONG)));
    const refused = claimed.filter((each) => typeof each === 'object');
    expect([claimed.includes('mine'), refused]).toEqual([true, [HELD, HELD, HELD]]);
    for (const { heldForMs } of refused) expect(heldForMs).toBeLessThanOrEqual(LONG.ttlMs);
    expect(await other.claim('b', LONG)).toBe('mine');
  });

  it('can be claimed as soon as its owner releases it, however often it was refused', async () => {
    const [one, other] = await open();
    for (let time = 0; time < 3; time++) {
      expect([await one.claim('a', LONG), await other.claim('a', LONG), await one.claim('a', LONG)]).toEqual([
        'mine',
        HELD,
        HELD,
      ]);
      await one.release('a');
    }
    expect(await other.claim('a', LONG)).toBe('mine');
  });
});

it('processes know how long the queues of the others are, and count none that died, or at once none that left', async () => {
  const address = newAddress();
  const patient = await join(address, {}, PATIENT);
  const [leaves, dies] = [await join(address), await join(address)];
  leaves.processesAlive.tell(3);
  dies.processesAlive.tell(70);
  const lengths = () => patient.processesAlive.lengths().toSorted();
  await expect.poll(lengths).toEqual([3, 70]);
  await leaves.processesAlive.leave();
  await expect.poll(lengths).toEqual([70]);
  const other = await join(address);
  dies.link.close();
  await expect.poll(() => other.processesAlive.lengths()).toEqual([0]);
});

describe('a name that several processes want', () => {
  it('is not released by a process that does not hold it, or has lost it without notice', async () => {
    const [one, other] = await two();
    await one.claim('a', { ...SHORT, ttlMs: 1_500 });
    await other.release('a');
    expect(await other.claim('a', LONG)).toEqual(HELD);
    await expect.poll(() => other.claim('a', LONG)).toBe('mine');
    await one.release('a');
    expect(await one.claim('a', LONG)).toEqual(HELD);
  });

  it('is free when its owner has died or left, and not before, if the claim ends with its owner', async () => {
    const address = newAddress();
    const [dies, leaves, other] = [await join(address), await join(address), await join(address)];
    await dies.claims.claim('a', LONG);
    await leaves.claims.claim('b', LONG);
    await leaves.claims.claim('stays', { ...LONG, endsWithOwner: false });
    await expect.poll(() => other.processesAlive.hasSeenAll).toBe(true);
    for (const name of ['a', 'b']) expect(await other.claims.claim(name, LONG)).toEqual(HELD);

    dies.link.close();
    await leaves.processesAlive.leave();

    expect(await other.claims.claim('b', LONG)).toBe('mine');
    await expect.poll(() => other.claims.claim('a', LONG)).toBe('mine');
    expect(await other.claims.claim('stays', { ...LONG, endsWithOwner: false })).toEqual(HELD);
  });

  it('is not taken from its owner by a process that has just come and knows nobody', async () => {
    const address = newAddress();
    const one = await join(address);
    await one.claims.claim('a', LONG);
    await one.processesAlive.leave();
    const other = await join(address);
    expect(other.processesAlive.hasSeenAll).toBe(false);
    expect(await other.claims.claim('a', LONG)).toEqual(HELD);
  });
});

describe.skipIf(noRealRedis('claims while Redis is unavailable'))('while Redis', () => {
  it('hangs every process claims by itself, and none logs anything of its own', async () => {
    const server = await startRealRedis();
    const [one, other] = [await join(server, {}), await join(server, {})];
    onTestFinished(() => server.resume());
    expect(await one.claims.claim('held', LONG)).toBe('mine');
    server.pause();

    for (const { claims } of [one, other]) {
      expect([await claims.claim('a', LONG), await claims.claim('a', LONG)]).toEqual(['unavailable', HELD]);
    }
    expect([await one.claims.claim('held', LONG), await other.claims.claim('held', LONG)]).toEqual([
      HELD,
      'unavailable',
    ]);
    for (const { claims } of [one, other]) await claims.release('a');
    await one.claims.release('held');
    for (const { lines } of [one, other]) expect(lines.length).toBeLessThanOrEqual(1); // the link's own
  });

  it('was away, what could not be released meanwhile can be claimed again by its owner', async () => {
    const server = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
    const [one, other] = [await join(server, {}), await join(server, {})];
    expect(await one.claims.claim('a', LONG)).toBe('mine');
    await server.kill();
    await one.claims.release('a');
    await server.start();
    for (const { link } of [one, other]) await expect.poll(() => link.health).toBe('usable');
    expect(await one.claims.claim('a', LONG)).toBe('mine');
    expect(await other.claims.claim('a', LONG)).toEqual(HELD);
  });

  it('was away, what was claimed meanwhile stays claimed, and the rest is shared again', async () => {
    const server = await startRealRedis();
    const [one, other] = [await join(server, {}), await join(server, {})];
    await expect.poll(() => one.processesAlive.hasSeenAll).toBe(true);
    await server.kill();
    expect(await one.claims.claim('a', LONG)).toBe('unavailable');
    expect(one.processesAlive.hasSeenAll).toBe(false); // so that it declares none dead once it is back
    expect(one.processesAlive.lengths()).toEqual([]);
    await server.startEmpty();
    for (const { link } of [one, other]) await expect.poll(() => link.health).toBe('usable');
    expect(await one.claims.claim('a', LONG)).toEqual(HELD);
    expect([await one.claims.claim('b', LONG), await other.claims.claim('b', LONG)]).toEqual(['mine', HELD]);
  });
});
