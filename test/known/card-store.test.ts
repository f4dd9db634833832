import { DatabaseSync } from 'node:sqlite';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CardStore } from '../../src/known/card-store.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { RedisStore } from '../../src/storage/redis/cards.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../src/storage/sqlite/cards.ts';
import { keysOf } from '../../src/storage/state.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { logLines, WARN } from '../support/log-lines.ts';
import { noRealRedis, startRealRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { rowsInFile } from '../support/stores.ts';
import { type CardPlace, KEEP_MS, keptIn, redisCards, sqliteCards } from './card-stores.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const CARD = {
  id: 'base1-4',
  name: 'Ember Drake',
  game: 'Wyrmfall',
  set: { id: 'base1', name: 'First Fires' },
  number: '4/102',
  prices: { market: 1.5, low: 0.5 },
};
const ANSWER: CardRecord = { card: CARD, fetchedAtMs: NOW_MS };
const OLDER: CardRecord = { ...ANSWER, fetchedAtMs: NOW_MS - 1_000 };
const BETWEEN: CardRecord = { ...ANSWER, fetchedAtMs: OLDER.fetchedAtMs + 1 };
const DELISTED: CardRecord = { ...OLDER, delistedAtMs: NOW_MS };
const AHEAD: CardRecord = { ...ANSWER, fetchedAtMs: NOW_MS + 3_600_000 };

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(() => fakeTimers({ now: NOW_MS, toFake: ['Date'] }));

