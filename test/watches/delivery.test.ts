import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LocalClaims } from '../../src/model/claims.ts';
import type { Sent } from '../../src/model/sent.ts';
import { WatchDelivery } from '../../src/watches/delivery.ts';
import { Watches } from '../../src/watches/watches.ts';
import { ERROR, logLines } from '../support/log-lines.ts';
import { inFiles } from '../support/stores.ts';

const WISH = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };
const ALICE = { requester: WISH };
const TRIED_FOR_MS = 120_000;

/** Alice watches a card for 36, and a process tells her. */
async function watching() {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { watchStore: store } = await (await inFiles())();
  const watches = new Watches(store);
  await watches.set(WISH, 36);
  const sent: string[] = [];
  const shown: number[] = [];
  const { log, lines } = logLines();
  const bot = {
    store,
    sent,
    shown,
    lines,
    /** What becomes of each message. */
    answer: async (): Promise<Sent> => 'sent',
    /** What becomes of what is shown below a command. */
    showing: async (): Promise<Sent> => 'sent',
    untold: async () => (await store.find())?.flatMap(({ untold }) => untold.map(({ tellBy }) => tellBy)),
    priced: (market: number) => watches.priced({ cardId: WISH.cardId, market, atMs: Date.now() }),
    pass: (ms: number) => void vi.setSystemTime(Date.now() + ms),
    /** One process; the next has none of its memory. */
    process() {
      const delivery = new WatchDelivery({
        watches,
        renew: () => watches.renew(),
        claims: new LocalClaims(),
        send(_, nonce) {
          sent.push(nonce);
          return bot.answer();
        },
        waitMs: () => 0,
        async show(_, held) {
          const sent = await bot.showing();
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

// What members see of it while everything can be stored: test/scenes/watch-delivery.test.ts.
describe('a crossing', () => {
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
});
