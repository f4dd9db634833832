import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  LocalReportBoard,
  REPORT_EVERY_MS,
  type ReportBoard,
  type UsageReport,
} from '../../../src/lookup/usage-reports.ts';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { RedisLocks } from '../../../src/storage/redis/redis-locks.ts';
import { redisReportBoard } from '../../../src/storage/redis/redis-report-board.ts';
import { logLines } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { movableClock } from '../../support/wall-clock.ts';

const PATIENCE = { timeout: 60_000, interval: 20 };
const PERIOD = { startMs: 1, endMs: 2 };

function report(used: number, atMs: number): UsageReport {
  return { usage: { plan: 'free', period: PERIOD, requests: { used, limit: 1_000, remaining: 1_000 - used } }, atMs };
}

async function join({ url, prefix }: Pick<TestRedis, 'url' | 'prefix'>, answerTimeoutMs = 10_000) {
  const { log, lines } = logLines();
  const link = new RedisLink({ url, prefix, log, answerTimeoutMs });
  onFinished(() => link.close());
  const processesAlive = new ProcessesAlive(link, prefix);
  onFinished(() => processesAlive.leave());
  await link.opened(10_000);
  const locks = new RedisLocks(processesAlive, prefix);
  return { link, lines, prefix, board: redisReportBoard(link, locks, prefix, 'account') };
}

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});

/** A minute later, also for Redis. */
type Minute = { board: ReportBoard; aMinutePasses(): Promise<void> };

async function local(): Promise<Minute> {
  const clock = movableClock();
  return { board: new LocalReportBoard(), aMinutePasses: async () => clock.forward(REPORT_EVERY_MS) };
}

async function shared(): Promise<Minute> {
  const clock = movableClock();
  const { board, link, prefix } = await join({ url: redis.url, prefix: `${redis.prefix}:${crypto.randomUUID()}` });
  return {
    board,
    async aMinutePasses() {
      clock.forward(REPORT_EVERY_MS);
      const key = `${prefix}:lock:report:account`;
      expect(await link.client.pTTL(key)).toBeLessThanOrEqual(REPORT_EVERY_MS);
      await link.client.pExpire(key, 1);
      await expect.poll(() => link.client.exists(key), PATIENCE).toBe(0);
    },
  };
}

describe.each([
  { over: 'of one process', open: local },
  { over: 'in Redis', open: shared },
])('the report board $over', ({ open }) => {
  it('is claimed once a minute, by the first to come', async () => {
    const { board, aMinutePasses } = await open();
    const claims = await Promise.all([board.claim(), board.claim(), board.claim()]);
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await board.claim()).toBe(false);
    await aMinutePasses();
    expect([await board.claim(), await board.claim()]).toEqual([true, false]);
  });

  it('can be claimed by the next when no request was sent', async () => {
    const { board } = await open();
    await board.claim();
    await board.release();
    expect([await board.claim(), await board.claim()]).toEqual([true, false]);
  });

  it('shows nothing before the first report, then the last', async () => {
    const { board } = await open();
    expect(await board.last()).toBeUndefined();
    await board.post(report(1, 1_000));
    await board.post(report(2, 2_000));
    expect(await board.last()).toEqual(report(2, 2_000));
  });

  it('shows the later of two reports, in whatever order they are posted', async () => {
    const { board } = await open();
    await board.post(report(2, 2_000));
    await board.post(report(1, 1_000));
    expect(await board.last()).toEqual(report(2, 2_000));
  });

  it('shows the last report even if the one before is from before the clock was set back', async () => {
    const { board } = await open();
    await board.post(report(1, Date.now() + 3_600_000));
    await board.post(report(2, Date.now()));
    expect(await board.last()).toMatchObject(report(2, expect.any(Number)));
  });

  it('takes a report with nothing in it', async () => {
    const { board } = await open();
    const bare = { usage: {}, atMs: 1 };
    await board.post(bare);
    expect(await board.last()).toMatchObject(bare);
  });
});

describe('the report board of several processes', () => {
  async function two() {
    const reservation = { url: redis.url, prefix: `${redis.prefix}:${crypto.randomUUID()}` };
    return { one: await join(reservation), other: await join(reservation) };
  }

  it('is claimed by one of them', async () => {
    const { one, other } = await two();
    const claims = await Promise.all([one, other, one, other].map(({ board }) => board.claim()));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('can be claimed by the other when one releases it', async () => {
    const { one, other } = await two();
    await one.board.claim();
    expect(await other.board.claim()).toBe(false);
    await one.board.release();
    expect(await other.board.claim()).toBe(true);
  });

  it('shows all of them the latest report, in whatever order they were posted', async () => {
    const { one, other } = await two();
    await one.board.post(report(2, 2_000));
    await other.board.post(report(1, 1_000));
    for (const { board } of [one, other]) expect(await board.last()).toEqual(report(2, 2_000));
  });

  it('ignores a report of another version, and logs nothing', async () => {
    const { one, other } = await two();
    await one.link.client.set(`${one.prefix}:report:account`, '{"usage":7}');
    expect(await other.board.last()).toBeUndefined();
    expect(other.lines).toEqual([]);
  });
});

describe.skipIf(noRealRedis('report boards while Redis is unavailable'))('a report board whose Redis', () => {
  it.each(['is gone', 'hangs'])('%s is separate in each process, and is claimed no more often', async (how) => {
    const server = await startRealRedis({ appendonly: true });
    onTestFinished(() => server.resume());
    const [one, other] = [await join(server, 250), await join(server, 250)];
    expect(await one.board.claim()).toBe(true);
    if (how === 'is gone') await server.kill();
    else server.pause();

    expect([await one.board.claim(), await other.board.claim(), await other.board.claim()]).toEqual([
      false,
      true,
      false,
    ]);
    await other.board.post(report(1, 1_000));
    expect([await one.board.last(), await other.board.last()]).toEqual([undefined, report(1, 1_000)]);

    if (how === 'is gone') await server.start();
    else server.resume();
    for (const { link } of [one, other]) await expect.poll(() => link.health, PATIENCE).toBe('usable');
    await one.link.client.unlink(`${server.prefix}:lock:report:account`);
    expect(await other.board.claim()).toBe(false);
  });
});
