import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisLink } from '../../src/redis/redis-link.ts';
import { logLines, WARN } from '../support/log-lines.ts';
import { PREFIX, startRun, writtenDebts } from './journal-places.ts';
import { debt, queueOver } from './queue-over.ts';
import { startRedis } from './spawned-redis.ts';

const PATIENTLY = { timeout: 20_000 };

async function world() {
  const redis = await startRedis();
  const { log } = logLines();
  const link = new RedisLink({ url: redis.url, prefix: PREFIX, log });
  onTestFinished(() => link.close());
  await link.opened(10_000);
  return { redis, client: link.client, written: () => writtenDebts(link) };
}

/** A process that pays, or with a slow card service only owes. */
async function startProcess(url: string, { latencyMs = 0, taken = () => true } = {}) {
  const run = await startRun(url);
  const over = queueOver(run.journal, taken);
  over.cardService.set({ latencyMs });
  over.queue.resume();
  return { ...run, ...over };
}

const SLOW = { latencyMs: 60_000 };

describe('a debt in Redis', { timeout: 60_000 }, () => {
  it('is owed by one of two processes that were given the same interaction', async () => {
    const { redis } = await world();
    const [one, other] = await Promise.all([startProcess(redis.url), startProcess(redis.url)]);
    const owed = Array.from({ length: 20 }, () => debt());

    const kept = await Promise.all(
      owed.map((each) => Promise.all([one.queue.keep(each), other.queue.keep({ ...each })])),
    );

    expect(kept.map((both) => both.filter(Boolean))).toEqual(owed.map(() => [true]));
  });

  it('is left alone while its process is alive, however long it waits', async () => {
    const { redis, client, written } = await world();
    const home = await startProcess(redis.url, SLOW);
    const other = await startProcess(redis.url);
    const owed = debt();
    await home.queue.keep(owed);
    home.queue.owe(owed);

    const looks = async () => Number(await client.hGet(`${PREFIX}:replies:interaction-${owed.interactionId}`, 'ats'));
    await expect.poll(looks, PATIENTLY).toBeGreaterThanOrEqual(4);

    expect(other.paid).toEqual([]);
    expect(other.cardService.requests).toEqual([]);
    expect(await written()).toBe(1);
  });

  it('is paid by another when its process is heard of no more, and by a third when that one dies, too', async () => {
    const { redis, written } = await world();
    const last = await startProcess(redis.url);
    last.queue.resume();
    const first = await startProcess(redis.url, SLOW);
    await expect.poll(() => last.fleet.isGone(first.fleet.id), PATIENTLY).toBe(false);
    await expect.poll(() => last.fleet.size, PATIENTLY).toBe(2);
    const owed = debt();
    // Only the one in between may see it first.
    last.die();
    const second = await startProcess(redis.url, SLOW);
    await expect.poll(() => second.fleet.size, PATIENTLY).toBeGreaterThan(1);
    await first.queue.keep(owed);
    first.queue.owe(owed);
    first.die();
    await expect.poll(() => second.cardService.requests.length, PATIENTLY).toBe(1);
    second.die();

    const third = await startProcess(redis.url);
    await expect.poll(third.paidIds, PATIENTLY).toEqual([owed.interactionId]);
    expect(first.paid).toEqual([]);
    expect(second.paid).toEqual([]);
    expect(third.cardService.requests).toHaveLength(1);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('over which a process died while looking at it is paid by the next', async () => {
    const { redis, client, written } = await world();
    const first = await startRun(redis.url);
    const owed = debt();
    await first.journal.add(owed);
    await first.end();
    // As a process leaves it that died between fetching and postponing: active, and nobody's lock.
    const id = `interaction-${owed.interactionId}`;
    await client.zRem(`${PREFIX}:replies:delayed`, id);
    await client.lRem(`${PREFIX}:replies:wait`, 0, id);
    await client.rPush(`${PREFIX}:replies:active`, id);

    const next = await startProcess(redis.url);

    await expect.poll(next.paidIds, PATIENTLY).toEqual([owed.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('that does not fit is dropped with a line in the log, and the others are paid', async () => {
    const { redis, client, written } = await world();
    const first = await startRun(redis.url);
    const [spoilt, sound] = [debt(), debt()];
    await first.journal.add(spoilt);
    await first.journal.add(sound);
    await first.end();
    await client.hSet(`${PREFIX}:replies:interaction-${spoilt.interactionId}`, 'data', '{"home":7}');

    const next = await startProcess(redis.url);

    await expect.poll(next.paidIds, PATIENTLY).toEqual([sound.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
    expect(next.lines.map(({ msg }) => msg)).toContain('debt does not fit: it is dropped');
  });

  it('leaves nothing behind but the keys of its queue', async () => {
    const { redis, client, written } = await world();
    const { queue } = await startProcess(redis.url);
    const owed = Array.from({ length: 50 }, () => debt());
    for (const each of owed) await queue.keep(each);
    const bytes = await client.memoryUsage(`${PREFIX}:replies:interaction-${owed[0]?.interactionId}`);
    for (const each of owed) queue.owe(each);
    await queue.settled();

    await expect.poll(written, PATIENTLY).toBe(0);
    const left = (await client.keys(`${PREFIX}:replies*`)).map((key) => key.slice(`${PREFIX}:replies:`.length));
    expect(['delayed', 'events', 'id', 'marker', 'meta', 'stalled-check']).toEqual(expect.arrayContaining(left));
    expect(bytes).toBeLessThan(1_500);
    expect(await client.xLen(`${PREFIX}:replies:events`)).toBeLessThan(250);
  });
});

describe('while Redis is away', { timeout: 60_000 }, () => {
  it.each(['killed', 'hung'] as const)(
    '(%s) debts are paid from memory; when it is back nothing is left in it',
    async (how) => {
      const { redis, client, written } = await world();
      const home = await startProcess(redis.url);
      const other = await startProcess(redis.url);
      const before = debt();
      await home.queue.keep(before);
      if (how === 'killed') await redis.kill();
      else redis.signal('SIGSTOP');

      const during = Array.from({ length: 20 }, () => debt());
      const startedMs = performance.now();
      for (const each of during) expect(await home.queue.keep(each)).toBe(true);
      const keptMs = performance.now() - startedMs;
      for (const each of [before, ...during]) home.queue.owe(each);
      await home.queue.settled();
      expect(home.paid).toHaveLength(21);
      expect(keptMs).toBeLessThan(2_000); // one wait of 250 ms, not twenty

      if (how === 'killed') await redis.start();
      else redis.signal('SIGCONT');
      await expect.poll(() => client.isReady, PATIENTLY).toBe(true);
      const next = debt();
      await expect.poll(() => [home.link.health, other.link.health], PATIENTLY).toEqual(['usable', 'usable']);
      await home.queue.keep(next);
      home.queue.owe(next);
      await home.queue.settled();
      await expect.poll(written, PATIENTLY).toBe(0);
      expect(home.paid).toHaveLength(22);
      expect(other.paid).toEqual([]);
      const warnings = home.lines.filter(({ level }) => level >= WARN);
      expect(warnings).toHaveLength(1);
    },
  );

  it('what is owed waits in memory, and is written down when Redis is back, empty', async () => {
    const { redis, written } = await world();
    const home = await startProcess(redis.url, SLOW);
    const [before, during] = [debt(), debt()];
    await home.queue.keep(before);
    home.queue.owe(before);
    await redis.kill();
    await home.queue.keep(during);
    home.queue.owe(during);

    await redis.start();
    await expect.poll(written, PATIENTLY).toBe(2);
    const other = await startProcess(redis.url);
    home.die();

    await expect.poll(() => other.paidIds().sort(), PATIENTLY).toEqual([before.interactionId, during.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('from the start, a process owes and pays all the same', async () => {
    const { redis, written } = await world();
    await redis.kill();
    const home = await startProcess(redis.url);
    const owed = debt();

    expect(await home.queue.keep(owed)).toBe(true);
    home.queue.owe(owed);
    await home.queue.settled();
    expect(home.paidIds()).toEqual([owed.interactionId]);

    await redis.start();
    await expect.poll(() => home.link.health, PATIENTLY).toBe('usable');
    await expect.poll(written, PATIENTLY).toBe(0);
    const next = debt();
    await home.queue.keep(next);
    expect(await written()).toBe(1);
  });

  it('a process stops in time', async () => {
    const { redis } = await world();
    const home = await startProcess(redis.url, SLOW);
    const owed = Array.from({ length: 50 }, () => debt());
    for (const each of owed) await home.queue.keep(each);
    redis.signal('SIGSTOP');
    onTestFinished(() => void redis.signal('SIGCONT'));

    const startedMs = performance.now();
    await home.stop();
    await home.end();

    expect(performance.now() - startedMs).toBeLessThan(3_000);
  });
});
