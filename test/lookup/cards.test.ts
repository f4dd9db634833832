import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import { Cards, type CardsOptions } from '../../src/lookup/cards.ts';
import type { Lifetimes } from '../../src/lookup/freshness.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { UnexpectedAnswer } from '../../src/model/errors.ts';
import { Events } from '../../src/model/events.ts';
import type { FetchedCard } from '../../src/service/card-service.ts';
import { sqliteCards } from '../cache/card-stores.ts';
import { clientOf } from '../service/clients.ts';
import { logLines, WARN } from '../support/log-lines.ts';

const HOUR_MS = 3_600_000;
const LIFETIMES: Lifetimes = { factsFreshMs: 168 * HOUR_MS, pricesFreshMs: 6 * HOUR_MS };
const GONE = { id: 'gone-1', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'gone', name: 'Long Gone' } };

function cardsOver(store: CardsOptions['store'], lifetimes: Lifetimes) {
  const emulated = new EmbeddedCardService();
  const service = clientOf('http://cards.test', { apiKey: undefined, fetch: emulated.fetch });
  const { log, lines } = logLines();
  const cards = new Cards({ store, lifetimes, log });
  const lookUp = async (id: string) => {
    const { answer } = await cards.knownBeforeRequest(id, true);
    return (await cards.store((await service.fetch([id])).cards, new Map([[id, answer]]))).get(id);
  };
  return { emulated, cards, lookUp, lines };
}

it('a card that the service denies is kept as another process has stored it last, marked as no longer listed', async () => {
  const directory = sqliteCards();
  const [{ store }, other] = [await directory.open(), await directory.open()];
  const { lookUp } = cardsOver(store, { factsFreshMs: 1, pricesFreshMs: 1 });
  const newer: CardRecord = { card: { ...GONE, name: 'Ember Drake II' }, fetchedAtMs: Date.now() - 1_000 };
  await store.set(GONE.id, { card: GONE, fetchedAtMs: Date.now() - 2_000 });
  await other.store.set(GONE.id, newer);

  const record = await lookUp(GONE.id);

  expect(record).toEqual({ ...newer, delistedAtMs: expect.any(Number) });
  expect(await other.store.get(GONE.id, () => false)).toEqual(record);
});

it('cards that came together are stored at once, and given in their order', async () => {
  const { store, set } = countingStore();
  const { cards } = cardsOver(store, LIFETIMES);
  const ids = ['c', 'a', 'b'];
  const stored = Promise.withResolvers<undefined>();
  set.mockReturnValueOnce(stored.promise); // that of the first takes longest
  const storing = cards.store(new Map(ids.map((id) => [id, { ...GONE, id }])), new Map());
  expect(set.mock.calls.map(([id]) => id)).toEqual(ids);
  stored.resolve(undefined);
  expect([...(await storing).keys()]).toEqual(ids);
});

it('the prices of a card are remembered from answer to answer, through answers without a price or without the card', async () => {
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
  expect(await answer({ body: { ...facts, tcg, prices: { market: 0, low: 4 } } })).toEqual([5, 6]);
  expect(await answer({ status: 404, body: { _tag: 'CardNotFound', message: 'gone' } })).toEqual([5, 6]);
  expect(await answer(priced(7))).toEqual([5, 6, 7]);
});

it('a kept card goes on getting prices although an optional field comes in another type', async () => {
  const { store } = countingStore();
  const { lookUp, emulated } = cardsOver(store, LIFETIMES);
  const { game: tcg, ...facts } = GONE;
  emulated.script({ body: { ...facts, tcg, number: '4/102', prices: { market: 5 } } });
  await lookUp(GONE.id);
  emulated.script({
    body: { ...facts, tcg, number: 4, rarity: [], imageUrl: {}, prices: { market: '0.05', low: 'none' } },
  });
  expect(await lookUp(GONE.id)).toMatchObject({
    card: { number: '4', prices: { market: 0.05, low: undefined } },
    history: [[expect.any(Number), 0.05]],
  });
});

it('a card that was found missing is read again before its request: it may have come meanwhile', async () => {
  const { store, records } = countingStore();
  const { cards } = cardsOver(store, LIFETIMES);
  expect(await cards.known('base1-4', true)).toEqual({ kind: 'missing' });
  records.set('base1-4', { card: GONE, fetchedAtMs: Date.now() });
  expect(await cards.knownBeforeRequest('base1-4', true)).toMatchObject({ kind: 'fresh', answer: { card: GONE } });
});

