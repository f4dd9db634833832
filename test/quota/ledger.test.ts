import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WATCHES_REQUESTER } from '../../src/model/quota.ts';
import { type CounterStore, Ledger } from '../../src/quota/ledger.ts';
import { RedisCounters } from '../../src/storage/redis/counters.ts';
import type { RedisHealth, RedisLink } from '../../src/storage/redis/link.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay } from '../../src/time/utc-day.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { clientOf, startRealRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { openedLink } from '../support/redis-link.ts';
import { inFiles, PLACES } from '../support/stores.ts';

/** Just before the next midnight: Redis would at once forget what is booked on a day long ago. */
const LATE_MS = nextUtcMidnightMs(Date.now()) - 1_000;
const ALICE = { memberId: 'alice', guildId: 'guild' };
const BOB = { memberId: 'bob', guildId: 'guild' };
const ALICE_ELSEWHERE = { memberId: 'alice', guildId: 'other' };
const ALICE_IN_PRIVATE = { memberId: 'alice', guildId: undefined };

beforeEach(() => {
  vi.useFakeTimers({ now: LATE_MS, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('the ledger is written at each request and refusal, and a second after what was saved', () => {
  vi.useFakeTimers();
  const counters = { add: vi.fn(), write: vi.fn(async () => {}) } as unknown as CounterStore;
  const ledger = new Ledger(counters);
  const written = (act: () => unknown) => {
    vi.mocked(counters.write).mockClear();
    act();
    return vi.mocked(counters.write).mock.calls.length;
  };
  const booking = ledger.spent(ALICE);
  expect([written(() => ledger.spent(BOB)), written(() => ledger.refused(booking))]).toEqual([1, 1]);
  expect(written(() => ledger.saved(ALICE))).toBe(0);
  expect(written(() => vi.advanceTimersByTime(999))).toBe(0);
  expect(written(() => vi.advanceTimersByTime(1))).toBe(1);
  ledger.saved(BOB);
  expect([written(() => ledger.spent(ALICE)), written(() => vi.advanceTimersByTime(1_000))]).toEqual([1, 0]);
});

describe.each(PLACES)('the ledger %s', (_, place) => {
  it('counts requests and what was saved, across restarts', async () => {
    const open = await place();
    const { ledger } = await open();
    ledger.spent(ALICE);
    ledger.saved(ALICE);
    ledger.saved(BOB);
    await ledger.close();
    const { ledger: next } = await open();
    next.spent(BOB);
    expect(await next.today()).toEqual({ requests: 2, refused: 0, saved: 2 });
  });

  it('counts the requests to each card service by themselves; what is kept about a member is all of it', async () => {
    const open = await place();
    const { ledger: before } = await open();
    before.spent(ALICE);
    before.saved(BOB);
    await before.close();
    const { ledger: other } = await open('abc');
    expect(await other.today()).toEqual({ requests: 0, refused: 0, saved: 0 });
    other.spent(ALICE);
    other.spent(ALICE_IN_PRIVATE);
    other.saved(ALICE);
    await other.close();
    expect((await other.memberToday('alice')).requests).toBe(2);
    expect((await other.guildToday(ALICE)).requests).toBe(1);
    expect(await other.topMembers(ALICE, 5)).toEqual([{ memberId: 'alice', requests: 1 }]);
    expect((await other.hours()).at(-1)).toEqual({ requests: 2, saved: 1 });

    const { ledger: again } = await open();
    expect((await again.memberToday('alice')).requests).toBe(1);
    expect(await again.counters.keptOf('alice')).toEqual({ days: 1, requests: 3, saved: 1 });
    expect(await again.counters.deleteDays('alice', utcDay(LATE_MS))).toBe(true);
    expect(await again.counters.keptOf('alice')).toEqual({ days: 0, requests: 0, saved: 0 });
    expect(await other.topMembers(ALICE, 5)).toEqual([]);
    expect((await again.guildToday(ALICE_IN_PRIVATE)).requests).toBe(0);
    expect(await again.counters.keptOf('bob')).toMatchObject({ saved: 1 });
  });

  it('counts by hour of the day, across restarts; a refusal is taken back', async () => {
    const noonMs = LATE_MS - (LATE_MS % 86_400_000) + 12 * 3_600_000;
    vi.setSystemTime(noonMs + 1);
    const open = await place();
    const { ledger } = await open();
    ledger.spent(ALICE);
    ledger.refused(ledger.spent(BOB));
    ledger.saved(BOB);
    await ledger.close();
    vi.setSystemTime(noonMs + 2 * 3_600_000);
    const { ledger: next } = await open();
    next.spent(ALICE_ELSEWHERE);
    next.saved(ALICE_IN_PRIVATE);
    next.saved(ALICE);
    const idle = { requests: 0, saved: 0 };
    expect(await next.hours()).toEqual([
      ...Array(12).fill(idle),
      { requests: 1, saved: 1 },
      idle,
      { requests: 1, saved: 2 },
    ]);
  });

  it('has what was sent for watches apart', async () => {
    const { ledger } = await (await place())();
    ledger.spent(ALICE);
    ledger.spent(WATCHES_REQUESTER);
    expect(await ledger.watchesToday()).toEqual({ requests: 1, refused: 0, saved: 0 });
    expect((await ledger.hours()).at(-1)).toEqual({ requests: 2, saved: 0 });
  });

  it('counts 429s apart from requests', async () => {
    const { ledger } = await (await place())();
    ledger.spent(ALICE);
    ledger.refused(ledger.spent(ALICE));
    expect(await ledger.memberToday('alice')).toEqual({ requests: 1, refused: 1, saved: 0 });
  });

  it('takes a refused request back from the day it was booked on', async () => {
    const { ledger } = await (await place())();
    const booking = ledger.spent(ALICE);
    vi.setSystemTime(LATE_MS + 1_000);
    ledger.refused(booking);
    expect(await ledger.today()).toEqual({ requests: 0, refused: 0, saved: 0 });
    vi.setSystemTime(LATE_MS);
    expect(await ledger.today()).toEqual({ requests: 0, refused: 1, saved: 0 });
  });

  it('never counts below zero requests', async () => {
    const { ledger } = await (await place())();
    const booking = ledger.spent(ALICE);
    ledger.refused(booking);
    ledger.refused(booking);
    expect(await ledger.today()).toEqual({ requests: 0, refused: 2, saved: 0 });
    expect(await ledger.topMembers(ALICE, 5)).toEqual([]);
  });

  it('books on the member in all servers, and on the server for all members', async () => {
    const { ledger } = await (await place())();
    for (const requester of [ALICE, BOB, ALICE_ELSEWHERE, ALICE_IN_PRIVATE]) ledger.spent(requester);
    expect((await ledger.memberToday('alice')).requests).toBe(3);
    expect((await ledger.guildToday(BOB)).requests).toBe(2);
    expect((await ledger.guildToday(ALICE_IN_PRIVATE)).requests).toBe(1);
  });

  it('books what comes without the install of a server on the member, and on all foreign places together', async () => {
    const open = await place();
    const { ledger } = await open();
    ledger.spent({ ...ALICE, isInstalled: false });
    ledger.spent({ ...ALICE_IN_PRIVATE, channelId: 'group', isInstalled: false });
    ledger.saved({ ...BOB, guildId: 'other', isInstalled: false });
    ledger.spent({ ...ALICE, isInstalled: true });
    await ledger.close();
    const { ledger: next } = await open();
    expect(await next.foreignToday()).toEqual({ requests: 2, refused: 0, saved: 1 });
    expect((await next.guildToday({ ...ALICE_ELSEWHERE, isInstalled: false })).requests).toBe(2);
    expect((await next.guildToday(ALICE)).requests).toBe(1);
    expect((await next.memberToday('alice')).requests).toBe(3);
    expect(await next.counters.deleteDays('alice', new Date(LATE_MS).toISOString().slice(0, 10))).toBe(true);
    expect((await next.memberToday('alice')).requests).toBe(0);
  });

  it('says how much is kept about a member', async () => {
    const open = await place();
    const { ledger } = await open();
    for (const requester of [ALICE, ALICE_IN_PRIVATE, BOB]) ledger.spent(requester);
    ledger.saved(ALICE_ELSEWHERE);
    await ledger.close();
    const { ledger: next } = await open();
    expect(await next.counters.keptOf('alice')).toEqual({ days: 1, requests: 2, saved: 1 });
    expect(await next.counters.keptOf('nobody')).toEqual({ days: 0, requests: 0, saved: 0 });
  });

  it('deletes what it holds about a member of a day and before, and nothing else', async () => {
    const open = await place();
    const { ledger } = await open();
    const today = new Date(LATE_MS).toISOString().slice(0, 10);
    for (const requester of [ALICE, ALICE_IN_PRIVATE, BOB]) ledger.spent(requester);
    ledger.refused(ledger.spent(ALICE_ELSEWHERE));
    ledger.saved(ALICE);
    vi.setSystemTime(LATE_MS + 1_000);
    ledger.spent(ALICE);
    expect(await ledger.counters.deleteDays('alice', today)).toBe(true);
    expect(await ledger.counters.keptOf('alice')).toEqual({ days: 1, requests: 1, saved: 0 });
    vi.setSystemTime(LATE_MS);
    expect(await ledger.memberToday('alice')).toEqual({ requests: 0, refused: 0, saved: 0 });
    expect(await ledger.topMembers(BOB, 5)).toEqual([{ memberId: 'bob', requests: 1 }]);
    expect((await ledger.guildToday(ALICE_IN_PRIVATE)).requests).toBe(0);
  });

  it('lists the members who caused most in a server, most first', async () => {
    const { ledger } = await (await place())();
    for (const requester of [ALICE, BOB, BOB, ALICE_ELSEWHERE, ALICE_ELSEWHERE]) ledger.spent(requester);
    ledger.saved({ memberId: 'carol', guildId: 'guild' });
    expect(await ledger.topMembers(ALICE, 5)).toEqual([
      { memberId: 'bob', requests: 2 },
      { memberId: 'alice', requests: 1 },
    ]);
    expect(await ledger.topMembers(ALICE, 1)).toHaveLength(1);
  });

  it('orders equal members by their ids, across restarts', async () => {
    const open = await place();
    const { ledger } = await open();
    for (const memberId of ['3', '10', '2']) ledger.spent({ memberId, guildId: 'guild' });
    await ledger.close();
    const top = await (await open()).ledger.topMembers(ALICE, 2);
    expect(top.map(({ memberId }) => memberId)).toEqual(['10', '2']);
  });

  it('counts by UTC day', async () => {
    const { ledger } = await (await place())();
    ledger.spent(ALICE);
    for (let times = 0; times < 2; times++) ledger.saved(ALICE); // counted a moment later, which is tomorrow
    vi.setSystemTime(LATE_MS + 1_000);
    ledger.saved(ALICE);
    expect(await ledger.today()).toEqual({ requests: 0, refused: 0, saved: 1 });
    vi.setSystemTime(LATE_MS);
    expect(await ledger.today()).toEqual({ requests: 1, refused: 0, saved: 2 });
  });
});

const NOON_MS = Date.UTC(2026, 10, 20, 12);

describe('the ledger in a file', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOON_MS, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  });

  it('writes what was saved within a second', async () => {
    const { database: kept, ledger } = await (await inFiles())();
    ledger.saved(ALICE);
    vi.advanceTimersByTime(1_000);
    expect(kept.prepare('SELECT saved FROM counts').get()?.saved).toBe(1);
  });

  it('that cannot be written throws nothing', async () => {
    const { database: kept, ledger } = await (await inFiles())();
    kept.close();
    expect(() => {
      ledger.refused(ledger.spent(ALICE));
      ledger.saved(ALICE);
      vi.advanceTimersByTime(1_000);
    }).not.toThrow();
    expect((await ledger.memberToday('alice')).requests).toBe(0);
    expect(await ledger.topMembers(ALICE, 5)).toEqual([]);
    expect(await ledger.hours()).toEqual([]);
    await ledger.close();
  });

  it('keeps 35 days', async () => {
    const open = await inFiles();
    const { database: kept, ledger } = await open();
    ledger.spent(ALICE);
    const rowsAfter = async (days: number) => {
      vi.setSystemTime(NOON_MS + days * DAY_MS);
      await (await open()).ledger.close();
      return kept.prepare('SELECT count(DISTINCT day) AS days FROM counts').get()?.days;
    };
    expect([await rowsAfter(35), await rowsAfter(36)]).toEqual([1, 0]);
  });

  it('deletes a day that is kept no longer some rows at a time, so that no command waits for all of it', async () => {
    const open = await inFiles();
    const { database: kept, ledger } = await open();
    for (let member = 0; member < 1_200; member++) ledger.saved({ memberId: String(member), guildId: 'guild' });
    await ledger.close();
    const rows = () => Number(kept.prepare('SELECT count(*) AS rows FROM counts').get()?.rows);
    const [before, left] = [rows(), [] as number[]];
    vi.setSystemTime(NOON_MS + 36 * DAY_MS);
    const { ledger: next } = await open();
    for (let command = 0; command < 3; command++) {
      await next.memberToday('alice');
      left.push(rows());
    }
    expect([before, ...left]).toEqual([1_202, 702, 202, 0]);
  });

  it('counts on where something else than a number stands', async () => {
    const { database: kept, ledger } = await (await inFiles())();
    ledger.spent(ALICE);
    kept.exec("UPDATE counts SET requests = 'many'; UPDATE hour_starts SET saved = 'few'");
    expect(await ledger.topMembers(ALICE, 5)).toEqual([]);
    ledger.spent(ALICE);
    expect((await ledger.memberToday('alice')).requests).toBe(1);
    expect(await ledger.topMembers(ALICE, 5)).toEqual([{ memberId: 'alice', requests: 1 }]);
    for (const { requests, saved } of await ledger.hours()) expect([requests, saved]).toEqual([expect.any(Number), 0]);
  });
});

function becomes(link: RedisLink, health: RedisHealth): Promise<void> {
  return expect.poll(() => link.health).toBe(health);
}

/** The totals that another process reads. */
async function elsewhere(redis: TestRedis): Promise<Ledger> {
  return new Ledger(new RedisCounters((await openedLink(redis, {})).link));
}

describe('ledgers over one Redis', () => {
  beforeEach(() => vi.useRealTimers());

  it('take back a request that another process has booked', async () => {
    const redis = await startRedis();
    const [one, other] = [await elsewhere(redis), await elsewhere(redis)];
    const booking = one.spent(ALICE);
    await one.close();
    other.refused(booking);
    expect(await other.memberToday('alice')).toEqual({ requests: 0, refused: 1, saved: 0 });
  });

  it('include a request at once, and a saved one within seconds', async () => {
    const redis = await startRedis();
    const [one, other] = [await elsewhere(redis), await elsewhere(redis)];
    one.spent(ALICE);
    await expect.poll(async () => (await other.memberToday('alice')).requests).toBe(1);
    one.saved(ALICE);
    await expect.poll(async () => (await other.memberToday('alice')).saved).toBe(1);
  });

  it('count their own bookings exactly while these are being written', async () => {
    const redis = await startRedis();
    const ledger = await elsewhere(redis);
    for (let requests = 1; requests <= 50; requests++) {
      ledger.spent(ALICE);
      expect((await ledger.memberToday('alice')).requests).toBe(requests);
    }
  });

  it.skipIf(noRealRedis('commands that were counted'))(
    'delete what is kept about a member without reading the names of others',
    async () => {
      const redis = await startRealRedis();
      const client = await clientOf(redis);
      const ledger = await elsewhere(redis);
      for (const memberId of ['bob', 'carol', 'alice']) ledger.spent({ memberId, guildId: 'guild' });
      await ledger.close();
      await client.configResetStat();
      expect(await ledger.counters.deleteDays('alice', utcDay(Date.now()))).toBe(true);
      const sent = (await client.info('commandstats')).matchAll(/^cmdstat_([^:|]+)/gm);
      const ofLedger = [...sent].map(([, name]) => name ?? '').filter((name) => /^[hsz]/.test(name));
      expect(ofLedger.sort()).toEqual(['hdel', 'smembers', 'srem', 'zrem']);
      expect((await client.keys(`${redis.prefix}:*`)).filter((key) => key.includes('alice'))).toEqual([]);
      expect((await ledger.today()).requests).toBe(3);
    },
  );

  it('use their prefix, and expire 35 days after their day', async () => {
    const redis = await startRedis();
    const client = await clientOf(redis);
    const ledger = await elsewhere(redis);
    ledger.spent(ALICE);
    ledger.saved(BOB);
    await ledger.close();

    const keys = await client.keys(`${redis.prefix}:ledger:*`);
    const daysLeft = await Promise.all(keys.map(async (key) => (await client.pTTL(key)) / 86_400_000));
    expect(keys).toHaveLength(3);
    expect(daysLeft.every((days) => days > 35 && days <= 37)).toBe(true);
    const another = { ...redis, prefix: `${redis.prefix}:${randomUUID()}` };
    expect(await (await elsewhere(another)).today()).toMatchObject({ saved: 0 });
  });
});

describe.skipIf(noRealRedis('the ledger while Redis is unavailable'))(
  'a ledger whose Redis becomes unavailable',
  () => {
    beforeEach(() => vi.useRealTimers());

    it('counts nothing until Redis is back, and says 0', async () => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const { link } = await openedLink(redis, {});
      const ledger = new Ledger(new RedisCounters(link));
      for (let i = 0; i < 5; i++) ledger.spent(ALICE);
      expect((await ledger.today()).requests).toBe(5);
      await ledger.topMembers(ALICE, 1); // which writes

      await redis.kill();
      await becomes(link, 'unavailable');
      ledger.spent(ALICE);
      expect(await ledger.today()).toEqual({ requests: 0, refused: 0, saved: 0 });
      expect(await ledger.topMembers(ALICE, 1)).toEqual([]);

      await redis.start();
      await becomes(link, 'usable');
      await ledger.close();
      expect((await ledger.today()).requests).toBe(5);
      expect((await (await elsewhere(redis)).today()).requests).toBe(5);
    });

    it('never counts twice what Redis stored without an answer', async () => {
      const redis = await startRealRedis();
      const { link } = await openedLink(redis, {});
      const ledger = new Ledger(new RedisCounters(link));
      ledger.spent(ALICE);
      expect((await ledger.today()).requests).toBe(1);

      redis.pause();
      ledger.spent(ALICE); // arrives, and is stored when Redis continues
      await becomes(link, 'unavailable');
      redis.resume();
      await becomes(link, 'usable');
      await ledger.close();

      expect((await (await elsewhere(redis)).today()).requests).toBe(2);
      expect((await ledger.today()).requests).toBe(2);
    });

    it('says what was counted while Redis refuses writes', async () => {
      const redis = await startRealRedis();
      const admin = await clientOf(redis);
      const { link } = await openedLink(redis, {});
      const ledger = new Ledger(new RedisCounters(link));
      const other = await elsewhere(redis);
      other.spent(BOB);
      await other.close();

      await admin.configSet('maxmemory', '1');
      await becomes(link, 'readable');
      expect((await ledger.today()).requests).toBe(1);
    });

    it('starts anew with a Redis that lost its data', async () => {
      const redis = await startRealRedis();
      const { link } = await openedLink(redis, {});
      const ledger = new Ledger(new RedisCounters(link));
      const other = await elsewhere(redis);
      for (let i = 0; i < 5; i++) ledger.spent(ALICE);
      await expect.poll(async () => (await other.today()).requests).toBe(5);

      await redis.kill();
      await becomes(link, 'unavailable');
      await redis.startEmpty();
      await becomes(link, 'usable');

      ledger.spent(ALICE);
      await expect.poll(async () => (await other.today()).requests).toBe(1);
    });
  },
);