describe.each<{ over: string; cards: () => CardPlace }>([
  { over: 'SQLite', cards: sqliteCards },
  { over: 'Redis', cards: () => redisCards(redis) },
])('a card store over $over', ({ cards }) => {
  /** Where a run before has kept this. */
  const placeWith = async (answer = ANSWER) => {
    const place = cards();
    await (await place.open()).store.set('a', answer);
    return place;
  };
  /** What the next run has of it. */
  const keptAfter = async (place: CardPlace, setting?: Parameters<CardPlace['open']>[0]) =>
    keptIn((await place.open(setting)).store, 'a');

  it.each<[string, CardRecord]>([
    ['a card', ANSWER],
    ['that there is no card', { card: undefined, fetchedAtMs: NOW_MS }],
    [
      'what a card cost before',
      {
        ...ANSWER,
        history: [
          [NOW_MS - 1, 1.25],
          [NOW_MS, 1.5],
        ],
      },
    ],
    ['that a card is no longer listed', { ...ANSWER, delistedAtMs: NOW_MS }],
    ['a card of an id that means something to databases', { ...ANSWER, card: { ...CARD, id: "'; DROP TABLE cards" } }],
  ])('remembers %s, also after a restart', async (_, answer) => {
    const place = cards();
    const { store } = await place.open();
    await store.set('x:y', answer);
    expect(await keptIn(store, 'x:y')).toEqual(answer);
    await store.close();
    expect(await keptIn((await place.open()).store, 'x:y')).toEqual(answer);
  });

  it('reads a card whose former prices cannot be read, without them', async () => {
    const place = await placeWith();
    await place.overwrite(JSON.stringify({ value: { ...ANSWER, history: [['yesterday', 1]] } }));
    expect(await keptAfter(place)).toEqual(ANSWER);
  });

  it('distinguishes ids by case', async () => {
    const { store } = await cards().open();
    await store.set('a', ANSWER);
    expect([await keptIn(store, 'A'), await keptIn(store, 'b')]).toEqual([undefined, undefined]);
  });

  it('shares no card with another origin', async () => {
    const place = cards();
    const here = (await place.open({ origin: 'cards.test /cards/{id}' })).store;
    const there = (await place.open({ origin: 'cards.test /v2/cards/{id}' })).store;
    await here.set('a', ANSWER);
    expect(await keptIn(there, 'a')).toBeUndefined();
    expect(await keptIn(here, 'a')).toEqual(ANSWER);
  });

  it('reads from memory what it has read from the lasting store', async () => {
    const place = await placeWith();
    const { store, lines } = await place.open();
    await keptIn(store, 'a');
    await place.empty();
    expect(await keptIn(store, 'a')).toEqual(ANSWER);
    expect(lines).toEqual([]);
  });

  it('loses no card when its memory is full', async () => {
    const { store } = await cards().open({ memoryBytes: 20_000 });
    for (let index = 0; index < 200; index++)
      await store.set(`card ${index}`, { ...ANSWER, fetchedAtMs: NOW_MS - index });
    for (let index = 0; index < 200; index++) {
      expect((await keptIn(store, `card ${index}`))?.fetchedAtMs).toBe(NOW_MS - index);
    }
  });

  describe('with a second process', () => {
    const two = async () => {
      const place = cards();
      return { place, one: (await place.open()).store, other: (await place.open()).store };
    };
    const NONE: CardRecord = { card: undefined, fetchedAtMs: NOW_MS };

    it.each<[string, mine: CardRecord, others: CardRecord, believed: CardRecord]>([
      ['keeps its own record beside an older copy', ANSWER, OLDER, ANSWER],
      ['keeps it although there was no such card before', ANSWER, { ...NONE, fetchedAtMs: NOW_MS - 1 }, ANSWER],
      ['keeps it although its card was not listed before', ANSWER, { ...OLDER, delistedAtMs: NOW_MS - 1 }, ANSWER],
      ['takes a newer copy', OLDER, ANSWER, ANSWER],
      ['takes it that there is no such card any more', BETWEEN, NONE, NONE],
      ['takes it that its copy is not listed any more', BETWEEN, DELISTED, DELISTED],
      ['takes the word of now for later than what a clock that was ahead has dated', AHEAD, ANSWER, ANSWER],
    ])('%s', async (_, mine, others, believed) => {
      const { one, other } = await two();
      await one.set('a', mine);
      await other.set('a', others);
      expect(await one.newest('a')).toEqual(believed);
      expect(await keptIn(one, 'a')).toEqual(believed);
    });

    it('remembers its own record until it reads the newest', async () => {
      const { place, one, other } = await two();
      await one.set('a', OLDER);
      await other.set('a', ANSWER);
      expect([one.remembered('a'), await one.newest('a')]).toEqual([OLDER, ANSWER]);
      await place.empty();
      expect(one.remembered('a')).toEqual(ANSWER);
    });
  });

  describe('the keeping time', () => {
    it.each(['in one process', 'with a restart before the reads'])(
      'counts from when the service answered, and no read extends it, %s',
      async (how) => {
        const place = cards();
        const first = (await place.open()).store;
        await first.set('a', { ...ANSWER, fetchedAtMs: NOW_MS - KEEP_MS / 2 });
        const store = how === 'in one process' ? first : (await place.open()).store;
        for (const share of [0, 0.25, 0.4999]) {
          vi.setSystemTime(NOW_MS + KEEP_MS * share);
          expect(await keptIn(store, 'a')).toBeDefined();
        }
        vi.setSystemTime(NOW_MS + KEEP_MS / 2 + 1);
        expect(await keptIn(store, 'a')).toBeUndefined();
        expect(await keptAfter(place)).toBeUndefined();
      },
    );

    it('is over for a record that is set too late', async () => {
      const place = cards();
      const { store } = await place.open();
      await store.set('a', { ...ANSWER, fetchedAtMs: NOW_MS - KEEP_MS });
      expect(await keptIn(store, 'a')).toBeUndefined();
      expect(await place.count()).toBe(0);
    });

    it('may have a fraction of a millisecond', async () => {
      const place = cards();
      await (await place.open({ keepMs: 60_000.5 })).store.set('a', ANSWER);
      expect(await keptAfter(place, { keepMs: 60_000.5 })).toEqual(ANSWER);
    });

    it('that was shortened in the configuration ends the life of older cards', async () => {
      expect(await keptAfter(await placeWith(OLDER), { keepMs: 1_000 })).toBeUndefined();
    });
  });

  it.each([
    ['no JSON', '{"value":{"card"'],
    ['another shape', JSON.stringify({ value: { card: { title: 'Ember Drake' }, fetchedAtMs: NOW_MS } })],
    ['a list', JSON.stringify({ value: [] })],
  ])('that holds an invalid row has a miss, with one warning, until the next answer: %s', async (_, value) => {
    const place = await placeWith();
    const { store, lines } = await place.open();
    await place.overwrite(value);
    expect(await keptIn(store, 'a')).toBeUndefined();
    expect(lines).toEqual([expect.objectContaining({ level: WARN, msg: expect.stringContaining('invalid row') })]);
    await store.set('a', ANSWER);
    expect(await keptAfter(place)).toEqual(ANSWER);
  });
});

