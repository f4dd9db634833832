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
/** A card service that never answers, so that no reply is completed. */
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

describe('a deferred reply in Redis', { timeout: 90_000 }, () => {
  it('has one owner when two processes receive the same interaction', async () => {
    const redis = await startRedis();
    const [one, other] = await Promise.all([startProcess(redis), startProcess(redis)]);
    const replies = Array.from({ length: 20 }, () => deferredReply());

    const kept = await Promise.all(
      replies.map((each) => Promise.all([one.journal.add(each), other.journal.add({ ...each })])),
    );

    expect(kept.map((both) => both.filter(Boolean))).toEqual(replies.map(() => [true]));
  });

  it('is not taken over while its owner is alive, however long it waits', async () => {
    const redis = await startRedis();
    const { client, written } = await redisWatcher(redis);
    const owner = await startProcess(redis, { ...SLOW, takesOver: false });
    const other = await startProcess(redis);
    await expect.poll(() => other.processesAlive.size, PATIENTLY).toBe(2);
    const [id] = await defer(owner);

    const looks = async () => Number(await client.hGet(`${redis.prefix}:replies:interaction-${id}`, 'ats'));
    await expect.poll(looks, PATIENTLY).toBeGreaterThanOrEqual(2);

    expect(other.completed).toEqual([]);
    expect(other.cardService.requests).toEqual([]);
    expect(await written()).toBe(1);
  });

  it('is completed by another process when its owner dies, and by a third when that one dies, too', async () => {
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

  it('is taken over once, however long its completion takes', async () => {
    const redis = await startRedis();
    const first = await startRun(redis);
    const left = deferredReply();
    await first.journal.add(left);
    await first.end();

    const next = await startProcess(redis, { latencyMs: 1_000 }); // many looks at it meanwhile
    await expect.poll(next.completedIds, PATIENTLY).toEqual([left.interactionId]);
    await next.replies.settled();

    expect(next.completedIds()).toEqual([left.interactionId]);
  });

  it('is left to any process at once when its owner stops, also one that is due for a look', async () => {
    const redis = await startRedis();
    const { keys, client } = await redisWatcher(redis);
    const owner = await startProcess(redis, { ...SLOW, firstLookMs: 0, takesOver: false });
    await defer(owner, 3);

    await owner.journal.close();

    const jobs = (await keys()).filter((key) => key.startsWith('interaction-'));
    const data = await Promise.all(jobs.map((key) => client.hGet(`${redis.prefix}:replies:${key}`, 'data')));
    expect(data.map((json) => JSON.parse(json ?? '').home)).toEqual([null, null, null]);
    expect(owner.link.health).toBe('usable');
  });

  it('that was left to others is refused to a process that receives the interaction again', async () => {
    const redis = await startRedis();
    const first = await startRun(redis);
    const left = deferredReply();
    await first.journal.add(left);
    await first.end();
    const other = await startProcess(redis, { takesOver: false });

    expect(await other.journal.add({ ...left })).toBe(false);
  });

  it('that a process died over while it looked at it is completed by the next', async () => {
    const redis = await startRedis();
    const { client, written } = await redisWatcher(redis);
    const first = await startRun(redis);
    const left = deferredReply();
    await first.journal.add(left);
    await first.end();
    // As such a process leaves it: no longer in the queue, with a lock that expires.
    const queue = `${redis.prefix}:replies`;
    await client.lRem(`${queue}:wait`, 0, `interaction-${left.interactionId}`);
    await client.rPush(`${queue}:active`, `interaction-${left.interactionId}`);

    const next = await startProcess(redis);

    await expect.poll(next.completedIds, PATIENTLY).toEqual([left.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('that an earlier version stored is completed', async () => {
    const redis = await startRedis();
    const { client, written } = await redisWatcher(redis);
    const owner = await startProcess(redis, SLOW);
    const [id = ''] = await defer(owner);
    const key = `${redis.prefix}:replies:interaction-${id}`;
    const { home, deferred } = JSON.parse((await client.hGet(key, 'data')) ?? '');
    const { query: question, ...reply } = deferred;
    await client.hSet(key, 'data', JSON.stringify({ home, debt: { ...reply, question } }));
    owner.die();

    const next = await startProcess(redis);

    await expect.poll(next.completedIds, PATIENTLY).toEqual([id]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('that is invalid is dropped and logged, and the others are completed', async () => {
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

  it('leaves only the keys of the queue in Redis when it is completed', async () => {
    const redis = await startRedis();
    const { client, keys, written } = await redisWatcher(redis);
    const owner = await startProcess(redis);
    await defer(owner, 50);
    await owner.replies.settled();

    await expect.poll(written, PATIENTLY).toBe(0);
    const ofTheQueue = ['delayed', 'events', 'id', 'marker', 'meta', 'stalled-check'];
    expect((await keys()).filter((key) => !ofTheQueue.includes(key))).toEqual([]);
    expect(await client.xLen(`${redis.prefix}:replies:events`)).toBeLessThan(150);
  });

  it.skipIf(noRealRedis('the memory that a deferred reply takes'))('takes less than 2 kB', async () => {
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

describe.skipIf(noRealRedis('deferred replies while Redis is unavailable'))(
  'while Redis is unavailable',
  { timeout: 90_000 },
  () => {
    it.each(['killed', 'hung'] as const)(
      '(%s), replies are completed from memory; when it is back they are removed, and not completed again',
      async (how) => {
        const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
        const { written } = await redisWatcher(redis);
        // No process looks at them, so the owner itself has to remove them.
        let accepts = false;
        const owner = await startProcess(redis, { firstLookMs: 3_600_000, accepts: () => accepts });
        const other = await startProcess(redis);
        const [before] = await defer(owner);
        expect(await written()).toBe(1);
        if (how === 'killed') await redis.kill();
        else redis.pause();

        accepts = true;
        const startedMs = performance.now();
        const during = await defer(owner, 20);
        const keptMs = performance.now() - startedMs;
        await owner.replies.settled();
        expect(owner.completedIds().sort()).toEqual([before, ...during]);
        expect(keptMs).toBeLessThan(2_500); // one timeout of 250 ms, not twenty

        if (how === 'killed') await redis.start();
        else redis.resume();
        await expect.poll(() => [owner.link.health, other.link.health], PATIENTLY).toEqual(['usable', 'usable']);
        await expect.poll(written, PATIENTLY).toBe(0);
        const [after] = await defer(owner);
        await owner.replies.settled();
        expect(owner.completedIds()).toContain(after);
        expect(owner.completed).toHaveLength(22);
        expect(other.completed).toEqual([]);
        expect(owner.lines.filter(({ level }) => level >= WARN)).toHaveLength(1);
      },
    );

    it('replies wait in memory, and are written when Redis is back, empty', async () => {
      const redis = await startRealRedis();
      const { written } = await redisWatcher(redis);
      const owner = await startProcess(redis, SLOW);
      const before = await defer(owner);
      await redis.kill();
      const during = await defer(owner);

      await redis.startEmpty();
      await expect.poll(written, PATIENTLY).toBe(2);
      const other = await startProcess(redis);
      owner.die();

      await expect.poll(() => other.completedIds().sort(), PATIENTLY).toEqual([...before, ...during]);
      await expect.poll(written, PATIENTLY).toBe(0);
    });

    it('from the start, a process defers and completes replies all the same', async () => {
      const redis = await startRealRedis();
      await redis.kill();
      const owner = await startProcess(redis);
      const pending = await defer(owner);
      await owner.replies.settled();
      expect(owner.completedIds()).toEqual(pending);

      await redis.startEmpty();
      await expect.poll(() => owner.link.health, PATIENTLY).toBe('usable');
      const { written } = await redisWatcher(redis);
      await owner.journal.add(deferredReply());
      expect(await written()).toBe(1);
    });

    it('a process that stops just when Redis is back writes what is pending and removes what is completed', async () => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const { written } = await redisWatcher(redis);
      const { link } = await startRun(redis);
      const noHeartbeatYet = { id: randomUUID(), isGone: () => false, onHeartbeat() {} };
      const journal = new BullJournal({
        link,
        processesAlive: noHeartbeatYet,
        prefix: redis.prefix,
        log: logLines().log,
      });
      const [completed, pending] = [deferredReply(), deferredReply()];
      await journal.add(completed);
      await redis.kill();
      await expect.poll(() => link.health, PATIENTLY).toBe('unavailable');
      await journal.remove(completed.interactionId);
      await journal.add(pending);
      await redis.start();
      await expect.poll(() => link.health, PATIENTLY).toBe('usable');

      await journal.close();

      const next = await startProcess(redis);
      await expect.poll(next.completedIds, PATIENTLY).toEqual([pending.interactionId]);
      await expect.poll(written, PATIENTLY).toBe(0);
      expect(next.completedIds()).toEqual([pending.interactionId]);
    });

    it('a process that stops asks members to try again, as no other process could complete their replies', async () => {
      const redis = await startRealRedis();
      const owner = await startProcess(redis, { ...SLOW, takesOver: false });
      const other = await startProcess(redis, { takesOver: false });
      const [asking = '', before = ''] = [...(await defer(owner)), ...(await defer(other))];
      await redis.kill();
      await expect
        .poll(() => [owner.link.health, other.link.health], PATIENTLY)
        .toEqual(['unavailable', 'unavailable']);

      await owner.stop();

      expect(owner.completed).toMatchObject([{ id: asking, outcome: { error: expect.any(Stopping) } }]);
      await other.replies.settled();
      expect(other.completedIds()).toEqual([before]);
    });

    it('a process stops in time', async () => {
      const redis = await startRealRedis();
      const owner = await startProcess(redis, SLOW);
      await defer(owner, 50);
      redis.pause();
      onTestFinished(() => redis.resume());

      const startedMs = performance.now();
      await owner.stop();
      await owner.end();

      expect(performance.now() - startedMs).toBeLessThan(3_000);
    });
  },
);
