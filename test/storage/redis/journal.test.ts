import { describe, expect, it, vi } from 'vitest';
import { deferredReply } from '../../replies/replies-over.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import { LOOK_EVERY_MS, processOver, UNTIL_DEAD } from '../../support/processes-over-redis.ts';
import { clientOf, startRedis } from '../../support/redis.ts';

/** Two processes that have a Redis of their own, of which the second takes replies over, and what is written down there. */
async function two() {
  const redis = await startRedis();
  const client = await clientOf(redis);
  const key = `${redis.prefix}:replies`;
  const [owner, other] = [await processOver(redis), await processOver(redis)];
  for (const each of [owner, other]) await each.looks();
  await other.takesOver();
  return {
    ...{ redis, client, key, owner, other },
    written: () => client.hGetAll(key),
    /** As if another process had taken the reply over. */
    give: (id: string, { processes }: typeof other) => client.hSet(key, id, processes.id),
  };
}

async function add({ journal }: Awaited<ReturnType<typeof processOver>>, ago = 0) {
  const reply = deferredReply({ receivedAtMs: Date.now() - ago });
  expect(await journal.add(reply)).toBe(true);
  return { reply, id: reply.interactionId };
}

describe('a deferred reply in Redis', () => {
  it('has one owner when two processes receive the same interaction', async () => {
    const { owner, other } = await two();
    const replies = Array.from({ length: 20 }, () => deferredReply());
    const kept = await Promise.all(
      replies.map((each) => Promise.all([owner.journal.add(each), other.journal.add({ ...each })])),
    );
    expect(kept.map((both) => both.filter(Boolean))).toEqual(replies.map(() => [true]));
  });

  it('is taken over when its owner is dead, and not while it is alive, however long it waits; the oldest first', async () => {
    const { owner, other, written } = await two();
    const [late, early] = [await add(owner), await add(owner, 1_000)];
    for (let times = 0; times < 2 * UNTIL_DEAD; times++) for (const each of [owner, other]) await each.looks();
    expect(other.taken).toEqual([]);
    await other.looks(UNTIL_DEAD);
    expect(other.taken).toEqual([early.reply, late.reply]);
    expect(await written()).toEqual({ [late.id]: other.processes.id, [early.id]: other.processes.id });
  });

  it('is left to any process at once when its owner stops, also one that comes late and receives the interaction again', async () => {
    const { redis, owner, other, written } = await two();
    const [left, kept] = [await add(owner), await add(other)];
    await owner.journal.close();
    expect(await written()).toEqual({ [left.id]: '-', [kept.id]: other.processes.id });
    const late = await processOver(redis);
    expect(await late.journal.add({ ...left.reply })).toBe(false);
    await other.looks();
    expect(other.taken).toEqual([left.reply]);
  });

  it('of a list is written again, when Redis has forgotten it, with what its lookups may still cost by then', async () => {
    const { client, redis, owner, other } = await two();
    const reply = deferredReply();
    const list = { id: '7', left: 3 };
    expect(await owner.journal.add({ ...reply, asked: { ...reply.asked, list } })).toBe(true);
    list.left = 1;
    await client.unlink([`${redis.prefix}:replies`, `${redis.prefix}:replies:texts`, `${redis.prefix}:processes`]);
    for (let times = 0; times < UNTIL_DEAD; times++) for (const each of [owner, other]) await each.looks();
    await other.looks(UNTIL_DEAD);
    expect(other.taken.map(({ asked }) => asked.list)).toEqual([{ id: '7', left: 1 }]);
  });

  it('that a process took over without learning of it is completed by that process', async () => {
    const { owner, other, written, give } = await two();
    const { reply, id } = await add(owner);
    await give(id, other);
    await other.looks();
    expect(other.taken).toEqual([reply]);
    await other.journal.remove(id);
    expect(await written()).toEqual({});
  });

  it('that a process completes after another has taken it over stays with that one, and goes to a third when it dies', async () => {
    const { owner, other, written, give } = await two();
    const { reply, id } = await add(owner);
    await give(id, other);
    await owner.journal.remove(id);
    await owner.looks();
    expect(await written()).toEqual({ [id]: other.processes.id });
    await other.looks();
    await other.processes.leave();
    await owner.takesOver();
    await owner.looks(UNTIL_DEAD);
    expect(owner.taken).toEqual([reply]);
  });

  it('that an operator has deleted is not written again', async () => {
    const { client, key, owner, written } = await two();
    await add(owner);
    await client.unlink(key);
    await owner.looks();
    expect(await written()).toEqual({});
  });

  it('is not kept for longer than it can be completed', async () => {
    const { client, key, owner } = await two();
    await add(owner);
    expect(await client.pTTL(key)).toBeGreaterThan(15 * 60_000);
    expect(await client.pTTL(key)).toBeLessThanOrEqual(16 * 60_000);
  });
});

