import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Stopping } from '../../../src/model/errors.ts';
import { BullJournal } from '../../../src/storage/redis/bull-journal.ts';
import { redisWatcher, startRun } from '../../replies/journals.ts';
import { type DiscordBehaviour, deferredReply, repliesOver } from '../../replies/replies-over.ts';
import { logLines, WARN } from '../../support/log-lines.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';

const PATIENTLY = { timeout: 30_000 };
/** A card service that never answers: its process owes, and does not pay. */
const SLOW = { latencyMs: 3_600_000 };

interface ProcessOptions extends DiscordBehaviour {
  latencyMs?: number;
  takesOver?: boolean;
  firstLookMs?: number;
}

async function startProcess(
  redis: TestRedis,
  { latencyMs = 0, takesOver = true, firstLookMs = 50, ...discord }: ProcessOptions = {},
) {
  const run = await startRun(redis, { firstLookMs, lookAgainMs: 50 });
  const over = repliesOver(run.journal, discord);
  over.cardService.set({ latencyMs });
  if (takesOver) over.replies.takeOver();
  return { ...run, ...over };
}

type Process = Awaited<ReturnType<typeof startProcess>>;

async function defer(process: Process, count = 1) {
  const deferred = Array.from({ length: count }, () => deferredReply());
  for (const reply of deferred) await process.defer(reply);
  return deferred.map(({ interactionId }) => interactionId);
}

