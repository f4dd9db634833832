import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { BoundedMemory, CardStore, keysOf } from '../../src/cache/card-store.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { RedisStore } from '../../src/storage/redis/cards.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../src/storage/sqlite/cards.ts';
import { logLines, WARN } from '../support/log-lines.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { type CardPlace, KEEP_MS, redisCards, sqliteCards } from './card-stores.ts';

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
const never = () => false;

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each<{ over: string; cards: () => CardPlace }>([
  { over: 'SQLite', cards: sqliteCards },
  { over: 'Redis', cards: () => redisCards(redis) },
])('a card store over $over', ({ cards }) => {
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
    expect(await store.get('x:y')).toEqual(answer);
    await store.close();
    expect(await (await place.open()).store.get('x:y')).toEqual(answer);
  });

  it('reads a card whose former prices cannot be read, without them', async () => {
    const place = cards();
    await (await place.open()).store.set('a', ANSWER);
    await place.overwrite(JSON.stringify({ value: { ...ANSWER, history: [['yesterday', 1]] } }));
    expect(await (await place.open()).store.get('a')).toEqual(ANSWER);
  });

  it('distinguishes ids by case', async () => {
    const { store } = await cards().open();
    await store.set('a', ANSWER);
    expect([await store.get('A'), await store.get('b')]).toEqual([undefined, undefined]);
  });

  it('shares no card with another origin', async () => {
    const place = cards();
    const here = (await place.open({ origin: 'cards.test /cards/{id}' })).store;
    const there = (await place.open({ origin: 'cards.test /v2/cards/{id}' })).store;
    await here.set('a', ANSWER);
    expect(await there.get('a')).toBeUndefined();
    expect(await here.get('a')).toEqual(ANSWER);
  });

  it('reads from memory what it has read from the lasting store', async () => {
    const place = cards();
    await (await place.open()).store.set('a', ANSWER);
    const { store, lines } = await place.open();
    await store.get('a');
    await place.empty();
    expect(await store.get('a')).toEqual(ANSWER);
    expect(lines).toEqual([]);
  });

  it('loses no card when its memory is full', async () => {
    const { store } = await cards().open({ memoryBytes: 20_000 });
    for (let index = 0; index < 200; index++)
      await store.set(`card ${index}`, { ...ANSWER, fetchedAtMs: NOW_MS - index });
    for (let index = 0; index < 200; index++) {
      expect((await store.get(`card ${index}`))?.fetchedAtMs).toBe(NOW_MS - index);
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
      expect(await one.get('a', never)).toEqual(believed);
      expect(await one.get('a')).toEqual(believed);
    });

    it('reads the lasting store only when the record in memory is not accepted', async () => {
      const { place, one, other } = await two();
      await one.set('a', OLDER);
      await other.set('a', ANSWER);
      expect(await one.get('a')).toEqual(OLDER);
      expect(await one.get('a', ({ fetchedAtMs }) => fetchedAtMs === OLDER.fetchedAtMs)).toEqual(OLDER);
      expect(await one.get('a', ({ fetchedAtMs }) => fetchedAtMs === NOW_MS)).toEqual(ANSWER);
      await place.empty();
      expect(await one.get('a')).toEqual(ANSWER);
    });

    it('returns the record in memory, accepted or not, when the lasting store has none', async () => {
      const place = cards();
      const { store } = await place.open();
      await store.set('a', OLDER);
      await place.empty();
      expect(await store.get('a', never)).toEqual(OLDER);
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
          expect(await store.get('a')).toBeDefined();
        }
        vi.setSystemTime(NOW_MS + KEEP_MS / 2 + 1);
        expect(await store.get('a')).toBeUndefined();
        expect(await (await place.open()).store.get('a')).toBeUndefined();
      },
    );

    it('is over for a record that is set too late', async () => {
      const place = cards();
      const { store } = await place.open();
      await store.set('a', { ...ANSWER, fetchedAtMs: NOW_MS - KEEP_MS });
      expect(await store.get('a')).toBeUndefined();
      expect(await place.count()).toBe(0);
    });

    it('may have a fraction of a millisecond', async () => {
      const place = cards();
      await (await place.open({ keepMs: 60_000.5 })).store.set('a', ANSWER);
      expect(await (await place.open({ keepMs: 60_000.5 })).store.get('a')).toEqual(ANSWER);
    });

    it('that was shortened in the configuration ends the life of older cards', async () => {
      const place = cards();
      await (await place.open()).store.set('a', OLDER);
      expect(await (await place.open({ keepMs: 1_000 })).store.get('a')).toBeUndefined();
    });
  });

  describe('that holds an invalid row', () => {
    it.each([
      ['no JSON', '{"value":{"card"'],
      ['another shape', JSON.stringify({ value: { card: { title: 'Ember Drake' }, fetchedAtMs: NOW_MS } })],
      ['no time', JSON.stringify({ value: { card: CARD } })],
      [
        'a price that is no figure',
        JSON.stringify({ value: { card: { ...CARD, prices: { low: 'one' } }, fetchedAtMs: NOW_MS } }),
      ],
      ['a list', JSON.stringify({ value: [] })],
    ])('has a miss, with one warning: %s', async (_, value) => {
      const place = cards();
      await (await place.open()).store.set('a', ANSWER);
      const { store, lines } = await place.open();
      await place.overwrite(value);
      expect(await store.get('a')).toBeUndefined();
      expect(lines).toEqual([expect.objectContaining({ level: WARN, msg: expect.stringContaining('invalid row') })]);
    });

    it('replaces it with the next answer', async () => {
      const place = cards();
      await (await place.open()).store.set('a', ANSWER);
      const { store } = await place.open();
      await place.overwrite('nonsense');
      await store.get('a');
      await store.set('a', ANSWER);
      expect(await (await place.open()).store.get('a')).toEqual(ANSWER);
    });

    it('returns the record in memory, accepted or not', async () => {
      const place = cards();
      const { store } = await place.open();
      await store.set('a', ANSWER);
      await place.overwrite('nonsense');
      expect(await store.get('a', never)).toEqual(ANSWER);
    });
  });
});

