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
    expect(kept.prepare('SELECT saved FROM counts').get()?.saved).toBe(1);
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
      return kept.prepare('SELECT count(DISTINCT day) AS days FROM counts').get()?.days;
    };
    expect([await rowsAfter(35), await rowsAfter(36)]).toEqual([1, 0]);
  });

  it('deletes a day that is kept no longer some rows at a time, so that no command waits for all of it', async () => {
    const kept = database();
    const ledger = new Ledger(new SqliteCounters(kept));
    for (let member = 0; member < 1_200; member++) ledger.saved({ memberId: String(member), guildId: 'guild' });
    await ledger.close();
    const rows = () => Number(kept.prepare('SELECT count(*) AS rows FROM counts').get()?.rows);
    const [before, left] = [rows(), [] as number[]];
    vi.setSystemTime(NOON_MS + 36 * DAY_MS);
    const next = new Ledger(new SqliteCounters(kept));
    for (let command = 0; command < 3; command++) {
      await next.memberToday('alice');
      left.push(rows());
    }
    expect([before, ...left]).toEqual([1_202, 702, 202, 0]);
  });

  it('counts on where something else than a number stands', async () => {
    const kept = database();
    const ledger = new Ledger(new SqliteCounters(kept));
    ledger.spent(ALICE);
    kept.exec("UPDATE counts SET requests = 'many'; UPDATE hour_starts SET saved = 'few'");
    expect(await ledger.topMembers(ALICE, 5)).toEqual([]);
    ledger.spent(ALICE);
    expect((await ledger.memberToday('alice')).requests).toBe(1);
    expect(await ledger.topMembers(ALICE, 5)).toEqual([{ memberId: 'alice', requests: 1 }]);
    for (const { requests, saved } of await ledger.hours()) expect([requests, saved]).toEqual([expect.any(Number), 0]);
  });
});