it('the keys of kept cards stay as they are, so that no update forgets them', () => {
  expect(keysOf('cards.test')).toBe('v1:87666aefb74c:');
});

it.each<[string, (cards: CardStore, id: string) => Promise<unknown>]>([
  ['read', (cards, id) => keptIn(cards, id)],
  ['written', (cards, id) => cards.set(id, ANSWER)],
])(
  'that a lasting store cannot be %s fails nothing, and is said once in the log, and again when it works',
  async (_, use) => {
    const { log, lines } = logLines();
    const kept = new Map<string, string>();
    let isBroken = true;
    const ifWhole = <T>(work: () => T): T => {
      if (isBroken) throw new Error('disk I/O error');
      return work();
    };
    const store = {
      get: (key: string) => ifWhole(() => kept.get(key)),
      set: (key: string, value: string) => ifWhole(() => void kept.set(key, value)),
      delete: (key: string) => kept.delete(key),
      clear: () => kept.clear(),
    };
    const cards = new CardStore({ memoryBytes: 1_000, keepMs: KEEP_MS, keyPrefix: '', store, log });
    for (const id of ['a', 'b']) expect(await use(cards, id)).toBeUndefined();
    const failed = 'card store failed: cards are kept in memory only';
    expect(lines.map(({ msg }) => msg)).toEqual([failed]);
    isBroken = false;
    await cards.set('a', ANSWER);
    expect(lines.map(({ msg }) => msg)).toEqual([failed, expect.stringContaining('works again')]);
  },
);

it('memory never holds more than its bytes, at least two for each character, and forgets what was read longest ago', async () => {
  const place = sqliteCards();
  const memoryBytes = 100_000;
  const { store } = await place.open({ memoryBytes });
  const bytes = 2 * JSON.stringify(ANSWER).length;
  const ids = Array.from({ length: 1_000 }, (_, index) => `card ${index}`);
  for (const id of ids) {
    await store.set(id, ANSWER);
    store.remembered('card 0');
  }
  const remembered = ids.filter((id) => store.remembered(id));
  expect(remembered.length * bytes).toBeLessThanOrEqual(memoryBytes);
  expect(remembered.length * bytes).toBeGreaterThan(memoryBytes / 2);
  expect(remembered).toEqual(['card 0', ...ids.slice(1 - remembered.length)]);
  await store.set('large', { ...ANSWER, card: { ...CARD, name: 'x'.repeat(memoryBytes) } });
  expect([store.remembered('large'), store.remembered('card 0')]).toEqual([undefined, ANSWER]);
});

const HOUR_MS = 3_600_000;

function openRows(maxRows?: number) {
  const database = new DatabaseSync(':memory:');
  database.exec(CARDS_SCHEMA);
  const rows = () => Number(database.prepare('SELECT count(*) AS rows FROM cards').get()?.rows);
  return { database, rows, store: new SqliteStore(database, maxRows) };
}

async function fill(store: SqliteStore, from: number, to: number, ttlMs: (index: number) => number) {
  for (let index = from; index < to; index++) await store.set(`card ${index}`, '{}', ttlMs(index));
}

describe('cards in a file', () => {
  it('sweeps expired rows while others are written', async () => {
    const { store, rows } = openRows();
    await fill(store, 0, 400, () => HOUR_MS);
    vi.setSystemTime(Date.now() + HOUR_MS);
    await fill(store, 400, 900, () => HOUR_MS);
    expect(rows()).toBe(500);
    expect(await store.get('card 399')).toBeUndefined();
  });

  it('never holds more rows than its bound, and deletes those that expire first', async () => {
    const { store, rows } = openRows(1_000);
    for (let index = 0; index < 3_000; index++) {
      await store.set(`card ${index}`, '{}', HOUR_MS + index);
      if (index % 100 === 0) expect(rows()).toBeLessThanOrEqual(1_000);
    }
    expect(rows()).toBeLessThanOrEqual(1_000);
    expect(await store.get('card 2999')).toBe('{}');
    expect(await store.get('card 0')).toBeUndefined();
  });

  it('does not grow by rewriting', async () => {
    const { store, rows } = openRows(1_000);
    await fill(store, 0, 900, () => HOUR_MS);
    for (let time = 0; time < 300; time++) await store.set('card 0', '{}', HOUR_MS);
    expect(rows()).toBe(900);
  });

  it('counts the rows of its file from the start', async () => {
    const { database, rows } = openRows();
    await fill(new SqliteStore(database), 0, 1_200, (index) => HOUR_MS + index);
    await new SqliteStore(database, 1_000).set('one more', '{}', 2 * HOUR_MS);
    expect(rows()).toBeLessThanOrEqual(1_000);
  });
});

