import { describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedCardService } from '../../../sandbox/card-service.ts';
import { type CommandEvent, Events } from '../../../src/model/events.ts';
import { CommandReplies } from '../../../src/replies/command-replies.ts';
import type { CardsReply, ReplyJournal } from '../../../src/replies/reply-ports.ts';
import { RedisJournal } from '../../../src/storage/redis/journal.ts';
import { ProcessesAlive } from '../../../src/storage/redis/processes-alive.ts';
import { RedisUnavailable } from '../../../src/storage/redis/unavailable.ts';
import { deferredReply } from '../../replies/replies-over.ts';
import { logLines, WARN } from '../../support/log-lines.ts';
import { LONGEST_WAIT_MS, lookupQueueOver } from '../../support/lookup-queue.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { linkTo, openedLink, type RedisAddress } from '../../support/redis-link.ts';
import { startSlowRelay } from '../../support/slow-relay.ts';

/** Discord accepts everything unless said otherwise. */
interface DiscordBehaviour {
  /** Whether it accepts an edit. */
  accepts?: () => boolean;
  /** Whether it deletes messages. */
  deletes?: () => boolean;
}

/** Deferred replies over a lookup queue of their own; every request of the card service is answered. */
function repliesOver(journal: ReplyJournal, { accepts = () => true, deletes = () => true }: DiscordBehaviour = {}) {
  const [completed, dropped, deleted]: [string[], string[], string[]] = [[], [], []];
  const commands: CommandEvent[] = [];
  const cardService = new EmbeddedCardService();
  const { queue: lookupQueue, cards, ledger } = lookupQueueOver(cardService);
  const events = new Events();
  onTestFinished(events.subscribe('command', (event) => void commands.push(event)));
  onTestFinished(
    events.subscribe('reply', ({ step, interactionId }) => void (step === 'dropped' && dropped.push(interactionId))),
  );
  const removes = ({ interactionId }: Pick<CardsReply, 'interactionId'>) => {
    if (deletes()) deleted.push(interactionId);
    return deletes();
  };
  const replies = new CommandReplies({
    ...{ journal, events, log: logLines().log },
    sender: {
      reply: async () => ({ shown: true }),
      edit: async () => 'shown',
      defer: async () => ({ shown: true }),
      async complete({ interactionId }) {
        if (!accepts()) return 'failed';
        completed.push(interactionId);
        return 'shown';
      },
      deleteSource: async (press) => (removes(press) ? {} : { outcome: 'not answered' }),
      delete: async (reply) => removes(reply),
      read: async () => ({ content: '', embeds: [] }),
    },
    lookups: { cards, lookupQueue, ledger, longestWaitMs: LONGEST_WAIT_MS },
    render: async () => ({ message: { embeds: [{}] } }),
  });
  const stop = async () => {
    await lookupQueue.close(0);
    await replies.close();
  };
  onTestFinished(stop);
  return {
    ...{ replies, cardService, stop, completed, dropped, deleted, commands },
    /** As if no copy was found. */
    defer: (reply: CardsReply) =>
      replies.answer(reply, {
        ...reply.asked,
        queries: reply.asked.queries.map((query) => ({ ...query, known: { kind: 'missing' } })),
      }),
  };
}

/** So short that tests need not wait; dead only after many beats, because the machine may be busy. */
const HEARTBEAT_TIMES = { everyMs: 100, deadAfterMs: 1_500 };

async function startRun(redis: RedisAddress, { answerTimeoutMs = 10_000, openTimeoutMs = 10_000 } = {}) {
  const { link, log, lines } = linkTo(redis, { answerTimeoutMs });
  const processesAlive = new ProcessesAlive(link, HEARTBEAT_TIMES);
  const journal = new RedisJournal(link, processesAlive, log);
  await link.opened(openTimeoutMs);
  return {
    journal,
    lines,
    link,
    processesAlive,
    async end() {
      await journal.close();
      await processesAlive.leave();
      link.close();
    },
    die: () => link.close(),
  };
}

