import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CardStore } from '../../src/cache/card-store.ts';
import { Cards } from '../../src/lookup/cards.ts';
import type { Lifetimes } from '../../src/lookup/freshness.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { sqliteCards } from '../cache/card-stores.ts';
import { clientOf } from '../service/clients.ts';

const HOUR_MS = 3_600_000;
const LIFETIMES: Lifetimes = { factsFreshMs: 168 * HOUR_MS, pricesFreshMs: 6 * HOUR_MS, notFoundFreshMs: HOUR_MS };
const GONE = { id: 'gone-1', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'gone', name: 'Long Gone' } };

function cardsOver(store: CardStore, lifetimes: Lifetimes) {
  const emulated = createCardService();
  const service = clientOf('http://cards.test', { apiKey: undefined, fetch: emulated.fetch });
  const cards = new Cards({ store, lifetimes });
  const lookUp = async (id: string) => (await cards.store((await service.fetch([id])).cards)).get(id);
  return { emulated, cards, lookUp };
}

describe('a card that the service denies', () => {
  it('is kept as another process has stored it last, marked as no longer listed', async () => {
    const directory = sqliteCards();
    const [{ store }, other] = [await directory.open(), await directory.open()];
    const { lookUp } = cardsOver(store, { factsFreshMs: 1, pricesFreshMs: 1, notFoundFreshMs: 1 });
    const newer: CardRecord = { card: { ...GONE, name: 'Ember Drake II' }, fetchedAtMs: Date.now() - 1_000 };
    await store.set(GONE.id, { card: GONE, fetchedAtMs: Date.now() - 2_000 });
    await other.store.set(GONE.id, newer);

    const record = await lookUp(GONE.id);

    expect(record).toEqual({ ...newer, delistedAtMs: expect.any(Number) });
    expect(await other.store.get(GONE.id, () => false)).toEqual(record);
  });
});

describe('cards that came together', () => {
  it('are stored at once, and given in their order', async () => {
    const { store, get } = countingStore();
    const { cards } = cardsOver(store, LIFETIMES);
    const ids = ['c', 'a', 'b'];
    const read = Promise.withResolvers<undefined>();
    get.mockReturnValueOnce(read.promise); // that of the first takes longest
    const storing = cards.store(new Map(ids.map((id) => [id, { ...GONE, id }])));
    expect(get.mock.calls.map(([id]) => id)).toEqual(ids);
    read.resolve(undefined);
    expect([...(await storing).keys()]).toEqual(ids);
  });
});

describe('the prices of a card', () => {
  it('are remembered from answer to answer, through answers without a price or without the card', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20, 12) });
    onTestFinished(() => void vi.useRealTimers());
    const { store } = countingStore();
    const { lookUp, emulated } = cardsOver(store, LIFETIMES);
    const answer = async (script: Parameters<typeof emulated.script>[0]) => {
      emulated.script(script);
      const stored = await lookUp(GONE.id);
      vi.setSystemTime(Date.now() + HOUR_MS);
      return stored && 'history' in stored ? stored.history?.map(([, market]) => market) : undefined;
    };
    const { game: tcg, ...facts } = GONE;
    const priced = (market: number) => ({ body: { ...facts, tcg, prices: { market } } });

    expect(await answer({ body: { ...facts, tcg } })).toBeUndefined();
    expect(await answer(priced(5))).toEqual([5]);
    expect(await answer(priced(6))).toEqual([5, 6]);
    expect(await answer({ body: { ...facts, tcg } })).toEqual([5, 6]);
    expect(await answer({ status: 404, body: { _tag: 'CardNotFound', message: 'gone' } })).toEqual([5, 6]);
    expect(await answer(priced(7))).toEqual([5, 6, 7]);
  });
});

describe('a card that was found missing', () => {
  it('is not read again before its request, as nothing else stores cards', async () => {
    const { store, get } = countingStore();
    const { cards } = cardsOver(store, LIFETIMES);
    expect(await cards.known('base1-4', true)).toEqual({ kind: 'missing' });

    expect(await cards.fresh('base1-4', true, false)).toBeUndefined();
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('is read again where other processes may have stored it', async () => {
    const { store, get, records } = countingStore();
    const { cards } = cardsOver(store, LIFETIMES);
    await cards.known('base1-4', true);
    records.set('base1-4', { card: GONE, fetchedAtMs: Date.now() });

    expect(await cards.fresh('base1-4', true, true)).toMatchObject({ card: GONE });
    expect(get).toHaveBeenCalledTimes(2);
  });

  it('is read again once this process has stored it', async () => {
    const { store } = countingStore();
    const { cards, lookUp } = cardsOver(store, LIFETIMES);
    await cards.known('base1-4', true);
    await lookUp('base1-4');

    expect(await cards.fresh('base1-4', true, false)).toMatchObject({ card: { id: 'base1-4' } });
  });

  it('is read again when it is stored while it is read', async () => {
    const { store, get } = countingStore();
    const { cards, lookUp } = cardsOver(store, LIFETIMES);
    const reading = Promise.withResolvers<CardRecord | undefined>();
    get.mockReturnValueOnce(reading.promise);
    const known = cards.known('base1-4', true);
    await lookUp('base1-4');
    reading.resolve(undefined);
    expect(await known).toEqual({ kind: 'missing' });

    expect(await cards.fresh('base1-4', true, false)).toMatchObject({ card: { id: 'base1-4' } });
  });

  it('is read again without prices when only fresh prices were missing', async () => {
    const { store, records } = countingStore();
    const { cards } = cardsOver(store, LIFETIMES);
    records.set('base1-4', { card: GONE, fetchedAtMs: Date.now() - 7 * HOUR_MS });
    expect(await cards.known('base1-4', true)).toMatchObject({ kind: 'stale' });

    expect(await cards.fresh('base1-4', false, false)).toMatchObject({ card: GONE });
  });

  it('is read again when 1,000 others were read since', async () => {
    const { store, get } = countingStore();
    const { cards } = cardsOver(store, LIFETIMES);
    for (const id of ['base1-4', 'base2-4', 'base1-4']) await cards.known(id, true);
    for (let number = 1; number < 1_000; number++) await cards.known(`other-${number}`, true);
    get.mockClear();

    await cards.fresh('base1-4', true, false);
    expect(get).not.toHaveBeenCalled();
    await cards.fresh('base2-4', true, false);
    expect(get).toHaveBeenCalledOnce();
  });
});

function countingStore() {
  const records = new Map<string, CardRecord>();
  const get = vi.fn(async (id: string) => records.get(id));
  const store: CardStore = {
    get,
    set: async (id, record) => void records.set(id, record),
    holdsCards: async () => records.size > 0,
    close: async () => {},
  };
  return { store, get, records };
}
