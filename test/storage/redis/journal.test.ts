import { describe, expect, it } from 'vitest';
import { Stopping } from '../../../src/model/errors.ts';
import type { CardsReply } from '../../../src/replies/reply-ports.ts';
import { RedisJournal } from '../../../src/storage/redis/journal.ts';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import { RedisUnavailable } from '../../../src/storage/redis/unavailable.ts';
import { redisWatcher, startRun } from '../../replies/journals.ts';
import { type DiscordBehaviour, deferredReply, repliesOver } from '../../replies/replies-over.ts';
import { logLines, WARN } from '../../support/log-lines.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { startSlowRelay } from '../../support/slow-relay.ts';

/** A card service that never answers, so that no reply is completed. */
const SLOW = { latencyMs: 3_600_000 };

/** Of the bot; elsewhere a busy machine is no outage. */
const QUICK = { answerTimeoutMs: 250 };

interface ProcessOptions extends DiscordBehaviour {
  latencyMs?: number;
  takesOver?: boolean;
  answerTimeoutMs?: number;
  openTimeoutMs?: number;
}

async function startProcess(
  redis: Pick<TestRedis, 'url' | 'prefix'>,
  { latencyMs = 0, takesOver = true, answerTimeoutMs, openTimeoutMs, ...discord }: ProcessOptions = {},
) {
  const run = await startRun(redis, { answerTimeoutMs, openTimeoutMs });
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

async function heartbeats({ processesAlive }: Process, count: number): Promise<void> {
  let beats = 0;
  processesAlive.onHeartbeat(() => {
    beats += 1;
  });
  await expect.poll(() => beats).toBeGreaterThanOrEqual(count);
}

describe('a deferred reply in Redis', () => {
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
    const { ownerOf } = await redisWatcher(redis);
    const owner = await startProcess(redis, { ...SLOW, takesOver: false });
    const other = await startProcess(redis);
    const [id = ''] = await defer(owner);

    await expect.poll(() => other.processesAlive.hasSeenAll).toBe(true);
    await heartbeats(other, 3);

    expect(other.completed).toEqual([]);
    expect(other.cardService.requests).toEqual([]);
    expect(await ownerOf(id)).toBe(owner.processesAlive.id);
  });

  it('that another process deletes is ended by its owner, who learns of it with a heartbeat', async () => {
    const redis = await startRedis();
    const { ownerOf, written } = await redisWatcher(redis);
    const owner = await startProcess(redis, SLOW);
    const other = await startProcess(redis);
    const [id = '', kept = ''] = await defer(owner, 2);

    await other.replies.delete(deferredReply(), id);
    await expect.poll(() => owner.commands).toMatchObject([{ outcome: 'deleted' }]);
    await expect.poll(written).toBe(1);
    await heartbeats(owner, 2);

    expect(owner.deleted).toEqual([id]); // once more, should the other not have come to it
    expect(owner.droppedIds()).toEqual([id]);
    expect([owner.completed, other.completed]).toEqual([[], []]);
    expect(await ownerOf(kept)).toBe(owner.processesAlive.id);
  });

  it('that another process takes back as its answer is shown is given to its owner, should the other not come to it', async () => {
    const redis = await startRedis();
    const { written } = await redisWatcher(redis);
    const [owner, other] = [await startRun(redis), await startRun(redis)];
    const taken: CardsReply[] = [];
    owner.journal.takeOver((reply) => void taken.push(reply));
    const reply = deferredReply();
    await owner.journal.add(reply);
    await other.journal.markDeleted(reply.interactionId);
    await owner.journal.ended(reply.interactionId);
    await expect.poll(() => taken).toEqual([{ ...reply, isDeleted: true }]);
    await owner.journal.remove(reply.interactionId);
    expect(await written()).toBe(0);
  });

  it('that was taken back while Redis could not be told is marked with the next heartbeat: the next process deletes it', async () => {
    const redis = await startRedis();
    const { client, key } = await redisWatcher(redis);
    const owner = await startProcess(redis, { ...SLOW, deletes: () => false });
    const [id = ''] = await defer(owner);
    await heartbeats(owner, 2);
    const run = owner.processesAlive.run.bind(owner.processesAlive);
    owner.processesAlive.run = async () => {
      throw new RedisUnavailable('no answer');
    };
    expect(await owner.replies.delete(deferredReply(), id)).toEqual({ outcome: 'not answered' });
    owner.processesAlive.run = run;
    await expect.poll(async () => await client.hGet(key, id)).toContain('{"isDeleted":true,');
    owner.die();

    const other = await startProcess(redis);
    await expect.poll(() => other.deleted).toEqual([id]);
    expect(other.completed).toEqual([]);
  });

  it('is left to any process at once when its owner stops', async () => {
    const redis = await startRedis();
    const { ownerOf } = await redisWatcher(redis);
    const owner = await startProcess(redis, { ...SLOW, takesOver: false });
    const other = await startProcess(redis, { ...SLOW, takesOver: false });
    const left = await defer(owner, 3);
    const [kept = ''] = await defer(other);

    await owner.journal.close();

    expect(await Promise.all(left.map(ownerOf))).toEqual(['-', '-', '-']);
    expect(await ownerOf(kept)).toBe(other.processesAlive.id);
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

  it('that a process took over without learning of it is completed by that process', async () => {
    const redis = await startRedis();
    const { client, key, ownerOf, written } = await redisWatcher(redis);
    const owner = await startRun(redis);
    const next = await startRun(redis);
    const left = deferredReply();
    await owner.journal.add(left);
    const stored = (await client.hGet(key, left.interactionId)) ?? '';
    await client.hSet(key, left.interactionId, stored.replace(owner.processesAlive.id, next.processesAlive.id));

    const over = repliesOver(next.journal);
    over.replies.takeOver();

    await expect.poll(over.completedIds).toEqual([left.interactionId]);
    await expect.poll(written).toBe(0);
    expect(await ownerOf(left.interactionId)).toBeUndefined();
  });

  it('that a process completes after another has taken it over stays with that one, and goes to a third when it dies', async () => {
    const redis = await startRedis();
    const { client, key, ownerOf } = await redisWatcher(redis);
    const owner = await startProcess(redis, { takesOver: false });
    const next = await startRun(redis);
    const reply = deferredReply();
    await owner.journal.add(reply);
    const stored = (await client.hGet(key, reply.interactionId)) ?? '';
    await client.hSet(key, reply.interactionId, stored.replace(owner.processesAlive.id, next.processesAlive.id));

    await owner.journal.remove(reply.interactionId);
    await heartbeats(owner, 1);
    expect(await ownerOf(reply.interactionId)).toBe(next.processesAlive.id);

    await next.end();
    owner.replies.takeOver();
    await expect.poll(owner.completedIds).toEqual([reply.interactionId]);
  });

  it('that is invalid is dropped and logged, and the others are completed', async () => {
    const redis = await startRedis();
    const { client, key, written } = await redisWatcher(redis);
    const first = await startRun(redis);
    const [spoilt, sound] = [deferredReply(), deferredReply()];
    await first.journal.add(spoilt);
    await first.journal.add(sound);
    await first.end();
    await client.hSet(key, spoilt.interactionId, '- {"interactionId":7}');
    await client.hSet(key, 'spoilt', '');

    const next = await startProcess(redis);

    await expect.poll(next.completedIds).toEqual([sound.interactionId]);
    await expect.poll(written).toBe(0);
    expect(next.lines.map(({ msg }) => msg)).toContain('invalid deferred reply: it is dropped');
  });

  it('is not kept for longer than it can be completed', async () => {
    const redis = await startRedis();
    const { client, key } = await redisWatcher(redis);
    const { journal } = await startRun(redis);
    await journal.add(deferredReply());
    expect(await client.pTTL(key)).toBeGreaterThan(15 * 60_000);
    expect(await client.pTTL(key)).toBeLessThanOrEqual(16 * 60_000);
  });

  it.skipIf(noRealRedis('the memory that a deferred reply takes'))('takes less than 1 kB', async () => {
    const redis = await startRealRedis();
    const { client, key } = await redisWatcher(redis);
    const { journal } = await startRun(redis);
    await Promise.all(Array.from({ length: 500 }, () => journal.add(deferredReply())));
    expect(await client.memoryUsage(key, { SAMPLES: 0 })).toBeLessThan(500 * 1_024);
  });
});

describe.skipIf(noRealRedis('deferred replies while Redis is unavailable'))(
  'while Redis is unavailable',
  { timeout: 120_000 },
  () => {
    it('replies are completed from memory; when it is back they are removed, and not completed again', async () => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const { written } = await redisWatcher(redis);
      let accepts = false;
      const owner = await startProcess(redis, { ...QUICK, accepts: () => accepts });
      const other = await startProcess(redis, QUICK);
      const [before] = await defer(owner);
      expect(await written()).toBe(1);
      redis.pause();

      accepts = true;
      const during = await defer(owner, 20);
      await owner.replies.settled();
      expect(owner.completedIds().sort()).toEqual([before, ...during]);

      redis.resume();
      await expect.poll(() => [owner.link.health, other.link.health]).toEqual(['usable', 'usable']);
      await expect.poll(written).toBe(0);
      const [after] = await defer(owner);
      await owner.replies.settled();
      expect(owner.completedIds()).toContain(after);
      expect(owner.completed).toHaveLength(22);
      expect(other.completed).toEqual([]);
      expect(owner.lines.filter(({ level }) => level >= WARN)).toHaveLength(1);
    });

    it('replies wait in memory, and are written when Redis is back, empty', async () => {
      const redis = await startRealRedis();
      const { written } = await redisWatcher(redis);
      const owner = await startProcess(redis, SLOW);
      const before = await defer(owner);
      await redis.kill();
      const during = await defer(owner);

      await redis.startEmpty();
      await expect.poll(written).toBe(2);
      const other = await startProcess(redis);
      owner.die();

      await expect.poll(() => other.completedIds().sort()).toEqual([...before, ...during]);
      await expect.poll(written).toBe(0);
    });

    it('a process that reaches Redis again is not certain of the replies that another may have completed', async () => {
      const redis = await startRealRedis();
      const relay = await startSlowRelay(redis.url, { delayMs: 0 });
      const port = Number(new URL(relay.url).port);
      const owner = await startProcess({ ...redis, url: relay.url }, SLOW);
      const other = await startProcess(redis);
      await expect.poll(() => other.processesAlive.hasSeenAll).toBe(true);
      const [left = ''] = await defer(owner);
      relay.close();
      await expect.poll(other.completedIds).toEqual([left]);
      const [during = ''] = await defer(owner);
      expect([left, during].map((id) => owner.journal.holds(id))).toEqual([false, true]);

      await startSlowRelay(redis.url, { delayMs: 0, port });
      await heartbeats(owner, 2);
      const [after = ''] = await defer(owner);

      expect([left, during, after].map((id) => owner.journal.owns(id))).toEqual([false, false, true]);
      const held = () => [left, during, after].map((id) => owner.journal.holds(id));
      await expect.poll(held).toEqual([true, true, true]);
    });

    it('a process that stops just when Redis is back writes what is pending and removes what is completed', async () => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const { written } = await redisWatcher(redis);
      const { link } = await startRun(redis);
      const noHeartbeat = { everyMs: 3_600_000, deadAfterMs: 4_000 };
      const processesAlive = new ProcessesAlive(link, 1, noHeartbeat);
      const journal = new RedisJournal(link, processesAlive, logLines().log);
      const [completed, pending] = [deferredReply(), deferredReply()];
      await journal.add(completed);
      await redis.kill();
      await expect.poll(() => link.health).toBe('unavailable');
      await journal.remove(completed.interactionId);
      await journal.add(pending);
      await redis.start();
      await expect.poll(() => link.health).toBe('usable');

      await journal.close();

      const next = await startProcess(redis);
      await expect.poll(next.completedIds).toEqual([pending.interactionId]);
      await expect.poll(written).toBe(0);
      expect(next.completedIds()).toEqual([pending.interactionId]);
    });

    it('a process that stops asks members to try again, as no other process could complete their replies', async () => {
      const redis = await startRealRedis();
      const owner = await startProcess(redis, { ...SLOW, takesOver: false });
      const other = await startProcess(redis, { takesOver: false });
      const [asking = '', before = ''] = [...(await defer(owner)), ...(await defer(other))];
      await redis.kill();
      await expect.poll(() => [owner.link.health, other.link.health]).toEqual(['unavailable', 'unavailable']);

      await owner.stop();

      expect(owner.completed).toMatchObject([{ id: asking, outcome: { error: expect.any(Stopping) } }]);
      await other.replies.settled();
      expect(other.completedIds()).toEqual([before]);
    });
  },
);
