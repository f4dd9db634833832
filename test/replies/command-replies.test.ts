import { describe, expect, it, vi } from 'vitest';
import { Stopping } from '../../src/model/errors.ts';
import type { CardsReply, ReplyJournal } from '../../src/replies/reply-ports.ts';
import { redisPlace, sqlitePlace } from './journals.ts';
import { askedFor, deferredReply, NO_JOURNAL, repliesOver } from './replies-over.ts';

const PATIENTLY = { timeout: 60_000 };
const HOUR_MS = 3_600_000;
const DRAKE = { id: 'base1-4', name: 'Emberwing Drake', game: 'Game', set: { id: 'base1', name: 'Base' } };
const SAME_SHARD = 'another process has the same shard: give each its own in DISCORD_SHARDS';

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
    const [answered, open] = [deferredReply({ asked: askedFor('base1-5') }), deferredReply()];
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

describe.each([
  { where: 'SQLite', place: sqlitePlace },
  { where: 'Redis', place: redisPlace },
])('a reply that is deleted, journaled in $where', { timeout: 120_000 }, ({ place }) => {
  /** More than one permit at once. */
  const MANY = Array.from({ length: 20 }, (_, at) => `base1-${at + 1}`);

  it('as its answer is shown stays in the journal until it is gone', async () => {
    const { start, written } = await place();
    const { journal } = await start();
    const reply = deferredReply();
    const { interactionId } = reply;
    await journal.add(reply);
    await journal.markDeleted(interactionId);
    await journal.ended(interactionId);
    expect(await written()).toBe(1);
    await journal.remove(interactionId);
    expect(await written()).toBe(0);
  });

  it('is not completed, its place in the queue is free, and it leaves the journal once Discord is told', async () => {
    const { start, written } = await place();
    const run = await start();
    let isTold = false;
    const deletes = () => isTold;
    const over = repliesOver(run.journal, { deletes });
    const { replies, defer, completed, commands, deleted, cardService, lookupQueue, droppedIds } = over;
    cardService.set({ latencyMs: 500 });
    replies.takeOver();
    const reply = deferredReply({ asked: askedFor(...MANY) });
    await defer(reply);
    await expect.poll(() => cardService.requests.length).toBeGreaterThan(0);
    expect(lookupQueue.length).toBeGreaterThan(0);

    expect(await replies.delete(deferredReply(), reply.interactionId)).toEqual({ outcome: 'not answered' });
    await expect.poll(() => commands).toHaveLength(1);
    const { length } = cardService.requests;
    expect(await written()).toBe(1);
    expect([lookupQueue.length, completed, droppedIds()]).toEqual([0, [], [reply.interactionId]]);
    expect(commands).toMatchObject([{ outcome: 'deleted', command: 'card' }]);

    isTold = true; // without another press
    await expect.poll(() => deleted, PATIENTLY).toEqual([reply.interactionId]);
    await replies.settled();
    await expect.poll(written, PATIENTLY).toBe(0);
    expect(cardService.requests).toHaveLength(length);
  });

  it('is deleted, and not completed, by the next process when its own dies before Discord is told', async () => {
    const { start, written } = await place();
    const first = await start();
    const left = repliesOver(first.journal, { deletes: () => false });
    left.cardService.set({ latencyMs: 60_000 });
    left.replies.takeOver();
    const reply = deferredReply();
    await left.defer(reply);
    await left.replies.delete(deferredReply(), reply.interactionId);
    first.die();

    let tries = 0;
    const deletes = () => ++tries > 1;
    const { replies, completed, deleted, cardService, stepNames } = repliesOver((await start()).journal, { deletes });
    replies.takeOver();
    await expect.poll(() => deleted, PATIENTLY).toEqual([reply.interactionId]);
    await replies.settled();
    expect([completed, stepNames()]).toEqual([[], ['taken over', 'dropped']]);
    expect(cardService.requests).toEqual([]);
    await expect.poll(written, PATIENTLY).toBe(0);
  });
});

