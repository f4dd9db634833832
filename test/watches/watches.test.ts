import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StateWrites } from '../../src/storage/sqlite/state-rows.ts';
import { sqliteWatches } from '../../src/storage/sqlite/watches.ts';
import { MOST_WATCHES, newWatch, WATCH_KEPT_MS, type Watch, type Wish, withPrice } from '../../src/watches/watch.ts';
import { Watches } from '../../src/watches/watches.ts';
import { logLines } from '../support/log-lines.ts';
import { WATCH_STORES } from './stores.ts';

const WISH: Wish = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };

function watchOf(wish: Partial<Wish> = {}, setAtMs = Date.now()): Watch {
  return newWatch({ ...WISH, ...wish }, 36, setAtMs);
}

function clock(): { pass(ms: number): void } {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: (ms) => void vi.setSystemTime(Date.now() + ms) };
}

describe.each(WATCH_STORES)('watches %s', (_, open) => {
  it('are found by member, by card, and by what is to be told by message', async () => {
    const store = await open();
    const [later, first] = [watchOf({}, 2), watchOf({ cardId: 'base1-5' }, 1)];
    const bobs = withPrice(watchOf({ memberId: 'bob' }), 29, 3);
    for (const watch of [later, first, bobs]) expect(await store.replace(undefined, watch)).toBe(true);
    expect(await store.ofMember('alice')).toEqual([first, later]);
    expect((await store.ofCard('base1-4')).map(({ memberId }) => memberId).sort()).toEqual(['alice', 'bob']);
    expect(await store.ofCard('base1-6')).toEqual([]);
    expect(await store.untold()).toEqual([bobs]);
    expect(await store.all()).toHaveLength(3);

    const untold = bobs.untold.map((crossing) => ({ ...crossing, tellBy: 'command' as const }));
    expect(await store.replace(bobs, { ...bobs, untold })).toBe(true);
    expect(await store.untold()).toEqual([]);
    expect(await store.ofMember('bob')).toEqual([{ ...bobs, untold }]);
  });

  it('are replaced and deleted only as they were known', async () => {
    const store = await open();
    const watch = watchOf();
    const crossing = withPrice(watch, 29, 1);
    expect(await store.replace(watch, crossing)).toBe(false);
    expect(await store.replace(undefined, watch)).toBe(true);
    expect(await store.replace(undefined, crossing)).toBe(false);
    expect(await store.replace(watch, crossing)).toBe(true);
    expect(await store.replace(watch, undefined)).toBe(false);
    expect(await store.all()).toEqual([crossing]);
    expect(await store.replace(crossing, undefined)).toBe(true);
    for (const left of [await store.all(), await store.untold(), await store.ofCard(watch.cardId)])
      expect(left).toEqual([]);
  });

  it('lose no crossing and count none twice when prices come at once', async () => {
    const store = await open();
    const told: number[] = [];
    const processes = [new Watches(store), new Watches(store)];
    for (const each of processes) each.onCrossing(({ untold }) => told.push(untold.at(-1)?.number ?? 0));
    await processes[0]?.set(WISH, 36);
    const at = (market: number) => processes.map((each) => each.priced({ cardId: WISH.cardId, market, atMs: 1 }));
    for (const market of [29, 31, 28]) await Promise.all(at(market));
    expect(told).toEqual([1, 2]);
    expect((await store.untold())[0]?.untold.map(({ price }) => price)).toEqual([29, 28]);
  });

  it('are one for a member and a card, and 25 for a member', async () => {
    const watches = new Watches(await open());
    for (let card = 0; card < MOST_WATCHES; card++)
      expect(await watches.set({ ...WISH, cardId: `base1-${card}` }, 36)).toMatchObject({ isReplaced: false });
    expect(await watches.set({ ...WISH, cardId: 'base1-25' }, 36)).toBe('tooMany');
    const replaced = { ...WISH, below: 20 };
    expect(await watches.set(replaced, 36)).toMatchObject({ isReplaced: true, watch: replaced });
    const kept = (await watches.ofMember('alice')) ?? [];
    expect(kept).toHaveLength(MOST_WATCHES);
    expect(await watches.stop('bob', kept[0]?.id ?? '')).toBe(true);
    expect(await watches.ofMember('alice')).toHaveLength(MOST_WATCHES);
    expect(await watches.stop('alice', kept[0]?.id ?? '')).toBe(true);
    expect(await watches.ofMember('alice')).toEqual(kept.slice(1));
  });

  it('are forgotten, but for those that were set after the member asked for that', async () => {
    const store = await open();
    const [before, after] = [watchOf({}, 1), watchOf({ cardId: 'base1-5' }, 3)];
    const bobs = watchOf({ memberId: 'bob' }, 1);
    for (const watch of [before, after, bobs]) await store.replace(undefined, watch);
    expect(await new Watches(store).forget('alice', 2)).toBe(true);
    expect(await store.ofMember('alice')).toEqual([after]);
    expect(await store.ofMember('bob')).toEqual([bobs]);
  });

  it('end a year after they were set, also when nobody asks for their card', async () => {
    const { pass } = clock();
    const store = await open();
    const watches = new Watches(store);
    await watches.set(WISH, 36);
    pass(WATCH_KEPT_MS - 1);
    await watches.priced({ cardId: 'another', market: 1, atMs: Date.now() });
    expect(await watches.ofMember('alice')).toHaveLength(1);
    pass(86_400_000);
    await watches.priced({ cardId: 'another', market: 1, atMs: Date.now() });
    expect(await store.all()).toEqual([]);
  });
});

it('watches that cannot be read or written now are not said to be set, stopped or forgotten', async () => {
  const watches = new Watches(sqliteWatches(new DatabaseSync(':memory:'), new StateWrites(logLines().log)));
  expect(await watches.ofMember('alice')).toBeUndefined();
  expect(await watches.set(WISH, 36)).toBe('notKept');
  expect([await watches.stop('alice', 'any'), await watches.forget('alice', Date.now())]).toEqual([false, false]);
  await watches.priced({ cardId: WISH.cardId, market: 29, atMs: 1 });
});
