import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CARDS_SCHEMA, SqliteStore } from '../../../src/storage/sqlite/cards.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 20), toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open(maxRows?: number) {
  const database = new DatabaseSync(':memory:');
  database.exec(CARDS_SCHEMA);
  const rows = () => Number(database.prepare('SELECT count(*) AS rows FROM cards').get()?.rows);
  return { database, rows, store: new SqliteStore(database, maxRows) };
}

async function fill(store: SqliteStore, from: number, to: number, ttlMs: (index: number) => number) {
  for (let index = from; index < to; index++) await store.set(`card ${index}`, '{}', ttlMs(index));
}

describe('the SQLite store', () => {
  it('deletes', async () => {
    const { store, rows } = open();
    await fill(store, 0, 3, () => HOUR_MS);
    expect([await store.delete('card 0'), await store.delete('card 0')]).toEqual([true, false]);
    await store.clear();
    expect(rows()).toBe(0);
  });

  it('sweeps expired rows while others are written', async () => {
    const { store, rows } = open();
    await fill(store, 0, 400, () => HOUR_MS);
    vi.setSystemTime(Date.now() + HOUR_MS);
    await fill(store, 400, 900, () => HOUR_MS);
    expect(rows()).toBe(500);
    expect(await store.get('card 399')).toBeUndefined();
  });

  it('never holds more rows than its bound, and deletes those that expire first', async () => {
    const { store, rows } = open(1_000);
    for (let index = 0; index < 3_000; index++) {
      await store.set(`card ${index}`, '{}', HOUR_MS + index);
      if (index % 100 === 0) expect(rows()).toBeLessThanOrEqual(1_000);
    }
    expect(rows()).toBeLessThanOrEqual(1_000);
    expect(await store.get('card 2999')).toBe('{}');
    expect(await store.get('card 0')).toBeUndefined();
  });

  it('counts the rows of its file from the start', async () => {
    const { database, rows } = open();
    await fill(new SqliteStore(database), 0, 1_200, (index) => HOUR_MS + index);
    await new SqliteStore(database, 1_000).set('one more', '{}', 2 * HOUR_MS);
    expect(rows()).toBeLessThanOrEqual(1_000);
  });

  it('does not grow by rewriting', async () => {
    const { store, rows } = open(1_000);
    await fill(store, 0, 900, () => HOUR_MS);
    for (let time = 0; time < 300; time++) await store.set('card 0', '{}', HOUR_MS);
    expect(rows()).toBe(900);
  });
});
