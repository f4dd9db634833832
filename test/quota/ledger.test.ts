import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEDGER_SCHEMA, LocalLedger } from '../../src/quota/ledger.ts';

const LATE_MS = Date.UTC(2026, 10, 20, 23, 59, 59);
const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: LATE_MS, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function database(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(LEDGER_SCHEMA);
  return database;
}

describe('the ledger', () => {
  it('begins with nothing', () => {
    expect(new LocalLedger(database()).today()).toEqual({ requests: 0, saved: 0 });
  });

  it('counts requests and what was saved, across restarts', () => {
    const kept = database();
    const ledger = new LocalLedger(kept);
    ledger.spent();
    ledger.saved();
    ledger.saved();
    new LocalLedger(kept).spent();
    expect(ledger.today()).toEqual({ requests: 2, saved: 2 });
  });

  it('counts by UTC day', () => {
    const ledger = new LocalLedger(database());
    ledger.spent();
    vi.setSystemTime(LATE_MS + 1_000);
    ledger.saved();
    expect(ledger.today()).toEqual({ requests: 0, saved: 1 });
    vi.setSystemTime(LATE_MS);
    expect(ledger.today()).toEqual({ requests: 1, saved: 0 });
  });

  it('that cannot be written fails nobody', () => {
    const kept = database();
    const ledger = new LocalLedger(kept);
    kept.close();
    expect(() => {
      ledger.spent();
      ledger.saved();
    }).not.toThrow();
  });

  it('keeps 35 days', () => {
    const kept = database();
    new LocalLedger(kept).spent();
    const daysAfter = (days: number) => {
      vi.setSystemTime(LATE_MS + days * DAY_MS);
      new LocalLedger(kept);
      return kept.prepare('SELECT count(*) AS days FROM days').get()?.days;
    };
    expect([daysAfter(35), daysAfter(36)]).toEqual([1, 0]);
  });
});
