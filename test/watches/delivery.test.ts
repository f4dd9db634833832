import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LocalClaims } from '../../src/model/claims.ts';
import { nonceOf, type WatchCrossing, WatchDelivery } from '../../src/watches/delivery.ts';
import { Watches } from '../../src/watches/watches.ts';
import { logLines } from '../support/log-lines.ts';
import { WATCH_STORES } from './stores.ts';

const WISH = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };
const TRIED_FOR_MS = 120_000;
const [, openStore] = WATCH_STORES[0] ?? [];

/** Members watch a card for 36, and a process tells them. */
async function watching(members = ['alice']) {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = await openStore?.();
  if (!store) throw new Error('no store');
  const watches = new Watches(store);
  for (const memberId of members) await watches.set({ ...WISH, memberId }, 36);
  const sent: string[] = [];
  const shown: number[] = [];
  const bot = {
    store,
    watches,
    sent,
    shown,
    /** What becomes of each message. */
    answer: async (_: WatchCrossing): Promise<'sent' | 'refused' | 'failed'> => 'sent',
    untold: async () => (await store.find())?.flatMap(({ untold }) => untold.map(({ tellBy }) => tellBy)),
    priced: (market: number, cardId = WISH.cardId) => watches.priced({ cardId, market, atMs: Date.now() }),
    pass: (ms: number) => void vi.setSystemTime(Date.now() + ms),
    /** One process; the next has none of its memory. */
    process() {
      const delivery = new WatchDelivery({
        watches,
        claims: new LocalClaims(),
        send(crossing, nonce) {
          sent.push(nonce);
          return bot.answer(crossing);
        },
        async show(_, held) {
          shown.push(...held.map(({ crossing }) => crossing.price));
          return true;
        },
        mostShown: 5,
        log: logLines().log,
      });
      onTestFinished(() => delivery.close());
      return delivery;
    },
  };
  return bot;
}

describe('a crossing', () => {
  it('is told once by message, and has a nonce that fits', async () => {
    const { watches, process, priced, sent, untold, shown } = await watching();
    const delivery = process();
    watches.onCrossing(delivery.tell);
    await priced(29);
    await expect.poll(untold).toEqual([]);
    delivery.tell();
    delivery.answered(WISH);
    await delivery.close();
    expect([sent.length, shown]).toEqual([1, []]);
    expect(sent[0]?.length).toBeLessThanOrEqual(25);
  });

  it.each([
    ['that the last process left is sent within two minutes', TRIED_FOR_MS - 1, 1, []],
    ['that is older is shown with a command', TRIED_FOR_MS, 0, ['command']],
  ])('%s', async (_, ageMs, messages, left) => {
    const { process, priced, pass, sent, untold } = await watching();
    await priced(29);
    pass(ageMs);
    process().tell();
    await expect.poll(untold).toEqual(left);
    expect(sent).toHaveLength(messages);
  });

  it('that no message tells is shown once, also when other commands are answered meanwhile', async () => {
    const bot = await watching();
    await bot.watches.set({ ...WISH, cardId: 'base1-2' }, 36);
    bot.answer = async () => 'refused';
    const delivery = bot.process();
    await bot.priced(29);
    await bot.priced(28, 'base1-2');
    delivery.tell();
    await expect.poll(bot.untold).toEqual(['command', 'command']);
    const { change } = bot.store;
    bot.store.change = async (...args) => {
      const changed = await change(...args);
      delivery.answered(WISH);
      await nextLoopIteration();
      return changed;
    };
    for (const to of [WISH, { memberId: 'bob' }, WISH]) delivery.answered(to);
    await expect.poll(bot.untold).toEqual([]);
    delivery.answered(WISH);
    await delivery.close();
    expect(bot.shown.toSorted()).toEqual([28, 29]);
  });

  it('that was sent and could not be noted is neither sent nor shown again', async () => {
    const bot = await watching();
    const { change } = bot.store;
    bot.answer = async () => {
      bot.store.change = async () => undefined;
      return 'sent';
    };
    const delivery = bot.process();
    await bot.priced(29);
    delivery.tell();
    await expect.poll(() => bot.sent).toHaveLength(1);
    bot.pass(TRIED_FOR_MS);
    bot.store.change = change;
    delivery.tell();
    await expect.poll(bot.untold).toEqual([]);
    expect(bot.sent).toHaveLength(1);
  });

  it('that Discord fails with keeps no other waiting, and is sent again', async () => {
    const bot = await watching(['alice', 'bob', 'carol']);
    bot.answer = async ({ watch }) => (watch.memberId === 'bob' ? 'failed' : 'sent');
    const delivery = bot.process();
    await bot.priced(29);
    bot.pass(1);
    const others = Array.from({ length: 20 }, (_, index) => `other-${index}`); // sent before
    for (const cardId of others) await bot.watches.set({ ...WISH, memberId: 'bob', cardId }, 36);
    for (const cardId of others) await bot.priced(29, cardId);
    delivery.tell();
    await expect.poll(bot.untold).toHaveLength(21);
    bot.answer = async () => 'sent';
    delivery.tell();
    await expect.poll(bot.untold).toEqual([]);
  });

  it('of many members lets others run while it is noted', async () => {
    const bot = await watching(Array.from({ length: 50 }, (_, index) => `member-${index}`));
    await bot.priced(29);
    bot.pass(TRIED_FOR_MS);
    bot.process().tell();
    await nextLoopIteration();
    expect(await bot.untold()).toContain('message');
  });

  it('is not sent by as many tries as there are members while Discord fails', async () => {
    const bot = await watching(Array.from({ length: 50 }, (_, index) => `member-${index}`));
    bot.answer = async () => 'failed';
    const delivery = bot.process();
    await bot.priced(29);
    delivery.tell();
    await expect.poll(() => bot.sent.length).toBeGreaterThan(9);
    await delivery.close();
    expect(bot.sent.length).toBeLessThan(20);
  });

  it('of a watch that is set again while its message is on the way is not taken for told', async () => {
    const bot = await watching();
    bot.answer = async () => {
      await bot.watches.stop('alice', (await bot.store.find())?.[0]?.id ?? '');
      await bot.watches.set(WISH, 36);
      bot.pass(1);
      await bot.priced(28);
      return 'sent';
    };
    const delivery = bot.process();
    await bot.priced(29);
    delivery.tell();
    await expect.poll(() => bot.sent).toHaveLength(1);
    await delivery.close();
    const [watch] = (await bot.store.find()) ?? [];
    const [crossing] = watch?.untold ?? [];
    expect(watch && crossing && nonceOf({ watch, crossing })).not.toBe(bot.sent[0]);
    expect(crossing).toMatchObject({ price: 28, tellBy: 'message' });
  });
});