describe('a reply that is deleted', () => {
  const STALE = { card: undefined, fetchedAtMs: Date.now() - 7 * HOUR_MS };

  it('is not corrected by a renewal that it waits for', async () => {
    const { replies, cardService, storedCards, edits, lookupQueue } = repliesOver(NO_JOURNAL);
    storedCards.set('base1-4', STALE);
    cardService.set({ latencyMs: HOUR_MS });
    const { asked, ...invocation } = deferredReply();
    await replies.answer(invocation, asked);
    await replies.delete(deferredReply(), invocation.interactionId);
    await replies.settled();
    expect([edits, lookupQueue.length]).toEqual([[], 0]);
    expect(cardService.requests.length).toBeLessThan(2); // it may be under way, and is not repeated
  });

  it('while its first answer is on its way is not corrected either', async () => {
    const { replies, cardService, storedCards, edits } = repliesOver(NO_JOURNAL, {
      first: () => {
        void replies.delete(deferredReply(), invocation.interactionId);
        return { shown: true };
      },
    });
    storedCards.set('base1-4', STALE);
    cardService.set({ latencyMs: HOUR_MS });
    const { asked, ...invocation } = deferredReply();
    await replies.answer(invocation, asked);
    await replies.settled();
    expect(edits).toEqual([]);
  });

  it('by another process ends here once, and is deleted here when that has not done it', async () => {
    let marked: Parameters<ReplyJournal['takeOver']>[0] = () => {};
    const takeOver: ReplyJournal['takeOver'] = (taken) => {
      marked = taken;
    };
    const { replies, defer, completed, deleted, cardService, stepNames } = repliesOver({ ...NO_JOURNAL, takeOver });
    cardService.set({ latencyMs: HOUR_MS });
    replies.takeOver();
    const reply = deferredReply();
    await defer(reply);
    marked({ ...reply, isDeleted: true });
    await replies.settled();
    expect([completed, deleted, stepNames()]).toEqual([[], [reply.interactionId], ['deferred', 'dropped']]);
  });

  it('leaves the journal at once when Discord has deleted it', async () => {
    const remove = vi.fn(async () => {});
    const { replies } = repliesOver({ ...NO_JOURNAL, remove });
    await replies.delete(deferredReply(), 'deferred');
    expect(remove).toHaveBeenCalledWith('deferred');
  });

  it('has ended at once, whatever its lookup waits for', async () => {
    const { replies, defer, cardService, stepNames } = repliesOver(NO_JOURNAL);
    cardService.set({ latencyMs: HOUR_MS });
    const reply = deferredReply();
    await defer(reply);
    await expect.poll(() => cardService.requests).toHaveLength(1);
    await replies.delete(deferredReply(), reply.interactionId);
    await new Promise((resolve) => setImmediate(resolve));
    expect(stepNames()).toEqual(['deferred', 'dropped']);
  });

  it('costs no request when it is taken over meanwhile', async () => {
    const reply = deferredReply();
    const journal = { ...NO_JOURNAL, takeOver: (complete: (taken: CardsReply) => void) => complete(reply) };
    const { replies, completed, cardService } = repliesOver(journal);
    replies.takeOver();
    await replies.delete(deferredReply(), reply.interactionId); // while Discord is asked what the reply shows
    await replies.settled();
    expect([completed, cardService.requests]).toEqual([[], []]);
  });

  it('once it has ended is left to its button, which may be pressed again', async () => {
    let tries = 0;
    const { replies, defer, deleted } = repliesOver(NO_JOURNAL, { deletes: () => ++tries > 1 });
    const reply = deferredReply();
    await defer(reply);
    await replies.settled();
    await replies.delete(deferredReply(), reply.interactionId);
    await replies.settled();
    expect(deleted).toEqual([]);
  });

  it('is gone for its members when Discord says so, although nobody told this process', async () => {
    const { start, written } = await sqlitePlace();
    const { journal } = await start();
    const { replies, defer, commands, droppedIds } = repliesOver(journal, { completes: () => 'deleted' });
    const reply = deferredReply();
    await defer(reply);
    await replies.settled();
    expect(commands).toMatchObject([{ outcome: 'deleted' }]);
    expect([droppedIds(), await written()]).toEqual([[reply.interactionId], 0]);
  });
});