it('no statement about rows or kept cards reads a whole table', async () => {
  const { rows, database } = rowsInFile();
  database.exec(CARDS_SCHEMA);
  const cards = new SqliteStore(database);
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());

  const row = { part: 'a', key: 'x' };
  const keep = { keepMs: HOUR_MS };
  const ifStill = [{ ...row, value: undefined }];
  await rows.write([{ ...row, add: 1 }], { ifStill, ifFewer: { part: 'a', than: 1 }, ...keep });
  for (const value of ['1', undefined]) await rows.write([{ ...row, value }], keep);
  for (const keys of [['x'], undefined]) await rows.read('a', keys);
  for (let writes = 0; writes < 251; writes++) await cards.set('key', 'value', 1);
  await cards.get('key');
  await cards.delete('key');

  const statements = new Set(prepare.mock.calls.map(([sql]) => sql));
  // SQLite decides without statistics, so an empty table will do.
  const plans = [...statements].flatMap((sql) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
  expect(plans.length).toBeGreaterThan(3);
  expect(plans.map(({ detail }) => String(detail)).filter((plan) => plan.startsWith('SCAN'))).toEqual([]);
});

it('a file that cannot be closed is a warning', async () => {
  const { store, database, lines } = sqliteCards().open();
  database.close();
  await store.close();
  expect(lines.map(({ level }) => level)).toEqual([WARN]);
});

/** Now, because Redis expires keys by its own clock. */
function newAnswer(ageMs = 0): CardRecord {
  return { card: CARD, fetchedAtMs: Date.now() - ageMs };
}

describe('cards in Redis', () => {
  beforeEach(() => vi.useRealTimers());

  it('have keys of prefix, version and origin', async () => {
    const cards = redisCards(redis);
    const { store } = await cards.open();
    await store.set('base1:4 é', newAnswer());
    expect(await cards.keys()).toEqual([
      expect.stringMatching(new RegExp(`^${cards.prefix}:cards:v1:[0-9a-f]{12}:base1:4 é$`)),
    ]);
  });

  it('expire at the end of their life, however much of it was over when they were written', async () => {
    const cards = redisCards(redis);
    const { store } = await cards.open();
    await store.set('a', newAnswer(KEEP_MS / 2));
    const [key = ''] = await cards.keys();
    const leftMs = await (await cards.client()).pTTL(key);
    expect(leftMs).toBeGreaterThan(KEEP_MS / 2 - 60_000);
    expect(leftMs).toBeLessThanOrEqual(KEEP_MS / 2);
  });

  it('cannot be cleared: other programs may use that Redis', async () => {
    const cards = redisCards(redis);
    const { link, store } = await cards.open();
    await store.set('a', newAnswer());
    await expect(new RedisStore(link).clear()).rejects.toThrow();
    expect(await cards.count()).toBe(1);
  });

  it('are a miss where another program stores something else, and the link stays usable', async () => {
    const cards = redisCards(redis);
    const { link, store } = await cards.open();
    await store.set('a', newAnswer());
    const [key = ''] = await cards.keys();
    const client = await cards.client();
    await client.unlink(key);
    await client.lPush(key, 'x');
    expect(await keptIn((await cards.open()).store, 'a')).toBeUndefined();
    expect(link.health).toBe('usable');
  });

  it.skipIf(noRealRedis('cards answered in an outage'))(
    'that were answered while it was away are stored when it is back',
    async () => {
      const server = await startRealRedis();
      const cards = redisCards({ url: server.url, prefix: 'away' });
      const { store } = await cards.open();
      await server.kill();
      await store.set('a', newAnswer());
      await server.start();
      await vi.waitFor(async () => expect(await cards.count()).toBe(1), { timeout: 20_000 });
    },
  );
});
