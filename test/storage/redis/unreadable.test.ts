import { describe, expect, it } from 'vitest';
import { Usage } from '../../../src/model/plan.ts';
import { Ledger } from '../../../src/quota/ledger.ts';
import { RedisCounters } from '../../../src/storage/redis/counters.ts';
import { redisDeletionRequests } from '../../../src/storage/redis/forget.ts';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import { redisUsageReport } from '../../../src/storage/redis/usage-report.ts';
import { redisWatches } from '../../../src/storage/redis/watches.ts';
import { utcDay, utcHour } from '../../../src/time/utc-day.ts';
import { newWatch } from '../../../src/watches/watch.ts';
import { LIMITER_KEY } from '../../support/limiter-over-redis.ts';
import { LimiterScript } from '../../support/limiter-script.ts';
import { ERROR } from '../../support/log-lines.ts';
import { clientOf, startRedis } from '../../support/redis.ts';
import { openedLink } from '../../support/redis-link.ts';

const UNREADABLE = 'redis holds something that cannot be read: it is left out or replaced';
const ALICE = { memberId: 'alice', guildId: 'guild' };

async function opened() {
  const redis = await startRedis();
  const { link, lines } = await openedLink(redis);
  return { redis, link, client: await clientOf(redis), said: () => lines.map(({ msg }) => msg) };
}

describe('what another program has written into Redis is left out or replaced, and logged once', () => {
  it.each([
    'fullAtMs',
    'version',
    'terms',
    'state',
    'remaining',
    'remainingUntilMs',
    'writer',
    'probeOf',
    'era',
    'underWay:another',
    'waiting:another',
  ])('the field %s of the limiter: permits are given again', async (field) => {
    const redis = await startRedis();
    const script = new LimiterScript(undefined, 0, redis);
    await script.says('answered');
    const client = await clientOf(redis);
    const key = `${redis.prefix}:${LIMITER_KEY}`;
    await client.hSet(key, { remaining: '5', remainingUntilMs: '9e15', [field]: '{garbage' });
    await expect.poll(() => script.says('+2 s; ask')).toBe('1');
    await expect.poll(async () => Number(await client.hGet(key, 'version'))).toBeGreaterThan(0);
    const logged = script.lines.filter(({ level }) => level >= ERROR);
    expect(logged.length).toBeLessThan(5); // commands that were under way together, and what was done
  });

  it('counts: they begin anew', async () => {
    const { redis, link, client, said } = await opened();
    const ledger = new Ledger(new RedisCounters(link));
    const day = `${redis.prefix}:ledger:${utcDay(Date.now())}`;
    const hour = `at:${utcHour(Date.now())}`;
    await client.hSet(day, { 'member:alice': 'many', all: '1.5', 'all:saved': 'x', [hour]: 'a b' });
    expect(await ledger.memberToday('alice')).toEqual({ requests: 0, refused: 0, saved: 0 });
    expect(await ledger.today()).toEqual({ requests: 0, refused: 0, saved: 0 });
    await ledger.hours();
    ledger.spent(ALICE);
    await ledger.close();
    expect((await ledger.memberToday('alice')).requests).toBe(1);
    expect((await ledger.today()).requests).toBe(1);
    for (const { requests } of await ledger.hours()) expect(requests).toBeGreaterThanOrEqual(0);
    expect(await ledger.counters.keptOf('alice')).toMatchObject({ requests: 1 });
    expect(said()).toEqual([UNREADABLE]);
  });

  it('the usage report: there is none', async () => {
    const { redis, link, client, said } = await opened();
    const report = redisUsageReport(link, 'account');
    for (const text of ['{"usage"', '7']) {
      await client.set(`${redis.prefix}:report:account`, text);
      expect(await report.read()).toBeUndefined();
    }
    await report.write({ usage: Usage.parse({}), atMs: 1 });
    expect(await report.read()).toMatchObject({ atMs: 1 });
    expect(said()).toEqual([UNREADABLE]);
  });

  it('watches and their number: others are read, and can be set and ended', async () => {
    const { redis, link, client, said } = await opened();
    const key = `${redis.prefix}:watches`;
    await client.set(`${key}:changes`, 'many');
    await client.hSet(key, 'x', '{"id":');
    await client.hSet(`${key}:member:7`, 'x', 'nonsense');
    const store = redisWatches(link);
    const watch = newWatch({ memberId: '7', cardId: 'base1-4', cardName: 'Drake', locale: 'de', below: 30 }, 36, 1);
    expect((await store.change(watch.id, () => watch))?.after).toEqual(watch);
    expect(await store.find({ member: '7' })).toEqual([watch]);
    expect(await store.find()).toEqual([watch]);
    const last = await store.forget('7');
    expect(last).toBeGreaterThan(1e9);
    expect(await store.find({ member: '7' })).toEqual([]);
    expect(said()).toEqual([UNREADABLE]);
  });

  it('wishes to be forgotten without a time: dropped', async () => {
    const { redis, link, client, said } = await opened();
    const key = `${redis.prefix}:deletion-requests`;
    await client.hSet(key, { 7: 'soon', 8: `${new Date().toISOString()} 1` });
    const requests = redisDeletionRequests(link);
    await requests.drop('2026-01-01');
    expect((await requests.all()).map(({ memberId }) => memberId)).toEqual(['8']);
    expect(said()).toEqual([UNREADABLE]);
  });

  it('heartbeats: those of nobody alive', async () => {
    const { redis, link, client, said } = await opened();
    const processesAlive = new ProcessesAlive(link, { everyMs: 100, deadAfterMs: 1_500 });
    await client.hSet(`${redis.prefix}:processes`, { another: 'now', third: '' });
    await expect.poll(() => client.hKeys(`${redis.prefix}:processes`)).toEqual([processesAlive.id]);
    expect(processesAlive.lengths()).toEqual([]);
    expect(said()).toEqual([]);
  });
});

const FREE = { plan: 'free', period: { startMs: 1, endMs: 2 }, requests: { used: 1, limit: 1_000, remaining: 999 } };

it.each([
  ['complete', FREE],
  ['with nothing in it', {}],
])(
  'a usage report that is %s is shared by the processes of an account, and is none without Redis',
  async (_, usage) => {
    const { link } = await opened();
    const reportOf = (account: string) => redisUsageReport(link, account);
    expect(await reportOf('account').read()).toBeUndefined();
    await reportOf('account').write({ usage, atMs: 1 });
    expect(await reportOf('account').read()).toEqual({ usage, atMs: 1 });
    expect(await reportOf('other').read()).toBeUndefined();
    link.close();
    await reportOf('account').write({ usage, atMs: 2 });
    expect(await reportOf('account').read()).toBeUndefined();
  },
);
