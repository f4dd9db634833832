import { describe, expect, it } from 'vitest';
import { Stopping } from '../../src/model/errors.ts';
import type { CardsReply } from '../../src/replies/reply-journal.ts';
import { redisPlace, sqlitePlace } from './journals.ts';
import { askedFor, deferredReply, repliesOver } from './replies-over.ts';

const PATIENTLY = { timeout: 60_000 };
const HOUR_MS = 3_600_000;

describe.each([
  { where: 'SQLite', place: sqlitePlace },
  { where: 'Redis', place: redisPlace },
])('deferred replies, journaled in $where', { timeout: 120_000 }, ({ place }) => {
  it('are completed once, and then removed from the journal', async () => {
    const { start, written } = await place();
    const run = await start();
    const { replies, defer, completed, cardService } = repliesOver(run.journal);
    replies.takeOver();
    const reply = deferredReply();

    cardService.set({ latencyMs: 300 });
    await defer(reply);
    expect(await written()).toBe(1);
    await replies.settled();

    expect(completed).toMatchObject([{ id: reply.interactionId, outcome: { answer: { card: { id: 'base1-4' } } } }]);
    expect(cardService.requests).toHaveLength(1);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it.each(['stops', 'dies'] as const)('are completed once by another process when theirs %s', async (how) => {
    const { start, written } = await place();
    const first = await start();
    const left = repliesOver(first.journal);
    left.cardService.set({ latencyMs: 60_000 });
    left.replies.takeOver();
    const deferred = Array.from({ length: 5 }, () => deferredReply());
    for (const reply of deferred) await left.defer(reply);
    if (how === 'stops') {
      await left.stop();
      await first.end();
    } else first.die();

    const { replies, completedIds, cardService } = repliesOver((await start()).journal);
    replies.takeOver();
    await expect.poll(completedIds, PATIENTLY).toHaveLength(5);
    await replies.settled();

    expect(left.completed).toEqual([]);
    expect(completedIds().sort()).toEqual(deferred.map(({ interactionId }) => interactionId));
    expect(cardService.requests).toHaveLength(1);
    await expect.poll(written, PATIENTLY).toBe(0);
  });

  it('that show an embed are neither completed nor looked up again when their process died before it removed them', async () => {
    const { start, written } = await place();
    const first = await start();
    const [answered, open] = [deferredReply(), deferredReply()];
    for (const reply of [answered, open]) await first.journal.add(reply);
    await first.end();

    const hasEmbed = ({ interactionId }: CardsReply) => interactionId === answered.interactionId;
    const { replies, completedIds, cardService, commands } = repliesOver((await start()).journal, { hasEmbed });
    replies.takeOver();
    await expect.poll(completedIds, PATIENTLY).toEqual([open.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
    await replies.settled();

    expect(completedIds()).toEqual([open.interactionId]);
    expect(cardService.requests).toHaveLength(1);
    expect(commands).toHaveLength(1);
  });
});

describe('deferred replies, whatever they are journaled in', { timeout: 120_000 }, () => {
  const place = sqlitePlace;

  it('are removed, and nothing is looked up, when Discord refuses the defer', async () => {
    const { start, written } = await place();
    const run = await start();
    const refused = () => ({ shown: false, outcome: 'too late' }) as const;
    const { defer, completed, commands, cardService, lookupQueue } = repliesOver(run.journal, { defers: refused });

    await defer(deferredReply());

    expect(await written()).toBe(0);
    expect(completed).toEqual([]);
    expect(commands).toMatchObject([{ outcome: 'too late', source: 'bot' }]);
    expect(cardService.requests).toEqual([]);
    expect(lookupQueue.length).toBe(0);
  });

  it('are completed when it is not known whether Discord accepted the defer', async () => {
    const run = await (await place()).start();
    const err = new Error('other side closed');
    const { replies, defer, completedIds, logged } = repliesOver(run.journal, { defers: () => ({ shown: true, err }) });
    const reply = deferredReply();

    await defer(reply);
    await replies.settled();

    expect(completedIds()).toEqual([reply.interactionId]);
    expect(logged).toMatchObject([{ msg: 'discord did not confirm the first answer: the reply is completed anyway' }]);
  });

  it('are sent to Discord until it accepts the answer', async () => {
    const { start, written } = await place();
    const run = await start();
    let tries = 0;
    const { replies, defer, completedIds, cardService } = repliesOver(run.journal, { accepts: () => ++tries === 2 });
    const reply = deferredReply();

    await defer(reply);
    await replies.settled();

    expect(tries).toBe(2);
    expect(completedIds()).toEqual([reply.interactionId]);
    expect(cardService.requests).toHaveLength(1);
    expect(await written()).toBe(0);
  });

  it.each([
    ['fresh', 0],
    ['stale', 7 * HOUR_MS],
  ])('are taken over with a %s copy and without a request', async (_, ageMs) => {
    const { start, written } = await place();
    const first = await start();
    const reply = deferredReply();
    await first.journal.add(reply);
    await first.end();

    const { replies, completed, cardService, commands, ledger, storedCards } = repliesOver((await start()).journal);
    const card = { id: 'base1-4', name: 'Emberwing Drake', game: 'Game', set: { id: 'base1', name: 'Base' } };
    storedCards.set('base1-4', { card, fetchedAtMs: Date.now() - ageMs });
    replies.takeOver();
    await expect.poll(written, PATIENTLY).toBe(0);
    await replies.settled();

    expect(completed).toMatchObject([{ id: reply.interactionId, outcome: { answer: { card } } }]);
    expect(cardService.requests).toEqual([]);
    expect(commands).toMatchObject([{ outcome: 'answered', source: 'cache' }]);
    expect((await ledger.today()).saved).toBe(1);
  });

  it('that got an embed while they were looked up again keep it instead of a sentence', async () => {
    const { start, written } = await place();
    const first = await start();
    await first.journal.add(deferredReply({ asked: askedFor('no-such-card') }));
    await first.end();

    let reads = 0;
    const { replies, completed, cardService } = repliesOver((await start()).journal, { hasEmbed: () => ++reads > 1 });
    replies.takeOver();
    await expect.poll(() => reads, PATIENTLY).toBe(2);
    await expect.poll(written, PATIENTLY).toBe(0);
    await replies.settled();

    expect(completed).toEqual([]);
    expect(cardService.requests).toHaveLength(1);
  });

  it('are dropped when they are past their deadline', async () => {
    const { start, written } = await place();
    const first = await start();
    const late = deferredReply({ deadlineMs: Date.now() });
    await first.journal.add(late);
    await first.end();

    const { replies, completed, droppedIds, commands, cardService } = repliesOver((await start()).journal);
    replies.takeOver();
    await expect.poll(droppedIds, PATIENTLY).toEqual([late.interactionId]);
    await replies.settled();

    expect(completed).toEqual([]);
    expect(commands).toMatchObject([{ outcome: 'too late', source: 'bot', waitMs: 0 }]);
    expect(cardService.requests).toEqual([]);
    expect(await written()).toBe(0);
  });

  it('stay journaled while their process keeps trying', async () => {
    const { start, written } = await place();
    const run = await start();
    let accepts = false;
    const { replies, defer, completedIds } = repliesOver(run.journal, { accepts: () => accepts });
    replies.takeOver();
    const reply = deferredReply();
    await defer(reply);

    await expect.poll(written, PATIENTLY).toBe(1);
    accepts = true;
    await replies.settled();
    expect(completedIds()).toEqual([reply.interactionId]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });
});

it('a reply that no other process can take over is completed with the reason when its process stops', async () => {
  const run = await (await sqlitePlace()).start();
  const { defer, stop, cardService, completed } = repliesOver({ ...journalOf(run.journal), keeps: async () => false });
  cardService.set({ latencyMs: HOUR_MS });
  await defer(deferredReply());

  await stop();

  expect(completed).toMatchObject([{ outcome: { error: expect.any(Stopping) } }]);
});

it('a reply that another process has journaled is left to it, with one warning for all', async () => {
  const run = await (await sqlitePlace()).start();
  const { defer, logged, commands, completed } = repliesOver({ ...journalOf(run.journal), add: async () => false });

  await defer(deferredReply());
  await defer(deferredReply());

  expect(commands.map(({ outcome }) => outcome)).toEqual(Array(2).fill('answered by another process'));
  expect(logged.map(({ msg }) => msg)).toEqual([
    'another process has the same shard: give each its own in DISCORD_SHARDS',
  ]);
  expect(completed).toEqual([]);
});

function journalOf(journal: Awaited<ReturnType<Awaited<ReturnType<typeof sqlitePlace>>['start']>>['journal']) {
  return {
    add: journal.add.bind(journal),
    keeps: journal.keeps.bind(journal),
    owns: journal.owns.bind(journal),
    remove: journal.remove.bind(journal),
    takeOver: journal.takeOver.bind(journal),
  };
}