describe('deferred replies, whatever they are journaled in', { timeout: 120_000 }, () => {
  const place = sqlitePlace;
  /** Where a process that ended has left a reply. */
  const left = async (reply: CardsReply) => {
    const { start, written } = await place();
    const { journal, end } = await start();
    await journal.add(reply);
    await end();
    return { start, written };
  };

  it('are removed, and nothing is looked up, when Discord refuses the defer', async () => {
    const { start, written } = await place();
    const run = await start();
    const refused = () => ({ shown: false, outcome: 'too late' }) as const;
    const { defer, completed, commands, cardService, lookupQueue } = repliesOver(run.journal, { first: refused });

    expect(await defer(deferredReply())).toBe(false); // so that a button may be pressed again

    expect(await written()).toBe(0);
    expect(completed).toEqual([]);
    expect(commands).toMatchObject([{ outcome: 'too late', source: 'bot' }]);
    expect(cardService.requests).toEqual([]);
    expect(lookupQueue.length).toBe(0);
  });

  const unconfirmed = { msg: 'discord did not confirm the first answer: the reply is completed anyway' };
  it.each([
    ['it is not known whether Discord accepted the defer', { err: new Error('other side closed') }, [unconfirmed]],
    ['it is known, and nothing is said of it', {}, []],
  ])('are completed when %s', async (_, answered, lines) => {
    const run = await (await place()).start();
    const first = () => ({ shown: true, ...answered }) as const;
    const { replies, defer, completedIds, logged } = repliesOver(run.journal, { first });
    const reply = deferredReply();

    expect(await defer(reply)).toBe(true); // a second press of its button brings no second reply
    await replies.settled();

    expect(completedIds()).toEqual([reply.interactionId]);
    expect(logged).toMatchObject(lines);
  });

  it.each([
    ['fresh', 0],
    ['stale', 7 * HOUR_MS],
  ])('are taken over with a %s copy and without a request', async (_, ageMs) => {
    const reply = deferredReply();
    const { start, written } = await left(reply);

    const { replies, completed, cardService, commands, ledger, storedCards } = repliesOver((await start()).journal);
    storedCards.set('base1-4', { card: DRAKE, fetchedAtMs: Date.now() - ageMs });
    replies.takeOver();
    await expect.poll(written, PATIENTLY).toBe(0);
    await replies.settled();

    expect(completed).toMatchObject([{ id: reply.interactionId, outcome: { answer: { card: DRAKE } } }]);
    expect(cardService.requests).toEqual([]);
    expect(commands).toMatchObject([{ outcome: 'answered', source: 'cache' }]);
    expect((await ledger.today()).saved).toBe(1);
  });

  it.each([
    [3, 2],
    [1, 1],
  ])(
    'of a list are taken over with what is left of its ceiling of %i by the cards that came: %i',
    async (ceiling, requests) => {
      const asked = { ...askedFor('base1-1', 'base1-4', 'base1-5'), list: { id: '1', ceiling } };
      const { start } = await left(deferredReply({ asked }));

      const { replies, completedIds, cardService, storedCards } = repliesOver((await start()).journal);
      storedCards.set('base1-1', { card: undefined, fetchedAtMs: Date.now() });
      cardService.set({ down: true });
      replies.takeOver();
      await expect.poll(completedIds, PATIENTLY).toHaveLength(1);
      await replies.settled();

      expect(cardService.requests).toHaveLength(requests);
    },
  );

  it('are dropped when they are past their deadline', async () => {
    const late = deferredReply({ deadlineMs: Date.now() });
    const { start, written } = await left(late);

    const { replies, completed, droppedIds, commands, cardService } = repliesOver((await start()).journal);
    replies.takeOver();
    await expect.poll(droppedIds, PATIENTLY).toEqual([late.interactionId]);
    await replies.settled();

    expect(completed).toEqual([]);
    expect(commands).toMatchObject([{ outcome: 'too late', source: 'bot', waitMs: 0 }]);
    expect(cardService.requests).toEqual([]);
    expect(await written()).toBe(0);
  });
});

it('a reply that no other process can take over is completed with the reason when its process stops', async () => {
  const { defer, stop, cardService, completed } = repliesOver(NO_JOURNAL);
  cardService.set({ latencyMs: HOUR_MS });
  await defer(deferredReply());
  await stop();
  expect(completed).toMatchObject([{ outcome: { error: expect.any(Stopping) } }]);
});

it('a reply that another process has journaled is left to it, with one warning for all', async () => {
  const { defer, logged, commands, completed, lookupQueue } = repliesOver({ ...NO_JOURNAL, add: async () => false });
  expect([await defer(deferredReply()), await defer(deferredReply())]).toEqual([true, true]);
  expect(commands.map(({ outcome }) => outcome)).toEqual(Array(2).fill('answered by another process'));
  expect(logged).toMatchObject([{ msg: SAME_SHARD }]);
  expect([completed, lookupQueue.length]).toEqual([[], 0]);
});

it.each([
  ['everyone, where Discord shows the reply', undefined, false],
  ['its member alone, where Discord refuses it for others', 'Blocked.', true],
])('a card that is known counts as shown to %s', async (_, word, isPrivate) => {
  const { replies, shown, storedCards } = repliesOver(NO_JOURNAL, {
    first: () => ({ shown: true, ...(word && { word }) }),
  });
  storedCards.set('base1-4', { card: DRAKE, fetchedAtMs: Date.now() });
  const { asked, ...invocation } = deferredReply();
  expect(await replies.answer(invocation, asked)).toBe(true);
  expect(shown).toMatchObject([{ cardIds: ['base1-4'], isPrivate }]);
});