it('a card that has just failed is shown as it is kept, and is not requested; without a copy its error is', async () => {
  const { store, records } = countingStore();
  const { cards } = cardsOver(store, LIFETIMES);
  const error = new UnexpectedAnswer({ detail: 'name' });
  records.set(GONE.id, { card: GONE, fetchedAtMs: Date.now() - 7 * HOUR_MS });
  for (const id of [GONE.id, 'base1-4']) cards.resting.failed(id, error);
  expect(await cards.known(GONE.id, true)).toMatchObject({ kind: 'stale', answer: { card: GONE } });
  await expect(cards.known('base1-4', true)).rejects.toBe(error);
  await expect(cards.knownBeforeRequest(GONE.id, true)).rejects.toBe(error);
});

it('what is stored is told: prices under each id of their card, which cards there are and are not, and errors', async () => {
  const { store } = countingStore();
  const events = new Events();
  const priced: unknown[] = [];
  onTestFinished(events.subscribe('priced', ({ cardId, market }) => void priced.push([cardId, market])));
  const catalog = { learn: vi.fn(), deny: vi.fn() };
  const cards = new Cards({ store, lifetimes: LIFETIMES, log: logLines().log, events, catalog });
  const [card, error] = [{ ...GONE, prices: { market: 5 } }, new UnexpectedAnswer({ detail: 'name' })];
  const found = new Map<string, FetchedCard>([
    ['GONE-1', card],
    ['bare-1', { ...GONE, id: 'bare-1' }],
    ['nope-1', 'noSuchCard'],
    ['left-1', 'noSuchCard'],
    ['odd-1', error],
  ]);
  const stored = await cards.store(found, new Map([['left-1', { card: GONE, fetchedAtMs: 1 }]]));
  expect(priced).toEqual([
    ['GONE-1', 5],
    ['gone-1', 5],
  ]);
  expect(catalog.learn.mock.calls.map(([{ id }]) => id).toSorted()).toEqual(['bare-1', 'gone-1']);
  expect(catalog.deny.mock.calls).toEqual([
    ['nope-1', false],
    ['left-1', true],
  ]);
  expect(stored.get('odd-1')).toBe(error);
});

describe('an address under which no card is known', () => {
  const NOWHERE = ['nope-1', 'nope-2', 'nope-3'];
  it.each<[string, string | undefined, string[], number]>([
    ['is suspected at the third id, once', undefined, [...NOWHERE, 'nope-4', 'nope-5', 'nope-6'], 1],
    ['is not suspected for two ids', undefined, NOWHERE.slice(1), 0],
    ['is not suspected for one id that is looked up again', undefined, Array(4).fill('nope-1'), 0],
    ['is not suspected when a kept card was read', 'base1-4', NOWHERE, 0],
    ['is not suspected when a card is found first', undefined, [GONE.id, ...NOWHERE], 0],
    ['is not suspected when a card is found meanwhile', undefined, NOWHERE.toSpliced(2, 0, GONE.id), 0],
  ])('%s', async (_, kept, ids, warnings) => {
    const { store, records } = countingStore();
    if (kept) records.set(kept, { card: GONE, fetchedAtMs: Date.now() });
    const { cards, emulated, lookUp, lines } = cardsOver(store, LIFETIMES);
    const { game: tcg, ...facts } = GONE;
    await cards.known('base1-4', true);
    for (const id of ids) {
      if (id === GONE.id) emulated.script({ body: { ...facts, tcg } });
      await lookUp(id);
    }
    expect(lines).toHaveLength(warnings);
    for (const line of lines) {
      expect(line).toMatchObject({ level: WARN, cardIds: NOWHERE });
      expect(line.msg).toMatch(/CARD_SERVICE_URL or CARD_SERVICE_CARD_PATH may be wrong$/);
    }
  });
});

function countingStore() {
  const records = new Map<string, CardRecord>();
  const set = vi.fn(async (id: string, record: CardRecord) => void records.set(id, record));
  const store: CardsOptions['store'] = { get: async (id) => records.get(id), set };
  return { store, set, records };
}

it('the price of another description is stale and without a past, and its facts stay', async () => {
  const { store, records } = countingStore();
  const card = { ...GONE, prices: { market: 5 } };
  records.set(GONE.id, { card, fetchedAtMs: Date.now(), history: [[Date.now(), 5]], pricesBy: 'other' });
  const { cards } = cardsOver(store, { ...LIFETIMES, pricesBy: 'own' });
  expect(await cards.known(GONE.id, false)).toMatchObject({ kind: 'fresh' });
  expect(await cards.known(GONE.id, true)).toMatchObject({ kind: 'stale', answer: { card, history: undefined } });
  expect((await cards.kept(GONE.id))?.history).toBeUndefined();
  expect(await cards.keptPrice(GONE.id)).toMatchObject({ record: { card }, isStale: true });
  expect(await cards.keptPrice('base1-4')).toBeUndefined();
});
