import { describe, expect, it } from 'vitest';
import type { DeferredReply } from '../../src/replies/deferred-reply.ts';
import { deferred, queueOver } from './deferred-replies-over.ts';
import { redisPlace, sqlitePlace } from './journals.ts';

const PATIENTLY = { timeout: 20_000 };

describe.each([
  { where: 'SQLite', reservation: sqlitePlace },
  { where: 'Redis', reservation: redisPlace },
])('replies owed, written down in $where', { timeout: 40_000 }, ({ reservation }) => {
  it('are paid once, and then nothing is written down any more', async () => {
    const { start, written } = await reservation();
    const run = await start();
    const { queue, paid, cardService } = queueOver(run.journal);
    queue.resume();
    const owed = deferred();

    expect(await queue.keep(owed)).toBe(true);
    expect(await written()).toBe(1);
    queue.owe(owed);
    await queue.settled();

    expect(paid).toMatchObject([{ id: owed.interactionId, outcome: { answer: { card: { id: 'base1-4' } } } }]);
    expect(cardService.requests).toHaveLength(1);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('are nobody’s when Discord would not have them', async () => {
    const { start, written } = await reservation();
    const run = await start();
    const { queue, paid } = queueOver(run.journal);
    const refused = deferred();

    await queue.keep(refused);
    await queue.forget(refused);

    expect(await written()).toBe(0);
    expect(paid).toEqual([]);
  });

  it('are offered to Discord until it takes the answer', async () => {
    const { start, written } = await reservation();
    const run = await start();
    let offers = 0;
    const { queue, paidIds, cardService } = queueOver(run.journal, () => ++offers === 2);
    const owed = deferred();

    await queue.keep(owed);
    queue.owe(owed);
    await queue.settled();

    expect(offers).toBe(2);
    expect(paidIds()).toEqual([owed.interactionId]);
    expect(cardService.requests).toHaveLength(1);
    expect(await written()).toBe(0);
  });

  it.each(['stops', 'dies'] as const)('are paid by another process, once, when theirs %s', async (how) => {
    const { start, written } = await reservation();
    const first = await start();
    const left = queueOver(first.journal);
    left.cardService.set({ latencyMs: 60_000 });
    left.queue.resume();
    const owed = Array.from({ length: 5 }, () => deferred());
    for (const each of owed) await left.queue.keep(each);
    for (const each of owed) left.queue.owe(each);
    if (how === 'stops') {
      await left.stop();
      await first.end();
    } else first.die();

    const { queue, paidIds, cardService } = queueOver((await start()).journal);
    queue.resume();
    await expect.poll(paidIds, PATIENTLY).toHaveLength(5);
    await queue.settled();

    expect(left.paid).toEqual([]);
    expect(paidIds().sort()).toEqual(owed.map(({ interactionId }) => interactionId));
    expect(cardService.requests).toHaveLength(1);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('are neither paid again nor asked for when their process had paid them, and died before it could say so', async () => {
    const { start, written } = await reservation();
    const first = await start();
    const [paidBefore, owed] = [deferred(), deferred()];
    for (const each of [paidBefore, owed]) await first.journal.add(each);
    await first.end();

    const isPaid = ({ interactionId }: DeferredReply) => interactionId === paidBefore.interactionId;
    const { queue, paidIds, cardService } = queueOver((await start()).journal, undefined, isPaid);
    queue.resume();
    await expect.poll(paidIds, PATIENTLY).toEqual([owed.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
    await queue.settled();

    expect(paidIds()).toEqual([owed.interactionId]);
    expect(cardService.requests).toHaveLength(1);
  });

  it('are given up when nobody could pay them in time', async () => {
    const { start, written } = await reservation();
    const first = await start();
    const late = deferred({ deadlineMs: Date.now() });
    await first.journal.add(late);
    await first.end();

    const { queue, paid, givenUp, cardService } = queueOver((await start()).journal);
    queue.resume();
    await expect.poll(() => givenUp, PATIENTLY).toEqual([late.interactionId]);
    await queue.settled();

    expect(paid).toEqual([]);
    expect(cardService.requests).toEqual([]);
    expect(await written()).toBe(0);
  });

  it('stay written down while their process goes on trying', async () => {
    const { start, written } = await reservation();
    const run = await start();
    let taken = false;
    const { queue, paidIds } = queueOver(run.journal, () => taken);
    queue.resume();
    const owed = deferred();
    await queue.keep(owed);
    queue.owe(owed);

    await expect.poll(written, PATIENTLY).toBe(1);
    taken = true;
    await queue.settled();
    expect(paidIds()).toEqual([owed.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });
});