describe('a debt in Redis', { timeout: 90_000 }, () => {
  it('is owed by one of two processes that were given the same interaction', async () => {
    const redis = await startRedis();
    const [one, other] = await Promise.all([startProcess(redis), startProcess(redis)]);
    const asked = Array.from({ length: 20 }, () => deferredReply());

    const kept = await Promise.all(
      asked.map((each) => Promise.all([one.journal.add(each), other.journal.add({ ...each })])),
    );

    expect(kept.map((both) => both.filter(Boolean))).toEqual(asked.map(() => [true]));
  });

  it('is left alone while its process is alive, however long it waits', async () => {
    const redis = await startRedis();
    const { client, written } = await redisWatcher(redis);
    const home = await startProcess(redis, { ...SLOW, takesOver: false });
    const other = await startProcess(redis);
    await expect.poll(() => other.processesAlive.size, PATIENTLY).toBe(2);
    const [id] = await defer(home);

    const looks = async () => Number(await client.hGet(`${redis.prefix}:replies:interaction-${id}`, 'ats'));
    await expect.poll(looks, PATIENTLY).toBeGreaterThanOrEqual(2);

    expect(other.completed).toEqual([]);
    expect(other.cardService.requests).toEqual([]);
    expect(await written()).toBe(1);
  });

  it('is paid by another when its process falls silent, and by a third when that one does, too', async () => {
    const redis = await startRedis();
    const { written } = await redisWatcher(redis);
    const first = await startProcess(redis, SLOW);
    const second = await startProcess(redis, SLOW);
    await expect.poll(() => second.processesAlive.size, PATIENTLY).toBe(2);

    const [id] = await defer(first);
    first.die();
    await expect.poll(() => second.cardService.requests.length, PATIENTLY).toBe(1);
    second.die();
    const third = await startProcess(redis);

    await expect.poll(third.completedIds, PATIENTLY).toEqual([id]);
    expect([first.completed, second.completed]).toEqual([[], []]);
    expect(third.cardService.requests).toHaveLength(1);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('is taken over once, however long it then takes to pay', async () => {
    const redis = await startRedis();
    const first = await startRun(redis);
    const left = deferredReply();
    await first.journal.add(left);
    await first.end();

    const next = await startProcess(redis, { latencyMs: 1_000 }); // many more looks
    await expect.poll(next.completedIds, PATIENTLY).toEqual([left.interactionId]);
    await next.replies.settled();

    expect(next.completedIds()).toEqual([left.interactionId]);
  });

  it('is another’s at once when its process says that it stops, also one that somebody should look at by now', async () => {
    const redis = await startRedis();
    const { keys, client } = await redisWatcher(redis);
    const home = await startProcess(redis, { ...SLOW, firstLookMs: 0, takesOver: false });
    await defer(home, 3);

    await home.journal.close();

    const jobs = (await keys()).filter((key) => key.startsWith('interaction-'));
    const data = await Promise.all(jobs.map((key) => client.hGet(`${redis.prefix}:replies:${key}`, 'data')));
    expect(data.map((json) => JSON.parse(json ?? '').home)).toEqual([null, null, null]);
    expect(home.link.health).toBe('usable');
  });

  it('that its process has left to others is not owed by who is given the interaction again', async () => {
    const redis = await startRedis();
    const first = await startRun(redis);
    const left = deferredReply();
    await first.journal.add(left);
    await first.end();
    const other = await startProcess(redis, { takesOver: false });

    expect(await other.journal.add({ ...left })).toBe(false);
  });

  it('over which a process died while it looked at it is paid by the next', async () => {
    const redis = await startRedis();
    const { client, written } = await redisWatcher(redis);
    const first = await startRun(redis);
    const left = deferredReply();
    await first.journal.add(left);
    await first.end();
    // As that process leaves it: taken out of the queue, and nobody's any more once the lock has run out.
    const queue = `${redis.prefix}:replies`;
    await client.lRem(`${queue}:wait`, 0, `interaction-${left.interactionId}`);
    await client.rPush(`${queue}:active`, `interaction-${left.interactionId}`);

    const next = await startProcess(redis);

    await expect.poll(next.completedIds, PATIENTLY).toEqual([left.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('that does not fit is dropped with a line in the log, and the others are paid', async () => {
    const redis = await startRedis();
    const { client, written } = await redisWatcher(redis);
    const first = await startRun(redis);
    const [spoilt, sound] = [deferredReply(), deferredReply()];
    await first.journal.add(spoilt);
    await first.journal.add(sound);
    await first.end();
    await client.hSet(`${redis.prefix}:replies:interaction-${spoilt.interactionId}`, 'data', '{"home":7}');

    const next = await startProcess(redis);

    await expect.poll(next.completedIds, PATIENTLY).toEqual([sound.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
    expect(next.lines.map(({ msg }) => msg)).toContain('invalid deferred reply: it is dropped');
  });

  it('leaves nothing behind but the keys of its queue', async () => {
    const redis = await startRedis();
    const { client, keys, written } = await redisWatcher(redis);
    const home = await startProcess(redis);
    await defer(home, 50);
    await home.replies.settled();

    await expect.poll(written, PATIENTLY).toBe(0);
    const ofTheQueue = ['delayed', 'events', 'id', 'marker', 'meta', 'stalled-check'];
    expect((await keys()).filter((key) => !ofTheQueue.includes(key))).toEqual([]);
    expect(await client.xLen(`${redis.prefix}:replies:events`)).toBeLessThan(150);
  });

  it.skipIf(noRealRedis('the memory that a debt takes'))('takes less than 2 kB', async () => {
    const redis = await startRealRedis();
    const { client } = await redisWatcher(redis);
    const { journal } = await startRun(redis);
    const used = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
    await journal.add(deferredReply());
    const before = await used();

    for (let index = 0; index < 500; index++) await journal.add(deferredReply());

    expect((await used()) - before).toBeLessThan(500 * 2_048);
  });
});

describe.skipIf(noRealRedis('debts while Redis is away'))('while Redis is away', { timeout: 90_000 }, () => {
  it.each(['killed', 'hung'] as const)(
    '(%s), debts are paid from memory; when it is back they are struck out, and paid no second time',
    async (how) => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const { written } = await redisWatcher(redis);
      // Nobody comes across a debt by looking, so that they have to be struck out.
      let accepts = false;
      const home = await startProcess(redis, { firstLookMs: 3_600_000, accepts: () => accepts });
      const other = await startProcess(redis);
      const [before] = await defer(home);
      expect(await written()).toBe(1);
      if (how === 'killed') await redis.kill();
      else redis.pause();

      accepts = true;
      const startedMs = performance.now();
      const during = await defer(home, 20);
      const keptMs = performance.now() - startedMs;
      await home.replies.settled();
      expect(home.completedIds().sort()).toEqual([before, ...during]);
      expect(keptMs).toBeLessThan(2_500); // one wait of 250 ms and not twenty

      if (how === 'killed') await redis.start();
      else redis.resume();
      await expect.poll(() => [home.link.health, other.link.health], PATIENTLY).toEqual(['usable', 'usable']);
      await expect.poll(written, PATIENTLY).toBe(0);
      const [after] = await defer(home);
      await home.replies.settled();
      expect(home.completedIds()).toContain(after);
      expect(home.completed).toHaveLength(22);
      expect(other.completed).toEqual([]);
      expect(home.lines.filter(({ level }) => level >= WARN)).toHaveLength(1);
    },
  );

  it('what is owed waits in memory, and is written down when Redis is back, empty', async () => {
    const redis = await startRealRedis();
    const { written } = await redisWatcher(redis);
    const home = await startProcess(redis, SLOW);
    const before = await defer(home);
    await redis.kill();
    const during = await defer(home);

    await redis.startEmpty();
    await expect.poll(written, PATIENTLY).toBe(2);
    const other = await startProcess(redis);
    home.die();

    await expect.poll(() => other.completedIds().sort(), PATIENTLY).toEqual([...before, ...during]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('from the start, a process owes and pays all the same', async () => {
    const redis = await startRealRedis();
    await redis.kill();
    const home = await startProcess(redis);
    const owed = await defer(home);
    await home.replies.settled();
    expect(home.completedIds()).toEqual(owed);

    await redis.startEmpty();
    await expect.poll(() => home.link.health, PATIENTLY).toBe('usable');
    const { written } = await redisWatcher(redis);
    await home.journal.add(deferredReply());
    expect(await written()).toBe(1);
  });

  it('is told when it is back, by a process that stops just then, what is owed and what is paid', async () => {
    const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
    const { written } = await redisWatcher(redis);
    const { link } = await startRun(redis);
    const noBeatYet = { id: randomUUID(), isGone: () => false, onHeartbeat() {} };
    const journal = new BullJournal({ link, processesAlive: noBeatYet, prefix: redis.prefix, log: logLines().log });
    const [paid, owed] = [deferredReply(), deferredReply()];
    await journal.add(paid);
    await redis.kill();
    await expect.poll(() => link.health, PATIENTLY).toBe('unavailable');
    await journal.remove(paid.interactionId);
    await journal.add(owed);
    await redis.start();
    await expect.poll(() => link.health, PATIENTLY).toBe('usable');

    await journal.close();

    const next = await startProcess(redis);
    await expect.poll(next.completedIds, PATIENTLY).toEqual([owed.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
    expect(next.completedIds()).toEqual([owed.interactionId]);
  });

  it('a process that stops tells members to ask again whom no other process could answer', async () => {
    const redis = await startRealRedis();
    const home = await startProcess(redis, { ...SLOW, takesOver: false });
    const other = await startProcess(redis, { takesOver: false });
    const [asking = '', before = ''] = [...(await defer(home)), ...(await defer(other))];
    await redis.kill();
    await expect.poll(() => [home.link.health, other.link.health], PATIENTLY).toEqual(['unavailable', 'unavailable']);

    await home.stop();

    expect(home.completed).toMatchObject([{ id: asking, outcome: { error: expect.any(Stopping) } }]);
    await other.replies.settled();
    expect(other.completedIds()).toEqual([before]);
  });

  it('a process stops all the same', async () => {
    const redis = await startRealRedis();
    const home = await startProcess(redis, SLOW);
    await defer(home, 50);
    redis.pause();
    onTestFinished(() => redis.resume());

    const startedMs = performance.now();
    await home.stop();
    await home.end();

    expect(performance.now() - startedMs).toBeLessThan(3_000);
  });
});
