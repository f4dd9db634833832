import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LocalClaims } from '../../src/model/claims.ts';
import type { Sent } from '../../src/model/sent.ts';
import { WatchDelivery } from '../../src/watches/delivery.ts';
import { nonceOf, type WatchCrossing } from '../../src/watches/untold.ts';
import { Watches } from '../../src/watches/watches.ts';
import { ERROR, logLines } from '../support/log-lines.ts';
import { inFiles } from '../support/stores.ts';

const WISH = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };
const ALICE = { requester: WISH };
const TRIED_FOR_MS = 120_000;

/** Members watch a card for 36, and a process tells them. */
async function watching(members = ['alice']) {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { watchStore: store } = await (await inFiles())();
  const watches = new Watches(store);
  for (const memberId of members) await watches.set({ ...WISH, memberId }, 36);
  const sent: string[] = [];
  const shown: number[] = [];
  const { log, lines } = logLines();
  const bot = {
    store,
    watches,
    sent,
    shown,
    lines,
    /** What becomes of each message. */
    answer: async (_: WatchCrossing): Promise<Sent> => 'sent',
    /** What becomes of what is shown below a command. */
    showing: async (_: readonly WatchCrossing[]): Promise<Sent> => 'sent',
    waitMs: (_: string) => 0,
    untold: async () => (await store.find())?.flatMap(({ untold }) => untold.map(({ tellBy }) => tellBy)),
    priced: (market: number, cardId = WISH.cardId) => watches.priced({ cardId, market, atMs: Date.now() }),
    pass: (ms: number) => void vi.setSystemTime(Date.now() + ms),
    /** One process; the next has none of its memory. */
    process() {
      const delivery = new WatchDelivery({
        watches,
        renew: () => watches.renew(),
        claims: new LocalClaims(),
        send(crossing, nonce) {
          sent.push(nonce);
          return bot.answer(crossing);
        },
        waitMs: (memberId) => bot.waitMs(memberId),
        async show(_, held) {
          const sent = await bot.showing(held);
          if (sent === 'sent') shown.push(...held.map(({ crossing }) => crossing.price));
          return sent;
        },
        mostShown: 5,
        log,
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
    delivery.answered(ALICE);
    await delivery.close();
    expect([sent.length, shown]).toEqual([1, []]);
    expect(sent[0]?.length).toBeLessThanOrEqual(25);
  });

  it('whose watch has ended while others were told is not sent any more', async () => {
    const bot = await watching();
    await bot.watches.set({ ...WISH, cardId: 'base1-5' }, 36);
    for (const cardId of [WISH.cardId, 'base1-5']) await bot.priced(29, cardId);
    bot.answer = async () => {
      await bot.watches.forget(WISH.memberId);
      return 'sent';
    };
    const delivery = bot.process();
    delivery.tell();
    await expect.poll(() => bot.sent.length).toBeGreaterThan(0);
    await delivery.close();
    expect([bot.sent.length, await bot.untold()]).toEqual([1, []]);
  });

  it.each([
    ['is sent again within two minutes of the first try', TRIED_FOR_MS / 2, 2, []],
    ['is left to a command after that', TRIED_FOR_MS, 1, ['command']],
  ])('that the last process tried %s, however old it is', async (_, afterMs, messages, left) => {
    const bot = await watching();
    await bot.priced(29);
    bot.pass(10 * TRIED_FOR_MS);
    bot.answer = async () => 'failed';
    const last = bot.process();
    last.tell();
    await expect.poll(() => bot.sent).toHaveLength(1);
    await last.close();
    bot.pass(afterMs);
    bot.answer = async () => 'sent';
    bot.process().tell();
    await expect.poll(bot.untold).toEqual(left);
    expect(bot.sent).toHaveLength(messages);
  });

  it('for which Discord opens no channel is not tried until it does, and the log says how many wait', async () => {
    const others = Array.from({ length: 9 }, (_, index) => `member-${index}`);
    const bot = await watching(['bob', ...others]);
    bot.waitMs = (memberId) => (memberId === 'bob' ? 0 : 3_000);
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const delivery = bot.process();
    await bot.priced(29);
    bot.pass(10 * TRIED_FOR_MS);
    const said = () => bot.lines.filter(({ msg }) => String(msg).includes('wait for messages'));
    delivery.tell();
    await expect.poll(bot.untold).toHaveLength(9);
    expect(said()).toMatchObject([{ members: 10 }]);
    expect(bot.sent).toHaveLength(1);
    bot.waitMs = () => 0;
    await vi.advanceTimersByTimeAsync(3_000);
    await expect.poll(bot.untold, { timeout: 5_000 }).toEqual([]);
    expect(bot.sent).toHaveLength(10);
  });

  it('which no message has told of for two minutes is shown with a command, and not sent any more', async () => {
    const bot = await watching();
    bot.waitMs = () => 60_000;
    const delivery = bot.process();
    await bot.priced(29);
    bot.pass(TRIED_FOR_MS - 1);
    delivery.answered(ALICE);
    await nextLoopIteration();
    expect(bot.shown).toEqual([]);
    bot.pass(1);
    delivery.answered(ALICE);
    await expect.poll(bot.untold).toEqual([]);
    bot.waitMs = () => 0;
    delivery.tell();
    await delivery.close();
    expect([bot.shown, bot.sent]).toEqual([[29], []]);
  });

  it('that Discord could not take just now has not been tried', async () => {
    const bot = await watching();
    bot.answer = async () => 'unsent';
    const delivery = bot.process();
    await bot.priced(29);
    delivery.tell();
    await expect.poll(() => bot.sent).toHaveLength(1);
    await delivery.close();
    expect((await bot.store.find())?.[0]?.untold).toMatchObject([{ tellBy: 'message' }]);
    expect((await bot.store.find())?.[0]?.untold[0]).not.toHaveProperty('triedAtMs');
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
      delivery.answered(ALICE);
      await nextLoopIteration();
      return changed;
    };
    for (const to of [ALICE, { requester: { memberId: 'bob' } }, ALICE]) delivery.answered(to);
    await expect.poll(bot.untold).toEqual([]);
    delivery.answered(ALICE);
    await delivery.close();
    expect(bot.shown.toSorted()).toEqual([28, 29]);
  });

  it('is the last of its watch where a command shows several, and the others are told with it', async () => {
    const bot = await watching();
    await bot.watches.set({ ...WISH, cardId: 'base1-2' }, 36);
    bot.answer = async () => 'refused';
    const delivery = bot.process();
    for (const market of [29, 36, 28]) await bot.priced(market);
    await bot.priced(27, 'base1-2');
    delivery.tell();
    await expect.poll(bot.untold).toEqual(Array(3).fill('command'));
    delivery.answered(ALICE);
    await expect.poll(bot.untold).toEqual([]);
    expect(bot.shown.toSorted()).toEqual([27, 28]);
  });

  it('that Discord refuses to show keeps no other waiting', async () => {
    const bot = await watching();
    for (const cardId of ['base1-2', 'base1-3']) await bot.watches.set({ ...WISH, cardId }, 36);
    bot.answer = async () => 'refused';
    const showings: number[][] = [];
    bot.showing = async (held) => {
      showings.push(held.map(({ crossing }) => crossing.price));
      return held.some(({ crossing }) => crossing.price === 29) ? 'refused' : 'sent';
    };
    const delivery = bot.process();
    const cards = ['base1-4', 'base1-2', 'base1-3'];
    for (const [index, cardId] of cards.entries()) await bot.priced(29 - index, cardId);
    delivery.tell();
    await expect.poll(bot.untold).toEqual(Array(3).fill('command'));
    delivery.answered(ALICE);
    await expect.poll(bot.untold).toHaveLength(1);
    expect([showings.length, bot.shown.toSorted()]).toEqual([4, [27, 28]]);
    await bot.watches.set({ ...WISH, cardId: 'base1-5' }, 36);
    await bot.priced(26, 'base1-5');
    delivery.tell();
    await expect.poll(bot.untold).toEqual(['command', 'command']);
    delivery.answered(ALICE);
    await expect.poll(() => bot.shown.length).toBe(3);
    expect(showings[4]).toEqual([26, 29]);
  });

  it.each<[string, Sent, before: boolean, after: boolean]>([
    ['was not shown is shown with the next command', 'unsent', false, false],
    ['may have been shown is shown once more, which is known', 'failed', false, true],
  ])('that %s', async (_, first, before, after) => {
    const bot = await watching();
    bot.answer = async () => 'refused';
    const isTried: boolean[] = [];
    let sent = first;
    bot.showing = async (held) => {
      isTried.push(held.some(({ crossing }) => crossing.triedAtMs !== undefined));
      return sent;
    };
    await bot.priced(29);
    const delivery = bot.process();
    delivery.tell();
    await expect.poll(bot.untold).toEqual(['command']);
    delivery.answered(ALICE);
    await expect.poll(() => isTried).toEqual([before]);
    await delivery.close();
    sent = 'sent';
    const next = bot.process();
    next.answered(ALICE);
    await expect.poll(bot.untold).toEqual([]);
    next.answered(ALICE);
    await next.close();
    expect(isTried).toEqual([before, after]);
  });

  it('of which it cannot be noted that it is shown waits for the next command', async () => {
    const bot = await watching();
    bot.answer = async () => 'refused';
    const delivery = bot.process();
    await bot.priced(29);
    delivery.tell();
    await expect.poll(bot.untold).toEqual(['command']);
    await delivery.close();
    const { change } = bot.store;
    let tries = 0;
    bot.store.change = async () => void tries++;
    const showing = vi.spyOn(bot, 'showing');
    const apart = bot.process();
    apart.answered(ALICE);
    await expect.poll(() => tries).toBeGreaterThan(0);
    await apart.close();
    expect([bot.shown, showing.mock.calls]).toEqual([[], []]);
    bot.store.change = change;
    bot.process().answered(ALICE);
    await expect.poll(() => bot.shown).toEqual([29]);
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

  it.each<Sent>(['failed', 'unsent'])('that is %s is the last that its member is sent for now', async (answer) => {
    const bot = await watching();
    await bot.watches.set({ ...WISH, cardId: 'base1-5' }, 36);
    bot.answer = async () => answer;
    for (const cardId of [WISH.cardId, 'base1-5']) await bot.priced(29, cardId);
    const delivery = bot.process();
    delivery.tell();
    await expect.poll(() => bot.sent.length).toBeGreaterThan(0);
    for (let rounds = 0; rounds < 20; rounds++) await nextLoopIteration();
    expect(bot.sent).toHaveLength(1);
  });

  it('that Discord fails with is sent again after ten seconds or more', async () => {
    const bot = await watching();
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    bot.answer = async () => 'failed';
    const delivery = bot.process();
    await bot.priced(29);
    delivery.tell();
    await expect.poll(() => bot.sent, { timeout: 5_000 }).toHaveLength(1);
    for (let rounds = 0; rounds < 20; rounds++) await nextLoopIteration(); // until it is noted
    await vi.advanceTimersByTimeAsync(9_000);
    for (let rounds = 0; rounds < 20; rounds++) await nextLoopIteration();
    expect(bot.sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(4_000);
    await expect.poll(() => bot.sent, { timeout: 5_000 }).toHaveLength(2);
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

  it('whose message is on its way is noted before its process has closed, and no other is sent by it', async () => {
    const bot = await watching();
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    await bot.watches.set({ ...WISH, cardId: 'base1-5' }, 36);
    for (const cardId of [WISH.cardId, 'base1-5']) await bot.priced(29, cardId);
    const answer = Promise.withResolvers<Sent>();
    bot.answer = () => answer.promise;
    const delivery = bot.process();
    delivery.tell();
    await expect.poll(() => bot.sent, { timeout: 5_000 }).toHaveLength(1);
    const closed = delivery.close();
    const timers = vi.getTimerCount();
    answer.resolve('sent');
    await closed;
    expect([bot.sent.length, await bot.untold()]).toEqual([1, ['message']]);
    expect([timers, vi.getTimerCount()]).toEqual([0, 0]);
    delivery.tell();
    expect(vi.getTimerCount()).toBe(0);
    await delivery.close();
    expect(bot.sent).toHaveLength(1);
  });

  it('whose try cannot be noted is not sent before it can, and one of which Discord takes none is sent again', async () => {
    const bot = await watching();
    await bot.priced(29);
    const { change } = bot.store;
    bot.store.change = async () => {
      bot.store.change = change;
      return undefined;
    };
    const apart = bot.process();
    apart.tell();
    for (let rounds = 0; rounds < 20; rounds++) await nextLoopIteration();
    expect([bot.sent, bot.lines, await bot.untold()]).toEqual([[], [], ['message']]);
    bot.answer = async () => {
      bot.store.change = async () => undefined; // that it is unsent cannot be noted
      return 'unsent';
    };
    apart.tell();
    await expect.poll(() => bot.sent).toHaveLength(1);
    await nextLoopIteration();
    bot.store.change = change;
    bot.answer = async () => 'sent';
    apart.tell();
    await expect.poll(bot.untold).toEqual([]);
    expect(bot.sent).toHaveLength(2);
  });

  it('is sent to each of many members without a wait while Discord takes them', async () => {
    const bot = await watching(Array.from({ length: 30 }, (_, index) => `member-${index}`));
    await bot.priced(29);
    const delivery = bot.process();
    delivery.tell();
    await expect.poll(bot.untold).toEqual([]);
    expect(bot.sent).toHaveLength(30);
  });

  it('that is being shown with a command is noted before its process has closed', async () => {
    const bot = await watching();
    bot.answer = async () => 'refused';
    const delivery = bot.process();
    await bot.priced(29);
    delivery.tell();
    await expect.poll(bot.untold).toEqual(['command']);
    const shown = Promise.withResolvers<Sent>();
    const showing = vi.fn(() => shown.promise);
    bot.showing = showing;
    delivery.answered(ALICE);
    await expect.poll(() => showing.mock.calls.length).toBe(1);
    const closed = delivery.close();
    shown.resolve('sent');
    await closed;
    expect(await bot.untold()).toEqual([]);
  });

  it.each([
    ['to be sent', (delivery: WatchDelivery<typeof ALICE>) => delivery.tell()],
    ['to be shown', (delivery: WatchDelivery<typeof ALICE>) => delivery.answered(ALICE)],
  ])('that cannot be read %s, for a reason that nobody thought of, is said in the log', async (_, tell) => {
    const bot = await watching();
    bot.store.find = () => Promise.reject(new TypeError('a bug'));
    const delivery = bot.process();
    tell(delivery);
    await delivery.close();
    expect(bot.lines).toMatchObject([{ level: ERROR, err: { message: 'a bug' } }]);
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