/** Sees what is written down in Redis. */
async function redisWatcher(redis: RedisAddress) {
  const { client } = (await openedLink(redis)).link;
  const key = `${redis.prefix}:replies`;
  return {
    client,
    key,
    written: () => client.hLen(key),
    ownerOf: async (id: string) => (await client.hGet(key, id))?.split(' ')[0],
  };
}

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
    expect(owner.dropped).toEqual([id]);
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

    await expect.poll(() => over.completed).toEqual([left.interactionId]);
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
    await expect.poll(() => owner.completed).toEqual([reply.interactionId]);
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

    await expect.poll(() => next.completed).toEqual([sound.interactionId]);
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
      expect(owner.completed.toSorted()).toEqual([before, ...during]);

      redis.resume();
      await expect.poll(() => [owner.link.health, other.link.health]).toEqual(['usable', 'usable']);
      await expect.poll(written).toBe(0);
      const [after] = await defer(owner);
      await owner.replies.settled();
      expect(owner.completed).toContain(after);
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

      await expect.poll(() => other.completed.toSorted()).toEqual([...before, ...during]);
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
      await expect.poll(() => other.completed).toEqual([left]);
      const [during = ''] = await defer(owner);
      expect([left, during].map((id) => owner.journal.ownerOf(id))).toEqual(['unknown', 'this']);

      await startSlowRelay(redis.url, { delayMs: 0, port });
      await heartbeats(owner, 2);
      const [after = ''] = await defer(owner);

      expect([left, during, after].map((id) => owner.journal.owns(id))).toEqual([false, false, true]);
      const owners = () => [left, during, after].map((id) => owner.journal.ownerOf(id));
      await expect.poll(owners).toEqual(['this', 'this', 'this']);
    });

    it('a process that reaches Redis again shows nothing more of a reply that another has taken over', async () => {
      const redis = await startRealRedis();
      const { ownerOf } = await redisWatcher(redis);
      const relay = await startSlowRelay(redis.url, { delayMs: 0 });
      let accepts = false;
      const owner = await startProcess({ ...redis, url: relay.url }, { accepts: () => accepts });
      const other = await startProcess(redis, SLOW);
      await expect.poll(() => other.processesAlive.hasSeenAll).toBe(true);
      const [left = ''] = await defer(owner);
      relay.setState('closed');
      await expect.poll(() => ownerOf(left)).toBe(other.processesAlive.id);

      relay.setState('open');
      await expect.poll(() => owner.dropped).toEqual([left]);
      accepts = true;
      expect([owner.journal.ownerOf(left), await ownerOf(left)]).toEqual(['another', other.processesAlive.id]);
      expect(owner.completed).toEqual([]);
    });

    it('a process that stops just when Redis is back writes what is pending and removes what is completed', async () => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const { written } = await redisWatcher(redis);
      const { link } = await startRun(redis);
      const noHeartbeat = { everyMs: 3_600_000, deadAfterMs: 4_000 };
      const processesAlive = new ProcessesAlive(link, noHeartbeat);
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
      await expect.poll(() => next.completed).toEqual([pending.interactionId]);
      await expect.poll(written).toBe(0);
      expect(next.completed).toEqual([pending.interactionId]);
    });

    it('a process that stops shows nothing: another completes its replies when Redis is back', async () => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const owner = await startProcess(redis, { ...SLOW, takesOver: false });
      const other = await startProcess(redis);
      const [left = '', own = ''] = [...(await defer(owner)), ...(await defer(other))];
      await redis.kill();
      await expect.poll(() => [owner.link.health, other.link.health]).toEqual(['unavailable', 'unavailable']);

      await owner.stop();
      owner.die();

      await redis.start();
      await expect.poll(() => other.completed.toSorted()).toEqual([left, own].sort());
      expect(owner.completed).toEqual([]);
    });
  },
);