describe('while Redis is unavailable', () => {
  it('what is completed from memory is removed when Redis is back, and not taken over', async () => {
    const { owner, other, written } = await two();
    const before = await add(owner);
    owner.part(true);
    const during = await add(owner);
    for (const { id } of [before, during]) await owner.journal.remove(id);
    owner.part(false);
    await owner.looks();
    expect(await written()).toEqual({});
    await other.looks(UNTIL_DEAD);
    expect(other.taken).toEqual([]);
  });

  it('replies wait in memory, and are written when Redis is back, empty', async () => {
    fakeTimers({ toFake: ['performance'] });
    const { client, key, owner, other } = await two();
    const before = await add(owner, 1_000);
    owner.part(true);
    const during = await add(owner);
    await client.unlink([key, `${key}:texts`]);
    vi.advanceTimersByTime(3 * LOOK_EVERY_MS);
    expect(await owner.journal.keeps(during.reply)).toBe(false);
    owner.part(false);
    expect(await owner.journal.keeps(during.reply)).toBe(true);
    await owner.looks();
    await other.looks(UNTIL_DEAD);
    expect(other.taken).toEqual([before.reply, during.reply]);
  });

  it('a process that reaches Redis again is not certain of the replies that another may have completed, and leaves it what it has taken over', async () => {
    fakeTimers({ toFake: ['performance'] });
    const { owner, other, written } = await two();
    const [completed, taken] = [await add(owner), await add(owner)];
    owner.part(true);
    await other.looks(UNTIL_DEAD + 1);
    await other.journal.remove(completed.id);
    const during = await add(owner);
    vi.advanceTimersByTime(3 * LOOK_EVERY_MS);
    const owners = () => [completed, taken, during].map(({ id }) => owner.journal.ownerOf(id));
    expect(owners()).toEqual(['unknown', 'unknown', 'this']);

    owner.part(false);
    await owner.looks();
    const after = await add(owner);
    expect([completed, during, after].map(({ id }) => owner.journal.owns(id))).toEqual([false, false, true]);
    expect(owners()).toEqual(['this', 'another', 'this']);
    expect(await written()).toMatchObject({ [taken.id]: other.processes.id });
    other.part(true);
    vi.advanceTimersByTime(3 * LOOK_EVERY_MS);
    expect(other.journal.ownerOf(taken.id)).toBe('unknown');
  });

  it('a process that stops just when Redis is back writes what is pending and removes what is completed', async () => {
    const { owner, other, written } = await two();
    const completed = await add(owner);
    owner.part(true);
    await owner.journal.remove(completed.id);
    const pending = await add(owner);
    owner.part(false);
    await owner.journal.close();
    expect(await written()).toEqual({ [pending.id]: '-' });
    await other.looks();
    expect(other.taken).toEqual([pending.reply]);
  });

  it('a process that stops leaves its replies to another, which takes them over once that is dead', async () => {
    const { owner, other } = await two();
    const { reply } = await add(owner);
    owner.part(true);
    await owner.journal.close();
    await other.looks(UNTIL_DEAD + 1);
    expect(other.taken).toEqual([reply]);
  });
});