it.each([
  ['for everyone, with a card', DRAKE, false, false],
  ['for its member alone, without a card', undefined, false, true],
  ['for its member alone, as was asked', DRAKE, true, true],
])('what is known is rendered and shown %s', async (_, card, wish, isPrivate) => {
  const { replies, areRenderedPrivate, areSentPrivate, storedCards } = repliesOver(NO_JOURNAL);
  storedCards.set('base1-4', { card, fetchedAtMs: Date.now() });
  const { asked, ...invocation } = deferredReply();
  await replies.answer(invocation, { ...asked, isPrivate: wish });
  expect([areRenderedPrivate, areSentPrivate]).toEqual([[isPrivate], [isPrivate]]);
});

it('a deferred reply that Discord refuses for others to see counts as shown to its member alone', async () => {
  const { replies, defer, shown } = repliesOver(NO_JOURNAL, { completes: () => 'shownInPrivate' });
  await defer(deferredReply());
  await replies.settled();
  expect(shown).toMatchObject([{ isPrivate: true }]);
});

it('a correction that fails before Discord has refused the reply ends no process', async () => {
  const { replies, commands } = repliesOver(NO_JOURNAL, { first: () => ({ shown: false, outcome: 'too late' }) });
  const correction = Promise.reject(new Error('a bug'));
  const reply = { message: {}, isPrivate: false, source: 'bot', correction } as const;
  const err = new Error('another bug');
  expect(await replies.reply(deferredReply(), reply, { outcome: 'broken', err })).toBe(false);
  await new Promise((resolve) => setImmediate(resolve)); // by now it would be unhandled
  expect(commands).toMatchObject([{ outcome: 'too late', err }]);
});

it.each([
  ['an answer at once', {}, true, 1],
  ['no answer that Discord has not confirmed', { err: new Error('other side closed') }, true, 0],
  ['the end of a deferred reply', {}, false, 1],
])('what a member is still to be told may follow %s', async (_, more, isKnown, times) => {
  const { replies, answered, storedCards, defer } = repliesOver(NO_JOURNAL, {
    first: () => ({ shown: true, ...more }),
  });
  storedCards.set('base1-4', { card: DRAKE, fetchedAtMs: Date.now() });
  const { asked, ...invocation } = deferredReply();
  if (isKnown) await replies.answer(invocation, asked);
  else await defer({ ...invocation, asked });
  await replies.settled();
  expect(answered).toHaveLength(times);
});

it('a list that is taken over and shows its end is left as it is', async () => {
  const reply = deferredReply({ asked: { ...askedFor('base1-1', 'base1-4'), list: { id: '1', ceiling: 2 } } });
  const journal = { ...NO_JOURNAL, takeOver: (complete: (taken: CardsReply) => void) => complete(reply) };
  const { replies, stepNames, cardService } = repliesOver(journal, { hasEmbed: () => true });
  replies.takeOver();
  await replies.settled();
  expect([stepNames(), cardService.requests]).toEqual([['taken over', 'dropped'], []]);
});

describe('a command to which Discord has the answer of another process', () => {
  const first = () => ({ shown: true, isOfAnother: true }) as const;

  it('is not shown from here when its card is known, and is not counted as answered', async () => {
    const { replies, commands, logged, storedCards } = repliesOver(NO_JOURNAL, { first });
    storedCards.set('base1-4', { card: undefined, fetchedAtMs: Date.now() });
    const { asked, ...invocation } = deferredReply();
    expect(await replies.answer(invocation, asked)).toBe(false);
    expect(commands).toMatchObject([{ outcome: 'answered by another process' }]);
    expect(logged).toMatchObject([{ msg: SAME_SHARD }]);
  });

  it.each([
    ['is completed from here when that shows no card', false, 1],
    ['is left as it is when that shows the card', true, 0],
  ])('%s', async (_, isShown, count) => {
    const { replies, defer, commands, completed } = repliesOver(NO_JOURNAL, { first, hasEmbed: () => isShown });
    await defer(deferredReply());
    await replies.settled();
    expect(completed).toHaveLength(count);
    const outcomes = ['answered by another process', ...Array(count).fill('answered')];
    expect(commands.map(({ outcome }) => outcome)).toEqual(outcomes);
  });
});