it('the keys of kept cards stay as they are, so that no update forgets them', () => {
  expect(keysOf('cards.test')).toBe('v1:87666aefb74c:');
});

it('a card store that is closed has closed its file', async () => {
  const { store, database } = sqliteCards().openFile();
  await store.close();
  expect(database.isOpen).toBe(false);
});

it.each<[string, (cards: CardStore, id: string) => Promise<unknown>]>([
  ['read', (cards, id) => cards.get(id)],
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
    const cards = new CardStore({ memoryBytes: 1_000, keepMs: KEEP_MS, origin: 'cards.test', store, log });
    for (const id of ['a', 'b']) expect(await use(cards, id)).toBeUndefined();
    const failed = 'card store failed: cards are kept in memory only';
    expect(lines.map(({ msg }) => msg)).toEqual([failed]);
    isBroken = false;
    await cards.set('a', ANSWER);
    expect(lines.map(({ msg }) => msg)).toEqual([failed, expect.stringContaining('works again')]);
  },
);

const MAX_BYTES = 100_000;

describe('bounded memory', () => {
  it('never holds more than its bytes, and evicts the least recently used entry', () => {
    const memory = new BoundedMemory(MAX_BYTES);
    memory.set('first', 'x'.repeat(500));
    memory.set('second', 'x'.repeat(500));
    for (let index = 0; index < 1_000; index++) {
      memory.set(`card ${index}`, 'x'.repeat(500));
      memory.get('first');
      expect(memory.calculatedSize).toBeLessThanOrEqual(MAX_BYTES);
    }
    expect(memory.calculatedSize).toBeGreaterThan(MAX_BYTES * 0.9);
    expect([memory.get('first'), memory.get('second')]).toEqual(['x'.repeat(500), undefined]);
  });

  it('counts two bytes for each character, and an overhead for each entry', () => {
    const memory = new BoundedMemory(MAX_BYTES);
    memory.set('key', 'value');
    expect(memory.calculatedSize).toBeGreaterThanOrEqual(16);
  });

  it('does not keep a value that is larger than all of it', () => {
    const memory = new BoundedMemory(MAX_BYTES);
    memory.set('small', 'x');
    memory.set('large', 'x'.repeat(MAX_BYTES));
    expect([memory.get('small'), memory.get('large')]).toEqual(['x', undefined]);
  });

  it('deletes and clears', () => {
    const memory = new BoundedMemory(MAX_BYTES);
    memory.set('a', '1');
    memory.set('b', '2');
    expect([memory.delete('a'), memory.delete('a')]).toEqual([true, false]);
    memory.clear();
    expect([memory.get('b'), memory.calculatedSize]).toEqual([undefined, 0]);
  });
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
  it('deletes', async () => {
    const { store, rows } = openRows();
    await fill(store, 0, 3, () => HOUR_MS);
    expect([await store.delete('card 0'), await store.delete('card 0')]).toEqual([true, false]);
    await store.clear();
    expect(rows()).toBe(0);
  });

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

  it('counts the rows of its file from the start', async () => {
    const { database, rows } = openRows();
    await fill(new SqliteStore(database), 0, 1_200, (index) => HOUR_MS + index);
    await new SqliteStore(database, 1_000).set('one more', '{}', 2 * HOUR_MS);
    expect(rows()).toBeLessThanOrEqual(1_000);
  });

  it('does not grow by rewriting', async () => {
    const { store, rows } = openRows(1_000);
    await fill(store, 0, 900, () => HOUR_MS);
    for (let time = 0; time < 300; time++) await store.set('card 0', '{}', HOUR_MS);
    expect(rows()).toBe(900);
  });
});

