import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyvCardStore, type KeyvCardStoreOptions } from '../../src/cache/keyv-card-store.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../src/cache/sqlite-store.ts';
import type { Answer } from '../../src/card.ts';
import { openDatabase } from '../../src/database.ts';
import { logLines, WARN } from '../support/log-lines.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const KEEP_MS = 90 * 86_400_000;
const CARD = {
  id: 'base1-4',
  name: 'Ember Drake',
  game: 'Wyrmfall',
  set: { id: 'base1', name: 'First Fires' },
  number: '4/102',
  prices: { market: 1.5, low: 0 },
};
const ANSWER: Answer = { card: CARD, askedAtMs: NOW_MS };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cards-'));
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  for (const database of opened.splice(0)) if (database.isOpen) database.close();
  rmSync(folder, { recursive: true });
});

const opened: DatabaseSync[] = [];

/** A store over the folder's one file; each has a memory of its own. */
function open(options: Partial<KeyvCardStoreOptions> = {}) {
  const { log, lines } = logLines();
  const file = join(folder, 'cards.sqlite');
  const database = openDatabase(file, { log, schema: CARDS_SCHEMA, lossMeans: 'nothing' });
  opened.push(database);
  const usual = {
    log,
    store: new SqliteStore(database),
    memoryBytes: 1_000_000,
    keepMs: KEEP_MS,
    origin: 'cards.test',
  };
  return { database, lines, store: new KeyvCardStore({ ...usual, ...options }) };
}

describe('a card store', () => {
  it.each<[string, Answer]>([
    ['a card', ANSWER],
    ['that there is no card', { card: undefined, askedAtMs: NOW_MS }],
    ['that a card is no longer listed', { ...ANSWER, deniedAtMs: NOW_MS }],
    ['a card of an id that means something to databases', { ...ANSWER, card: { ...CARD, id: "'; DROP TABLE cards" } }],
  ])('remembers %s, also after a restart', async (_, answer) => {
    const { store } = open();
    await store.set('x:y', answer);
    expect(await store.get('x:y')).toEqual(answer);
    await store.close();
    expect(await open().store.get('x:y')).toEqual(answer);
  });

  it('knows nothing of other ids, whatever their case', async () => {
    const { store } = open();
    await store.set('a', ANSWER);
    expect([await store.get('A'), await store.get('b')]).toEqual([undefined, undefined]);
  });

  it('shares no card with another origin', async () => {
    const here = open({ origin: 'cards.test /cards/{id}' }).store;
    const there = open({ origin: 'cards.test /v2/cards/{id}' }).store;
    await here.set('a', ANSWER);
    expect(await there.get('a')).toBeUndefined();
    expect(await here.get('a')).toEqual(ANSWER);
  });

  it('reads from memory what it has read before', async () => {
    await open().store.set('a', ANSWER);
    const { store, database, lines } = open();
    await store.get('a');
    database.exec('DELETE FROM cards');
    expect(await store.get('a')).toEqual(ANSWER);
    expect(lines).toEqual([]);
  });

  it('forgets no card because its memory is full', async () => {
    const { store } = open({ memoryBytes: 20_000 });
    for (let index = 0; index < 200; index++)
      await store.set(`card ${index}`, { ...ANSWER, askedAtMs: NOW_MS - index });
    for (let index = 0; index < 200; index++) {
      expect((await store.get(`card ${index}`))?.askedAtMs).toBe(NOW_MS - index);
    }
  });
});

describe('the keeping time', () => {
  it.each(['in one process', 'with a restart before the reads'])(
    'counts from when the service answered, and no read extends it %s',
    async (how) => {
      const first = open().store;
      await first.set('a', { ...ANSWER, askedAtMs: NOW_MS - KEEP_MS / 2 });
      const store = how === 'in one process' ? first : open().store;
      for (const share of [0, 0.25, 0.4999]) {
        vi.setSystemTime(NOW_MS + KEEP_MS * share);
        expect(await store.get('a')).toBeDefined();
      }
      vi.setSystemTime(NOW_MS + KEEP_MS / 2 + 1);
      expect(await store.get('a')).toBeUndefined();
      expect(await open().store.get('a')).toBeUndefined();
    },
  );

  it('is over for what is set too late', async () => {
    const { store, database } = open();
    await store.set('a', { ...ANSWER, askedAtMs: NOW_MS - KEEP_MS });
    expect(await store.get('a')).toBeUndefined();
    expect(database.prepare('SELECT count(*) AS rows FROM cards').get()?.rows).toBe(0);
  });

  it('may be a fraction of a millisecond', async () => {
    const { store } = open({ keepMs: 0.5 });
    await store.set('a', ANSWER);
    expect(await open().store.get('a')).toEqual(ANSWER);
  });

  it('that became shorter in the configuration ends the life of older cards', async () => {
    await open().store.set('a', { ...ANSWER, askedAtMs: NOW_MS - 1_000 });
    expect(await open({ keepMs: 1_000 }).store.get('a')).toBeUndefined();
  });
});

describe('a row that does not fit', () => {
  it.each([
    ['no JSON', '{"value":{"card"'],
    ['another shape', JSON.stringify({ value: { card: { title: 'Ember Drake' }, askedAtMs: NOW_MS } })],
    ['no time', JSON.stringify({ value: { card: CARD } })],
    ['a price that is text', JSON.stringify({ value: { card: { ...CARD, prices: { low: '1' } }, askedAtMs: NOW_MS } })],
    ['a list', JSON.stringify({ value: [] })],
  ])('is a miss and one warning: %s', async (_, value) => {
    await open().store.set('a', ANSWER);
    const { store, database, lines } = open();
    database.prepare('UPDATE cards SET value = ?').run(value);
    expect(await store.get('a')).toBeUndefined();
    expect(lines.map(({ level }) => level)).toEqual([WARN]);
  });

  it('is replaced by the next answer', async () => {
    await open().store.set('a', ANSWER);
    const { store, database } = open();
    database.prepare('UPDATE cards SET value = ?').run('nonsense');
    await store.get('a');
    await store.set('a', ANSWER);
    expect(await open().store.get('a')).toEqual(ANSWER);
  });
});

describe('a disk that fails', () => {
  it('is a miss and a warning for who reads', async () => {
    const { store, database, lines } = open();
    database.close();
    expect(await store.get('a')).toBeUndefined();
    expect(lines.map(({ level }) => level)).toEqual([WARN]);
  });

  it('is a warning for who writes, and the memory remembers', async () => {
    const { store, database, lines } = open();
    database.close();
    await store.set('a', ANSWER);
    expect(await store.get('a')).toEqual(ANSWER);
    expect(lines.map(({ level }) => level)).toEqual([WARN]);
  });

  it('is a warning for who closes', async () => {
    const { store, database, lines } = open();
    database.close();
    await store.close();
    expect(lines.map(({ level }) => level)).toEqual([WARN]);
  });
});
