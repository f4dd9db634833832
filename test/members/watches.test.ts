import { describe, expect, it, vi } from 'vitest';
import { MOST_WATCHES, Watches, type Wish, withTold } from '../../src/members/watches.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { inRedis } from '../support/stores.ts';

const WISH: Wish = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };
const ALICE = { member: 'alice' };

/** As processes see them that share what is kept. */
async function processes(...services: (string | undefined)[]) {
  const { rows } = await (await inRedis())();
  const open = services.length > 0 ? services : [undefined, undefined];
  const [watches, other] = open.map((service) => new Watches(rows, undefined, service));
  if (!watches || !other) throw new Error('two processes');
  return { rows, watches, other };
}

/** A watch is set while the card costs 36. */
const set = (watches: Watches, more: Partial<Wish> = {}) => watches.set({ ...WISH, ...more }, 36);
const priceOf = (market: number, cardId = WISH.cardId) => ({ cardId, market, atMs: market });
const untoldPrices = async (watches: Watches) =>
  (await watches.untoldOf('alice')).map(({ crossing }) => crossing.price);

describe('watches', () => {
  it('are found by member and by card, and members by how they are to be told', async () => {
    const { watches, other } = await processes();
    const bobs = { ...WISH, memberId: 'bob' };
    for (const wish of [WISH, { ...WISH, cardId: 'base1-5' }, bobs]) await watches.set(wish, 36);
    const found = async (of?: Parameters<Watches['find']>[0]) =>
      (await other.find(of))?.map(({ memberId, cardId }) => `${memberId} ${cardId}`).sort();
    expect(await found(ALICE)).toEqual(['alice base1-4', 'alice base1-5']);
    expect(await found({ card: 'base1-4' })).toEqual(['alice base1-4', 'bob base1-4']);
    expect(await found({ card: 'base1-6' })).toEqual([]);
    expect(await found()).toHaveLength(3);

    await watches.priced(priceOf(29));
    const [{ watch, crossing } = {}] = await watches.untoldOf('bob');
    if (!watch || !crossing) throw new Error('no crossing');
    await watches.change(watch.id, (each) => withTold(each, crossing, { ...crossing, tellBy: 'command' }));
    await other.renew();
    expect(other.toTell).toEqual(new Map([...[['alice', 'message'] as const], ['bob', 'command']]));
    await other.stop('bob', watch.id);
    await other.renew();
    expect(other.toTell).toEqual(new Map([['alice', 'message']]));
    expect(await found({ card: 'base1-4' })).toEqual(['alice base1-4']);
  });

  it('count no crossing twice when prices come at once, and tell the last one', async () => {
    const { watches, other } = await processes();
    const told: (number | undefined)[] = [];
    for (const each of [watches, other]) each.onCrossing = ({ untold }) => void told.push(untold?.price);
    await set(watches);
    for (const market of [29, 31, 28]) await Promise.all([watches, other].map((each) => each.priced(priceOf(market))));
    expect(told).toEqual([29, 28]);
    expect(await untoldPrices(other)).toEqual([28]);
  });

  it('of other processes are known by the next look, and checked against a price that came before it', async () => {
    const { rows, watches, other } = await processes();
    await watches.renew();
    await set(other);
    for (const cardId of [WISH.cardId, 'another']) watches.unchecked.set(cardId, priceOf(29, cardId));
    const read = vi.spyOn(rows, 'read');
    await watches.renew();
    expect(read).not.toHaveBeenCalledWith('watches:card:another'); // nobody watches it, and a read costs
    expect(await untoldPrices(watches)).toEqual([29]);
    expect(watches).toMatchObject({ cards: new Set([WISH.cardId]), unchecked: new Map() });

    await other.renew();
    expect(other.toTell).toEqual(new Map([['alice', 'message']]));
    await other.forget('alice');
    await other.untoldOf('alice');
    await other.priced(priceOf(31));
    for (const each of [other, new Watches(rows)]) {
      await each.renew();
      expect(each).toMatchObject({ cards: new Set(), toTell: new Map() });
    }
  });

  it('are one for a member and a card, and 25 for a member', async () => {
    const { watches } = await processes();
    for (let card = 0; card < MOST_WATCHES; card++)
      expect(await set(watches, { cardId: `base1-${card}` })).toMatchObject({ isReplaced: false });
    expect(await set(watches, { cardId: 'base1-25' })).toBe('tooMany');
    const replaced = { ...WISH, below: 20 };
    expect(await watches.set(replaced, 36)).toMatchObject({ isReplaced: true, watch: replaced });
    const kept = (await watches.find(ALICE)) ?? [];
    expect(kept).toHaveLength(MOST_WATCHES);
    expect(await watches.stop('bob', kept[0]?.id ?? '')).toBe(true);
    expect(await watches.find(ALICE)).toHaveLength(MOST_WATCHES);
    expect(await watches.stop('alice', kept[0]?.id ?? '')).toBe(true);
    expect(await watches.find(ALICE)).toEqual(kept.slice(1));
    expect(await set(watches, { cardId: 'base1-60' })).toMatchObject({ isReplaced: false });
  });

  it('of another card service rest: they are neither listed nor checked, and make room when there are 25', async () => {
    const { watches, other } = await processes(undefined, '0a1b2c3d');
    await set(other, { below: 30 });
    await set(watches, { below: 20 });
    expect(await watches.find()).toMatchObject([{ below: 20 }]);
    await watches.priced(priceOf(10));
    expect(await other.find()).toMatchObject([{ below: 30, crossings: 0, service: '0a1b2c3d' }]);
    expect(await untoldPrices(other)).toEqual([]);
    for (let card = 0; card < MOST_WATCHES - 1; card++)
      expect(await set(watches, { cardId: `base2-${card}` })).toMatchObject({ isReplaced: false });
    expect(await other.find()).toEqual([]);
    expect(await set(watches, { cardId: 'base3-1' })).toBe('tooMany');
    expect(await watches.forget('alice')).toBe(true);
    expect(await watches.find()).toEqual([]);
  });

  it('are never more than 25 for a member, however many are set at once in two processes', async () => {
    const { watches, other } = await processes();
    const wishes = Array.from({ length: 60 }, (_, card) => ({ ...WISH, cardId: `base1-${card}` }));
    const answers = await Promise.all(wishes.map((wish, at) => (at % 2 ? watches : other).set(wish, 36)));
    expect(answers.filter((each) => each === 'tooMany')).toHaveLength(60 - MOST_WATCHES);
    expect(await watches.find(ALICE)).toHaveLength(MOST_WATCHES);
    expect(await set(watches, { memberId: 'bob' })).toMatchObject({ isReplaced: false });
  });

  it('are all forgotten, whatever the clock said when they were set, and with what was to be told', async () => {
    const { rows, watches } = await processes();
    fakeTimers({ toFake: ['Date'] });
    for (const cardId of ['base1-4', 'base1-5', 'base1-6']) {
      await set(watches, { cardId });
      await watches.priced(priceOf(29, cardId));
      vi.setSystemTime(Date.now() - 86_400_000);
    }
    await set(watches, { memberId: 'bob' });
    expect(await watches.forget('alice')).toBe(true);
    expect(await watches.find()).toMatchObject([{ memberId: 'bob' }]);
    for (const part of ['watches:member:alice', 'watches:card:base1-6', 'watches:untold'])
      expect(await rows.read(part)).toEqual(new Map());
  });

  it('that an operator has deleted leave no card that is watched for nobody', async () => {
    const { rows, watches } = await processes();
    for (const wish of [WISH, { ...WISH, memberId: 'bob' }, { ...WISH, memberId: 'bob', cardId: 'base1-5' }])
      await watches.set(wish, 36);
    for (const part of ['watches', 'watches:member:alice', 'watches:card:base1-4'])
      for (const row of (await rows.read(part)) ?? [])
        if ([part, ...row].some((text) => text.includes('alice')))
          await rows.write([{ part, key: row[0], value: undefined }], { keepMs: 1 });
    const [bobs] = (await watches.find({ card: WISH.cardId })) ?? [];
    await watches.stop('bob', bobs?.id ?? '');
    await watches.priced(priceOf(29));
    await watches.renew();
    expect(watches.cards).toEqual(new Set(['base1-5']));
  });

  it('end a year after they were set, also when nobody asks for their card', async () => {
    fakeTimers({ toFake: ['Date'] });
    const { rows, watches } = await processes();
    await set(watches);
    vi.setSystemTime(Date.now() + 365 * 86_400_000 - 1);
    await watches.renew();
    expect(await watches.find(ALICE)).toHaveLength(1);
    vi.setSystemTime(Date.now() + 86_400_000);
    await watches.renew();
    expect(await rows.read('watches')).toEqual(new Map());
  });
});

it('watches that cannot be read or written now are not said to be set, stopped or forgotten', async () => {
  const { link, watches } = await (await inRedis())();
  link.close();
  expect(await watches.find(ALICE)).toBeUndefined();
  expect(await set(watches)).toBe('notKept');
  expect(await watches.stop('alice', 'any')).toBe(false);
  expect(await watches.forget('alice')).toBe(false);
  await watches.priced(priceOf(29));
});
