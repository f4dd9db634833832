import { describe, expect, it, vi } from 'vitest';
import { LocalClaims } from '../../../src/model/claims.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import { processOver, UNTIL_DEAD } from '../../support/processes-over-redis.ts';
import { clientIn, startRedis } from '../../support/redis.ts';

/** Longer than any test: what is free was released. */
const LONG = { ttlMs: 600_000, endsWithOwner: true };
/** Short enough to see it end. */
const SHORT = { ttlMs: 300, endsWithOwner: true };
const HELD = { heldForMs: expect.any(Number) };

/** Processes that share a Redis. */
async function three() {
  const redis = await startRedis();
  return Promise.all([processOver(redis), processOver(redis), processOver(redis)]);
}

it('the claims of one process end on time', async () => {
  fakeTimers({ toFake: ['performance'] });
  const claims = new LocalClaims();
  expect(await claims.claim('a', SHORT)).toBe('mine');
  expect(await claims.claim('a', SHORT)).toEqual({ heldForMs: 300 });
  vi.advanceTimersByTime(200);
  expect(await claims.claim('a', SHORT)).toEqual({ heldForMs: 100 });
  vi.advanceTimersByTime(100);
  expect(await claims.claim('a', SHORT)).toBe('mine');
});

describe.each([
  ['one process', async () => Array(2).fill(new LocalClaims())],
  ['several processes over Redis', async () => (await three()).map(({ claims }) => claims)],
])('a name that %s want', (_, open) => {
  it('is claimed by one of many at once, and the others learn when to ask again', async () => {
    const [one, other] = await open();
    const claimed = await Promise.all([one, one, other, other].map((claims) => claims.claim('a', LONG)));
    const refused = claimed.filter((each) => typeof each === 'object');
    expect([claimed.includes('mine'), refused]).toEqual([true, [HELD, HELD, HELD]]);
    const inRange = (ms: number) => ms > LONG.ttlMs / 2 && ms <= LONG.ttlMs;
    expect(refused.every(({ heldForMs }) => inRange(heldForMs))).toBe(true);
    expect(await other.claim('b', LONG)).toBe('mine');
  });

  it('can be claimed as soon as its owner releases it, however often it was refused', async () => {
    const [one, other] = await open();
    for (let time = 0; time < 3; time++) {
      const claimed = [await one.claim('a', LONG), await other.claim('a', LONG), await one.claim('a', LONG)];
      expect(claimed).toEqual(['mine', HELD, HELD]);
      await one.release('a');
    }
    expect(await other.claim('a', LONG)).toBe('mine');
  });
});

it('processes know how long the queues of the others are, and count none that died, or at once none that left', async () => {
  const [patient, leaves, dies] = await three();
  leaves.processes.tell(3);
  dies.processes.tell(70);
  for (const each of [leaves, dies, patient]) await each.looks();
  expect(patient.processes.lengths().toSorted()).toEqual([3, 70]);
  await leaves.processes.leave();
  await patient.looks();
  expect(patient.processes.lengths()).toEqual([70]);
  await patient.looks(UNTIL_DEAD);
  expect(patient.processes.lengths()).toEqual([]);
});

it('a process that is only busy is not dead to one that has to connect again and again', async () => {
  const [one, busy] = await three();
  await busy.looks();
  await one.looks(2);
  for (let connections = 0; connections < UNTIL_DEAD; connections++) await one.processes.look({ isEarly: true });
  expect(one.processes.isDead(busy.processes.id)).toBe(false);
  await one.looks(UNTIL_DEAD - 2);
  expect(one.processes.isDead(busy.processes.id)).toBe(true);
});

it('of what another program told in the place of processes, nothing is of nobody', async () => {
  const [{ link, lines, looks, processes }] = await three();
  await (await clientIn(link)).hSet(`${link.prefix}:processes`, { another: 'now', third: '' });
  await looks(UNTIL_DEAD);
  expect(['another', 'third', processes.id].map((id) => processes.isDead(id))).toEqual([true, true, false]);
  expect([processes.lengths(), lines]).toEqual([[], []]);
});

describe('a name that several processes want', () => {
  it('is not released by a process that does not hold it, or has lost it without notice', async () => {
    const [{ claims: one }, { claims: other }] = await three();
    await one.claim('a', { ...SHORT, ttlMs: 1_500 });
    await other.release('a');
    expect(await other.claim('a', LONG)).toEqual(HELD);
    await expect.poll(() => other.claim('a', LONG)).toBe('mine');
    await one.release('a');
    expect(await one.claim('a', LONG)).toEqual(HELD);
  });

  it('is free when its owner has died or left, and not before, if the claim ends with its owner', async () => {
    const [dies, leaves, other] = await three();
    await dies.claims.claim('a', LONG);
    await leaves.claims.claim('b', LONG);
    await leaves.claims.claim('stays', { ...LONG, endsWithOwner: false });
    for (const each of [dies, leaves]) await each.looks();
    await other.looks();
    // It has just come, and may declare nobody dead.
    for (const name of ['a', 'b']) expect(await other.claims.claim(name, LONG)).toEqual(HELD);
    await leaves.processes.leave();
    expect(await other.claims.claim('b', LONG)).toEqual(HELD);
    await other.looks(UNTIL_DEAD);
    for (const name of ['b', 'a']) expect(await other.claims.claim(name, LONG)).toBe('mine');
    expect(await other.claims.claim('stays', { ...LONG, endsWithOwner: false })).toEqual(HELD);
  });
});

describe('while Redis', () => {
  it('is away every process claims by itself, and what it claimed stays its own', async () => {
    const [one, other] = await three();
    expect(await one.claims.claim('held', LONG)).toBe('mine');
    for (const { part, claims } of [one, other]) {
      part(true);
      expect([await claims.claim('a', LONG), await claims.claim('a', LONG)]).toEqual(['unavailable', HELD]);
    }
    expect([await one.claims.claim('held', LONG), await other.claims.claim('held', LONG)]).toEqual([
      HELD,
      'unavailable',
    ]);
    for (const { claims, lines } of [one, other]) {
      await claims.release('a');
      expect(lines).toEqual([]);
    }
  });

  it('was away, what could not be released meanwhile can be claimed again by its owner', async () => {
    const [one, other] = await three();
    expect(await one.claims.claim('a', LONG)).toBe('mine');
    one.part(true);
    await one.claims.release('a');
    one.part(false);
    expect(await one.claims.claim('a', LONG)).toBe('mine');
    expect(await other.claims.claim('a', LONG)).toEqual(HELD);
  });

  it('was away, what was claimed meanwhile stays claimed, the rest is shared again, and nobody is dead', async () => {
    const [one, other] = await three();
    other.processes.tell(1);
    for (let look = 0; look < UNTIL_DEAD; look++) for (const each of [other, one]) await each.looks();
    expect(one.processes.lengths()).toEqual([1]);
    one.part(true);
    await one.looks();
    expect(await one.claims.claim('a', LONG)).toBe('unavailable');
    // So that it declares none dead once it is back.
    expect([one.processes.isDead(other.processes.id), one.processes.lengths()]).toEqual([false, []]);
    const { prefix } = other.link;
    const client = await clientIn(other.link);
    await client.unlink(await client.keys(`${prefix}:*`));
    one.part(false);
    expect(await one.claims.claim('a', LONG)).toEqual(HELD);
    expect([await one.claims.claim('b', LONG), await other.claims.claim('b', LONG)]).toEqual(['mine', HELD]);
  });
});
