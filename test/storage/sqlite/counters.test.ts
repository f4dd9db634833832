import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Ledger } from '../../../src/quota/ledger.ts';
import { LEDGER_SCHEMA, SqliteCounters } from '../../../src/storage/sqlite/counters.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const ALICE = { memberId: 'alice', guildId: 'guild' };

beforeEach(() => {
  vi.useFakeTimers({ now: NOON_MS, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function database(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(LEDGER_SCHEMA);
  return database;
}

describe('the ledger of a single process', () => {
  it('writes what was saved within a second', () => {
    const kept = database();
    new Ledger(new SqliteCounters(kept)).saved(ALICE);
    vi.advanceTimersByTime(1_000);
    expect(kept.prepare('SELECT saved FROM bookings').get()?.saved).toBe(1);
  });

  it('that cannot be written throws nothing', async () => {
    const kept = database();
    const ledger = new Ledger(new SqliteCounters(kept));
    kept.close();
    expect(() => {
      ledger.refused(ledger.spent(ALICE));
      ledger.saved(ALICE);
      vi.advanceTimersByTime(1_000);
    }).not.toThrow();
    expect((await ledger.memberToday('alice')).requests).toBe(0);
    expect(await ledger.topMembers(ALICE, 5)).toEqual([]);
    expect(await ledger.hours()).toEqual([]);
    await ledger.close();
  });

  it('keeps 35 days', async () => {
    const kept = database();
    new Ledger(new SqliteCounters(kept)).spent(ALICE);
    const rowsAfter = async (days: number) => {
      vi.setSystemTime(NOON_MS + days * DAY_MS);
      await new Ledger(new SqliteCounters(kept)).close();
      return kept.prepare('SELECT count(*) AS days FROM bookings').get()?.days;
    };
    expect([await rowsAfter(35), await rowsAfter(36)]).toEqual([1, 0]);
  });
});