it.each<[string, (store: CardStore) => unknown, unknown?]>([
  ['a read a miss, with a warning', (store) => store.get('a'), undefined],
  [
    'a write a warning, and memory keeps the card',
    (store) => store.set('a', ANSWER).then(() => store.get('a')),
    ANSWER,
  ],
  ['closing a warning', (store) => store.close(), undefined],
])('a disk that fails makes %s', async (_, use, result) => {
  const { store, database, lines } = sqliteCards().openFile();
  database.close();
  expect(await use(store)).toEqual(result);
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
    const { link, store } = await cards.openLink();
    await store.set('a', newAnswer());
    await expect(new RedisStore(link).clear()).rejects.toThrow();
    expect(await cards.count()).toBe(1);
  });

  it('are a miss where another program stores something else, and the link stays usable', async () => {
    const cards = redisCards(redis);
    const { link, store } = await cards.openLink();
    await store.set('a', newAnswer());
    const [key = ''] = await cards.keys();
    const client = await cards.client();
    await client.unlink(key);
    await client.lPush(key, 'x');
    expect(await (await cards.open()).store.get('a')).toBeUndefined();
    expect(link.health).toBe('usable');
  });
});

describe.skipIf(noRealRedis('cards while Redis is unavailable'))('cards while Redis', () => {
  beforeEach(() => vi.useRealTimers());

  it('is gone are those in memory; the others are misses, without a log line', async () => {
    const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
    const cards = redisCards(redis);
    const [one, other] = [await cards.openLink(), await cards.openLink()];
    await one.store.set('remembered', newAnswer());
    await other.store.set('elsewhere', newAnswer());
    await redis.kill();

    const later = newAnswer();
    expect(await one.store.get('elsewhere')).toBeUndefined();
    await expect.poll(() => one.link.health).toBe('unavailable');
    expect(await one.store.get('remembered', () => false)).toMatchObject({ card: CARD });
    expect(await one.store.get('elsewhere')).toBeUndefined();
    await one.store.set('later', later);
    expect(await one.store.get('later')).toEqual(later);
    expect(one.lines).toEqual([]);

    await redis.start();
    await expect.poll(() => one.link.health).toBe('usable');
    expect(await one.store.get('elsewhere')).toMatchObject({ card: CARD });
    expect(one.lines).toEqual([]);
  });

  it('only answers reads are read from it', async () => {
    const redis = await startRealRedis();
    const cards = redisCards(redis);
    const [one, other] = [await cards.openLink(), await cards.openLink()];
    const answer = newAnswer();
    await other.store.set('a', answer);
    await one.link.run((client) => client.sendCommand(['REPLICAOF', '127.0.0.1', '1']));
    await expect.poll(() => one.link.health).toBe('readable');
    expect(await one.store.get('a')).toEqual(answer);
    await one.store.set('b', answer);
    expect(await one.store.get('b')).toEqual(answer);
    expect(await other.store.get('b')).toBeUndefined();
    expect([...one.lines, ...other.lines]).toEqual([]);
  });
});
