import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newWatch, type Watch, type Wish, withPrice, withTold } from '../../src/watches/watch.ts';
import { MOST_WATCHES, type WatchesOf } from '../../src/watches/watch-rows.ts';
import { Watches } from '../../src/watches/watches.ts';
import { inRedis } from '../support/stores.ts';

const WISH: Wish = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };

function watchOf(wish: Partial<Wish> = {}, setAtMs = Date.now()): Watch {
  return newWatch({ ...WISH, ...wish }, 36, setAtMs);
}

function clock(): { pass(ms: number): void } {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: (ms) => void vi.setSystemTime(Date.now() + ms) };
}

const open = async () => (await (await inRedis())()).watchStore;

describe('watches', () => {
  it('are found by member, by card, and by what is to be told by message', async () => {
    const store = await open();
    const [one, other] = [watchOf(), watchOf({ cardId: 'base1-5' })];
    const bobs = withPrice(watchOf({ memberId: 'bob' }), 29, 3);
    for (const watch of [one, other, bobs]) await store.change(watch.id, () => watch);
    const found = async (of?: WatchesOf) => new Set(await store.find(of));
    expect(await found({ member: 'alice' })).toEqual(new Set([one, other]));
    expect(await found({ card: 'base1-4' })).toEqual(new Set([one, bobs]));
    expect(await found({ card: 'base1-6' })).toEqual(new Set());
    expect(await found('untold')).toEqual(new Set([bobs]));
    expect(await found()).toEqual(new Set([one, other, bobs]));

    const held = bobs.untold.reduce(
      (watch, crossing) => withTold(watch, crossing, { ...crossing, tellBy: 'command' }),
      bobs,
    );
    expect(await store.change(bobs.id, () => held)).toEqual({ before: bobs, after: held });
    expect(await store.find('untold')).toEqual([]);
    expect(await store.find({ member: 'bob' })).toEqual([held]);
    await store.change(bobs.id, () => undefined);
    for (const scope of ['untold', { member: 'bob' }] as const) expect(await store.find(scope)).toEqual([]);
    expect(await found({ card: 'base1-4' })).toEqual(new Set([one]));
  });

  it('lose no crossing and count none twice when prices come at once', async () => {
    const store = await open();
    const told: (number | undefined)[] = [];
    const processes = [new Watches(store), new Watches(store)];
    for (const each of processes) each.onCrossing(({ untold }) => told.push(untold.at(-1)?.price));
    await processes[0]?.set(WISH, 36);
    const at = (market: number) => processes.map((each) => each.priced({ cardId: WISH.cardId, market, atMs: market }));
    for (const market of [29, 31, 28]) await Promise.all(at(market));
    expect(told).toEqual([29, 28]);
    expect((await store.find('untold'))?.[0]?.untold.map(({ price }) => price)).toEqual([29, 28]);
  });

  it('are checked against a price that came while they could not be changed, with the next look', async () => {
    const store = await open();
    const watches = new Watches(store);
    await watches.set(WISH, 36);
    for (const name of ['find', 'change'] as const) {
      const fails = vi.spyOn(store, name).mockResolvedValue(undefined);
      await watches.priced({ cardId: WISH.cardId, market: 29, atMs: 1 });
      fails.mockRestore();
    }
    vi.spyOn(store, 'known').mockResolvedValueOnce(undefined);
    await watches.renew();
    await watches.renew();
    expect((await store.find('untold'))?.[0]?.untold).toMatchObject([{ price: 29 }]);
  });

  it('of other processes are known by the next look, and checked against a price that came before it', async () => {
    const store = await open();
    const [watches, other] = [new Watches(store), new Watches(store)];
    await watches.renew();
    await other.set(WISH, 36);
    watches.unchecked.set(WISH.cardId, { cardId: WISH.cardId, market: 29, atMs: 1 });
    watches.unchecked.set('another', { cardId: 'another', market: 29, atMs: 1 });
    const find = vi.spyOn(store, 'find');
    await watches.renew();
    expect(find).not.toHaveBeenCalledWith({ card: 'another' }); // nobody watches it, and a read costs
    expect((await store.find('untold'))?.[0]?.untold).toMatchObject([{ price: 29 }]);
    expect(watches).toMatchObject({ cards: new Set([WISH.cardId]), toTell: new Set(['alice']), unchecked: new Map() });

    await other.renew();
    expect(other.toTell).toEqual(new Set(['alice']));
    await other.forget('alice');
    await other.untoldOf('alice');
    await other.priced({ cardId: WISH.cardId, market: 31, atMs: 2 });
    for (const each of [other, new Watches(store)]) {
      await each.renew();
      expect(each).toMatchObject({ cards: new Set(), toTell: new Set() });
    }
  });

  it('are one for a member and a card, and 25 for a member', async () => {
    const watches = new Watches(await open());
    for (let card = 0; card < MOST_WATCHES; card++)
      expect(await watches.set({ ...WISH, cardId: `base1-${card}` }, 36)).toMatchObject({ isReplaced: false });
    expect(await watches.set({ ...WISH, cardId: 'base1-25' }, 36)).toBe('tooMany');
    const replaced = { ...WISH, below: 20 };
    expect(await watches.set(replaced, 36)).toMatchObject({ isReplaced: true, watch: replaced });
    const kept = (await watches.find({ member: 'alice' })) ?? [];
    expect(kept).toHaveLength(MOST_WATCHES);
    expect(await watches.stop('bob', kept[0]?.id ?? '')).toBe(true);
    expect(await watches.find({ member: 'alice' })).toHaveLength(MOST_WATCHES);
    expect(await watches.stop('alice', kept[0]?.id ?? '')).toBe(true);
    expect(await watches.find({ member: 'alice' })).toEqual(kept.slice(1));
    expect(await watches.set({ ...WISH, cardId: 'base1-60' }, 36)).toMatchObject({ isReplaced: false });
  });

  it('of another card service rest: they are neither listed nor checked, and make room when there are 25', async () => {
    const store = await open();
    const [mine, others] = [undefined, '0a1b2c3d'].map((service) => new Watches(store, undefined, service));
    await others?.set({ ...WISH, below: 30 }, 36);
    await mine?.set({ ...WISH, below: 20 }, 36);
    expect(await mine?.find()).toMatchObject([{ below: 20 }]);
    await mine?.priced({ cardId: WISH.cardId, market: 10, atMs: 1 });
    expect(await others?.find()).toMatchObject([{ below: 30, crossings: 0, service: '0a1b2c3d' }]);
    expect(await others?.find('untold')).toEqual([]);
    for (let card = 0; card < MOST_WATCHES - 1; card++)
      expect(await mine?.set({ ...WISH, cardId: `base2-${card}` }, 36)).toMatchObject({ isReplaced: false });
    expect(await others?.find()).toEqual([]);
    expect(await mine?.set({ ...WISH, cardId: 'base3-1' }, 36)).toBe('tooMany');
    expect(await mine?.forget('alice')).toBe(true);
    expect(await store.find()).toEqual([]);
  });

  it('are never more than 25 for a member, however many are set at once in two processes', async () => {
    const store = await open();
    const processes = [new Watches(store), new Watches(store)];
    const wishes = Array.from({ length: 60 }, (_, card) => ({ ...WISH, cardId: `base1-${card}` }));
    const set = await Promise.all(wishes.map((wish, at) => processes[at % 2]?.set(wish, 36)));
    expect(set.filter((each) => each === 'tooMany')).toHaveLength(60 - MOST_WATCHES);
    expect(await store.find({ member: 'alice' })).toHaveLength(MOST_WATCHES);
    expect(await processes[0]?.set({ ...WISH, memberId: 'bob' }, 36)).toMatchObject({ isReplaced: false });
  });

  it('are all forgotten, whatever the clock said when they were set', async () => {
    const store = await open();
    const bobs = watchOf({ memberId: 'bob' });
    for (const watch of [watchOf(), watchOf({ cardId: 'base1-5' }, Date.now() + 20_000), bobs])
      await store.change(watch.id, () => watch);
    const untold = withPrice(watchOf({ cardId: 'base1-6' }, Date.now() + 40 * 86_400_000), 29, 3);
    await store.change(untold.id, () => untold);
    expect(await new Watches(store).forget('alice')).toBe(true);
    expect(await store.find()).toEqual([bobs]);
    for (const scope of [{ member: 'alice' }, { card: 'base1-6' }, 'untold'] as const)
      expect(await store.find(scope)).toEqual([]);
  });

  it('that an operator has deleted leave no card that is watched for nobody', async () => {
    const { rows, watches } = await (await inRedis())();
    for (const wish of [WISH, { ...WISH, memberId: 'bob' }, { ...WISH, memberId: 'bob', cardId: 'base1-5' }])
      await watches.set(wish, 36);
    for (const part of ['watches', 'watches:member:alice', 'watches:card:base1-4'])
      for (const row of (await rows.read(part)) ?? [])
        if ([part, ...row].some((text) => text.includes('alice')))
          await rows.write([{ part, key: row[0], value: undefined }], { keepMs: 1 });
    await watches.stop('bob', watchOf({ memberId: 'bob' }).id);
    await watches.priced({ cardId: WISH.cardId, market: 29, atMs: 1 });
    await watches.renew();
    expect(watches.cards).toEqual(new Set(['base1-5']));
  });

  it('that cannot be read keep no place of their member', async () => {
    const { rows, watches, lines } = await (await inRedis())();
    for (let card = 0; card < MOST_WATCHES; card++) await watches.set({ ...WISH, cardId: `base1-${card}` }, 36);
    const key = watchOf({ cardId: 'base1-7' }).id;
    await rows.write([{ part: 'watches', key, value: '{}' }], { keepMs: 60_000 });
    expect(await watches.set({ ...WISH, cardId: 'base1-25' }, 36)).toMatchObject({ isReplaced: false });
    expect(await watches.find({ member: 'alice' })).toHaveLength(MOST_WATCHES);
    expect(lines).toHaveLength(1);
  });

  it('end a year after they were set, also when nobody asks for their card', async () => {
    const { pass } = clock();
    const store = await open();
    const watches = new Watches(store);
    await watches.set(WISH, 36);
    pass(365 * 86_400_000 - 1);
    await watches.renew();
    expect(await watches.find({ member: 'alice' })).toHaveLength(1);
    pass(86_400_000);
    await watches.renew();
    expect(await store.find()).toEqual([]);
  });
});

it('watches that cannot be read or written now are not said to be set, stopped or forgotten', async () => {
  const { link, watches } = await (await inRedis())();
  link.close();
  expect(await watches.find({ member: 'alice' })).toBeUndefined();
  expect(await watches.set(WISH, 36)).toBe('notKept');
  expect(await watches.stop('alice', 'any')).toBe(false);
  expect(await watches.forget('alice')).toBe(false);
  await watches.priced({ cardId: WISH.cardId, market: 29, atMs: 1 });
});
