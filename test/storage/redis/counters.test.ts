import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/quota/ledger.ts';
import { RedisCounters } from '../../../src/storage/redis/counters.ts';
import type { RedisHealth, RedisLink } from '../../../src/storage/redis/link.ts';
import { utcDay } from '../../../src/time/utc-day.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { clientOf, startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { linkTo, openedLink } from '../../support/redis-link.ts';

const ALICE = { memberId: 'alice', guildId: 'guild' };
const BOB = { memberId: 'bob', guildId: 'guild' };

function becomes(link: RedisLink, health: RedisHealth): Promise<void> {
  return expect.poll(() => link.health).toBe(health);
}

/** The totals that another process reads. */
async function elsewhere(redis: TestRedis): Promise<Ledger> {
  return new Ledger(new RedisCounters((await openedLink(redis, {})).link));
}

describe('ledgers over one Redis', () => {
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
    it('returns what it read last, and writes what was booked meanwhile once Redis is back', async () => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const { link } = await openedLink(redis, {});
      const ledger = new Ledger(new RedisCounters(link));
      const other = await elsewhere(redis);
      for (let i = 0; i < 5; i++) ledger.spent(ALICE);
      await expect.poll(async () => (await other.today()).requests).toBe(5);
      expect(await ledger.topMembers(ALICE, 5)).toHaveLength(1);
      await Promise.all([ledger.today(), ledger.memberToday('alice')]);

      await redis.kill();
      await becomes(link, 'unavailable');
      ledger.spent(ALICE);
      ledger.spent(BOB);
      expect(await ledger.today()).toEqual({ requests: 7, refused: 0, saved: 0 });
      expect((await ledger.memberToday('alice')).requests).toBe(6);
      expect(await ledger.topMembers(ALICE, 1)).toEqual([]);

      await redis.start();
      await becomes(link, 'usable');
      await ledger.close();
      expect(await (await elsewhere(redis)).today()).toEqual({ requests: 7, refused: 0, saved: 0 });
      expect(await ledger.today()).toEqual({ requests: 7, refused: 0, saved: 0 });
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
      for (let i = 0; i < 10; i++) ledger.spent(ALICE);
      expect((await ledger.today()).requests).toBe(12);
      redis.resume();
      await becomes(link, 'usable');
      await ledger.close();

      expect((await (await elsewhere(redis)).today()).requests).toBe(12);
      expect((await ledger.today()).requests).toBe(12);
    });

    it('counts each member of an outage up to a bound, and everybody in the total', async () => {
      const redis = await startRealRedis();
      await redis.kill();
      const { link } = linkTo(redis);
      const ledger = new Ledger(new RedisCounters(link, undefined, 3_000));
      for (let member = 0; member < 2_000; member++) ledger.spent({ memberId: `member${member}`, guildId: 'guild' });
      expect((await ledger.today()).requests).toBe(2_000);
      await redis.start();
      await becomes(link, 'usable');
      await ledger.close();

      expect((await ledger.today()).requests).toBe(2_000);
      expect((await ledger.guildToday(ALICE)).requests).toBe(2_000);
      const counters = await Promise.all([
        link.read((client) => client.hLen(`${redis.prefix}:ledger:${utcDay(Date.now())}`)),
        link.read((client) => client.zCard(`${redis.prefix}:ledger:${utcDay(Date.now())}:guild`)),
      ]);
      expect(counters).toEqual([1_502, 1_499]); // 3,000 and the note of the hour, with the totals
    });

    it('keeps bookings while Redis refuses writes, and still reads', async () => {
      const redis = await startRealRedis();
      const admin = await clientOf(redis);
      const { link } = await openedLink(redis, {});
      const ledger = new Ledger(new RedisCounters(link));
      const other = await elsewhere(redis);
      other.spent(BOB);
      await other.close();

      await admin.configSet('maxmemory', '1');
      await becomes(link, 'readable');
      ledger.spent(ALICE);
      expect((await ledger.today()).requests).toBe(2);
      await admin.configSet('maxmemory', '0');

      await expect.poll(async () => (await other.today()).requests).toBe(2);
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
      ledger.spent(ALICE);
      await redis.startEmpty();
      await becomes(link, 'usable');

      await expect.poll(async () => (await other.today()).requests).toBe(1);
      ledger.spent(ALICE);
      await expect.poll(async () => (await ledger.today()).requests).toBe(2);
    });
  },
);
