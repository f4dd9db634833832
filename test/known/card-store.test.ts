import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CardRecord } from '../../src/model/card.ts';
import { CARDS_SCHEMA } from '../../src/storage/sqlite/cards.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { msOf, played, type Steps } from '../support/limiter-script.ts';
import { noRealRedis, startRealRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { rowsInFile } from '../support/stores.ts';
import { expectSaid, table } from '../table.ts';
import { type CardPlace, cardsIn, KEEP_MS, over, redisCards, sqliteCards } from './card-stores.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
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
const NONE: CardRecord = { card: undefined, fetchedAtMs: NOW_MS };

const RECORDS: Readonly<Record<string, CardRecord>> = {
  card: ANSWER,
  older: OLDER,
  'a little newer': { ...ANSWER, fetchedAtMs: OLDER.fetchedAtMs + 1 },
  ahead: { ...ANSWER, fetchedAtMs: NOW_MS + HOUR_MS },
  'of half a life ago': { ...ANSWER, fetchedAtMs: NOW_MS - KEEP_MS / 2 },
  'of a life ago': { ...ANSWER, fetchedAtMs: NOW_MS - KEEP_MS },
  none: NONE,
  'none before': { ...NONE, fetchedAtMs: NOW_MS - 1 },
  delisted: { ...OLDER, delistedAtMs: NOW_MS },
  'delisted before': { ...OLDER, delistedAtMs: NOW_MS - 1 },
  history: {
    ...ANSWER,
    history: [
      [NOW_MS - 1, 1.25],
      [NOW_MS, 1.5],
    ],
  },
  'odd id': { ...ANSWER, card: { ...CARD, id: "'; DROP TABLE cards" } },
};

/** What the place has in its rows, as nothing of ours wrote it. */
const VALUES: Readonly<Record<string, string>> = {
  'an odd history': JSON.stringify({ value: { ...ANSWER, history: [['yesterday', 1]] } }),
  'no JSON': '{"value":{"card"',
  'another shape': JSON.stringify({ value: { card: { title: 'Ember Drake' }, fetchedAtMs: NOW_MS } }),
  'a list': JSON.stringify({ value: [] }),
};

type Process = Awaited<ReturnType<CardPlace['open']>>;

/** Several processes over one place. */
interface Scene {
  place: CardPlace;
  processes: Map<string, Process>;
  /** The one that acts. */
  here: Process;
}

/** What is shown of a card is the name of its record. What another process has stored, one reads that it does not remember. */
const STEPS: Steps<Scene> = [
  [
    /^in (\w+)$/,
    async (scene, name) => {
      scene.here = scene.processes.get(name) ?? (await scene.place.open());
      scene.processes.set(name, scene.here);
    },
  ],
  [
    /^restart$/,
    async (scene) => {
      scene.here = await scene.place.open();
    },
  ],
  [
    /^restart with (\w+) (\S+)$/,
    async (scene, name, value) => {
      scene.here = await scene.place.open({ [name]: Number(value) });
    },
  ],
  [/^keeps (.+?)(?: as (\S+))?$/, ({ here }, record, id) => here.store.set(id || 'a', one(RECORDS, record))],
  [
    /^reads(?: (\S+))?$/,
    async ({ here: { store } }, id) => named(store.remembered(id || 'a') ?? (await store.newest(id || 'a'))),
  ],
  [/^newest$/, async ({ here }) => named(await here.store.newest('a'))],
  [/^remembers$/, ({ here }) => named(here.store.remembered('a'))],
  [/^emptied$/, async ({ place }) => void (await place.empty())],
  [/^has (.+)$/, async ({ place }, value) => void (await place.overwrite(one(VALUES, value)))],
  [/^rows$/, ({ place }) => place.count()],
  [/^log$/, ({ here: { lines } }) => lines.map(({ level, msg }) => `${level} ${msg.split(':')[0]}`).join(', ')],
  [/^\+(.+)$/, (_, span) => void vi.setSystemTime(Date.now() + msOf(span))],
];

function one<T>(of: Readonly<Record<string, T>>, name: string) {
  const found = of[name];
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

function named(record: CardRecord | undefined) {
  const asStored = (each: object) => JSON.parse(JSON.stringify(each));
  const isIt = ([, each]: [string, CardRecord]) => record && isDeepStrictEqual(asStored(each), asStored(record));
  return Object.entries(RECORDS).find(isIt)?.[0] ?? JSON.stringify(record) ?? 'nothing';
}

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(() => fakeTimers({ now: NOW_MS, toFake: ['Date'] }));

describe.each<{ in: string; cards: () => Promise<CardPlace> }>([
  { in: 'SQLite', cards: sqliteCards },
  { in: 'Redis', cards: () => redisCards(redis) },
])('a card store over $in', ({ cards }) => {
  it.each(table`
    remembers a card, also after a restart | keeps card as x:y; reads x:y; restart; reads x:y | card | card
    remembers that there is none | keeps none as x:y; reads x:y; restart; reads x:y | none | none
    remembers what a card cost before | keeps history as x:y; reads x:y; restart; reads x:y
      | history | history
    remembers that a card is no longer listed | keeps delisted as x:y; reads x:y; restart; reads x:y
      | delisted | delisted
    remembers a card of an id that means something to databases
      | keeps odd id as x:y; reads x:y; restart; reads x:y
      | odd id | odd id
    reads a card whose former prices cannot be read, without them | keeps card; has an odd history; restart; reads
      | card
    distinguishes ids by case | keeps card; reads A; reads b | nothing | nothing
    reads from memory what it has read from the lasting store
      | keeps card; restart; reads; emptied; reads; log
      | card | card |
    keeps its own record beside an older copy | keeps card; in two; keeps older; in one; newest; reads | card | card
    keeps it although there was no such card before
      | keeps card; in two; keeps none before; in one; newest; reads
      | card | card
    keeps it although its card was not listed before
      | keeps card; in two; keeps delisted before; in one; newest; reads
      | card | card
    takes a newer copy | keeps older; in two; keeps card; in one; newest; reads | card | card
    takes it that there is no such card any more
      | keeps a little newer; in two; keeps none; in one; newest; reads
      | none | none
    takes it that its copy is not listed any more
      | keeps a little newer; in two; keeps delisted; in one; newest; reads
      | delisted | delisted
    takes the word of now for later than what a clock that was ahead has dated
      | keeps ahead; in two; keeps card; in one; newest; reads
      | card | card
    remembers its own record until it reads the newest
      | keeps older; in two; keeps card; in one; remembers; newest; emptied; remembers
      | older | card | card
    counts the keeping time from when the service answered, and no read extends it
      | keeps of half a life ago; reads; +540 h; reads; +539 h; reads; +1 h; +1 ms; reads; restart; reads
      | of half a life ago | of half a life ago | of half a life ago | nothing | nothing
    counts it so with a restart before the reads, too
      | keeps of half a life ago; restart; reads; +540 h; reads; +539 h; reads; +1 h; +1 ms; reads; restart; reads
      | of half a life ago | of half a life ago | of half a life ago | nothing | nothing
    keeps no record that is set too late | keeps of a life ago; reads; rows | nothing | 0
    may keep for a fraction of a millisecond
      | restart with keepMs 60000.5; keeps card; restart with keepMs 60000.5; reads
      | card
    ends the life of older cards by a keeping time that was shortened in the configuration
      | keeps older; restart with keepMs 1000; reads
      | nothing
    has a miss for no JSON, with one warning, until the next answer
      | keeps card; restart; has no JSON; reads; log; keeps card; restart; reads
      | nothing | 40 invalid row in the card store | card
    has a miss for another shape | keeps card; restart; has another shape; reads; log; keeps card; restart; reads
      | nothing | 40 invalid row in the card store | card
    has a miss for a list | keeps card; restart; has a list; reads; log; keeps card; restart; reads
      | nothing | 40 invalid row in the card store | card
  `)(
    '%s',
    expectSaid(async (script) => {
      const place = await cards();
      const here = await place.open();
      return await played({ place, processes: new Map([['one', here]]), here }, script, STEPS);
    }),
  );

  it('shares no card with another origin', async () => {
    const place = await cards();
    const here = (await place.open({ origin: 'cards.test /cards/{id}' })).store;
    const there = (await place.open({ origin: 'cards.test /v2/cards/{id}' })).store;
    await here.set('a', ANSWER);
    expect([await there.newest('a'), await here.newest('a')]).toEqual([undefined, ANSWER]);
  });

  it('loses no card when its memory is full', async () => {
    const { store } = await (await cards()).open({ memoryBytes: 20_000 });
    const answers = Array.from({ length: 200 }, (_, ageMs) => ({ ...ANSWER, fetchedAtMs: NOW_MS - ageMs }));
    for (const [at, answer] of answers.entries()) await store.set(`card ${at}`, answer);
    const kept = await Promise.all(
      answers.map((_, at) => store.remembered(`card ${at}`) ?? store.newest(`card ${at}`)),
    );
    expect(kept).toEqual(answers);
  });
});

it.each(['read', 'written'])(
  'that a lasting store cannot be %s fails nothing, and is said once in the log, and again when it works',
  async (how) => {
    const kept = new Map<string, string>();
    let isBroken = true;
    const ifWhole = <T>(work: () => T): T => {
      if (isBroken) throw new Error('disk I/O error');
      return work();
    };
    const { store, lines } = over({
      get: (key: string) => ifWhole(() => kept.get(key)),
      set: (key: string, value: string) => ifWhole(() => void kept.set(key, value)),
      delete: (key: string) => kept.delete(key),
      clear: () => kept.clear(),
    });
    for (const id of ['a', 'b'])
      expect(await (how === 'read' ? store.newest(id) : store.set(id, ANSWER))).toBeUndefined();
    const failed = 'card store failed: cards are kept in memory only';
    expect(lines.map(({ msg }) => msg)).toEqual([failed]);
    isBroken = false;
    await store.set('a', ANSWER);
    expect(lines.map(({ msg }) => msg)).toEqual([failed, expect.stringContaining('works again')]);
  },
);

it('memory never holds more than its bytes, at least two for each character, and forgets what was read longest ago', async () => {
  const memoryBytes = 100_000;
  const { store } = await (await sqliteCards()).open({ memoryBytes });
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

/** The rows of a file below the cards. */
async function openRows(maxRows?: number) {
  const { open, count } = await sqliteCards(maxRows);
  const { lasting } = await open();
  const fill = async (from: number, to: number, ttlMs = (_: number) => HOUR_MS) => {
    for (let index = from; index < to; index++) await lasting.set(`card ${index}`, '{}', ttlMs(index));
  };
  return { open, count, lasting, fill };
}

it('a file sweeps expired rows while others are written', async () => {
  const { lasting, count, fill } = await openRows();
  await fill(0, 400);
  vi.setSystemTime(Date.now() + HOUR_MS);
  await fill(400, 900);
  expect([await count(), await lasting.get('card 399')]).toEqual([500, undefined]);
});

it('a file never holds more rows than its bound, and deletes those that expire first', async () => {
  const { lasting, count, fill } = await openRows(1_000);
  for (let index = 0; index < 3_000; index += 100) {
    await fill(index, index + 100, (at) => HOUR_MS + at);
    expect(await count()).toBeLessThanOrEqual(1_000);
  }
  expect([await lasting.get('card 2999'), await lasting.get('card 0')]).toEqual(['{}', undefined]);
});

it('a file does not grow by rewriting, and counts its rows from the start', async () => {
  const { open, count, fill } = await openRows(1_000);
  await fill(0, 900, (at) => HOUR_MS + at);
  for (let time = 0; time < 300; time++) await fill(0, 1);
  expect(await count()).toBe(900);
  const { lasting } = await open();
  for (let index = 0; index < 200; index++) await lasting.set(`more ${index}`, '{}', 2 * HOUR_MS);
  expect(await count()).toBeLessThanOrEqual(1_000);
});

it('no statement about rows or kept cards reads a whole table', async () => {
  const { rows, database } = rowsInFile();
  database.exec(CARDS_SCHEMA);
  const cards = cardsIn(database);
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

/** Real time, because Redis expires keys by its own clock. */
async function withCard(ageMs = 0, address = redis) {
  vi.useRealTimers();
  const cards = await redisCards(address);
  const opened = await cards.open();
  const keep = () => opened.store.set('base1:4 é', { card: CARD, fetchedAtMs: Date.now() - ageMs });
  await keep();
  const [key = ''] = await cards.keys();
  return { ...cards, ...opened, keep, key };
}

it('the keys of kept cards, of prefix, version and origin, stay as they are, so that no update forgets them', async () => {
  const { key, prefix } = await withCard();
  expect(key).toBe(`${prefix}:cards:v1:87666aefb74c:base1:4 é`);
});

it('cards in Redis expire at the end of their life, however much of it was over when they were written', async () => {
  const { client, key } = await withCard(KEEP_MS / 2);
  const leftMs = await (await client()).pTTL(key);
  expect(leftMs).toBeGreaterThan(KEEP_MS / 2 - 60_000);
  expect(leftMs).toBeLessThanOrEqual(KEEP_MS / 2);
});

it('cards in Redis cannot be cleared: other programs may use that Redis', async () => {
  const { lasting, count } = await withCard();
  await expect(lasting.clear()).rejects.toThrow();
  expect(await count()).toBe(1);
});

it('cards in Redis are a miss where another program stores something else, and the link stays usable', async () => {
  const { client, key, link, open, empty } = await withCard();
  await empty();
  await (await client()).lPush(key, 'x');
  expect(await (await open()).store.newest('base1:4 é')).toBeUndefined();
  expect(link.health).toBe('usable');
});

it.skipIf(noRealRedis('cards answered in an outage'))(
  'cards in Redis that were answered while it was away are stored when it is back',
  async () => {
    const server = await startRealRedis();
    const { empty, count, keep } = await withCard(0, server);
    await empty();
    await server.kill();
    await keep();
    await server.start();
    await expect.poll(count).toBe(1);
  },
);
