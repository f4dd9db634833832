import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEDGER_SCHEMA, LocalLedger } from '../../src/quota/local-ledger.ts';

const LATE_MS = Date.UTC(2026, 10, 20, 23, 59, 59);
const DAY_MS = 86_400_000;
const ALICE = { memberId: 'alice', guildId: 'guild' };
const BOB = { memberId: 'bob', guildId: 'guild' };
const ALICE_ELSEWHERE = { memberId: 'alice', guildId: 'other' };
const ALICE_IN_PRIVATE = { memberId: 'alice', guildId: undefined };

beforeEach(() => {
  vi.useFakeTimers({ now: LATE_MS, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
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
  it('begins with nothing', async () => {
    expect(await new LocalLedger(database()).today()).toEqual({ requests: 0, refused: 0, saved: 0 });
  });

  it('counts requests and what was saved, across restarts', async () => {
    const kept = database();
    const ledger = new LocalLedger(kept);
    ledger.spent(ALICE);
    ledger.saved(ALICE);
    ledger.saved(BOB);
    await ledger.close();
    new LocalLedger(kept).spent(BOB);
    expect(await ledger.today()).toEqual({ requests: 2, refused: 0, saved: 2 });
  });

  it('keeps 429s apart from requests', async () => {
    const ledger = new LocalLedger(database());
    ledger.spent(ALICE);
    ledger.refused(ledger.spent(ALICE));
    expect(await ledger.memberToday('alice')).toEqual({ requests: 1, refused: 1, saved: 0 });
  });

  it('books on the member in all servers, and on the server for all members', async () => {
    const ledger = new LocalLedger(database());
    for (const asker of [ALICE, BOB, ALICE_ELSEWHERE, ALICE_IN_PRIVATE]) ledger.spent(asker);
    expect((await ledger.memberToday('alice')).requests).toBe(3);
    expect((await ledger.guildToday(BOB)).requests).toBe(2);
    expect((await ledger.guildToday(ALICE_IN_PRIVATE)).requests).toBe(1);
  });

  it('names who caused most in a server, most first', async () => {
    const ledger = new LocalLedger(database());
    for (const asker of [ALICE, BOB, BOB, ALICE_ELSEWHERE, ALICE_ELSEWHERE]) ledger.spent(asker);
    ledger.saved({ memberId: 'carol', guildId: 'guild' });
    expect(await ledger.topMembers(ALICE, 5)).toEqual([
      { memberId: 'bob', requests: 2 },
      { memberId: 'alice', requests: 1 },
    ]);
    expect(await ledger.topMembers(ALICE, 1)).toHaveLength(1);
  });

  it('counts by UTC day', async () => {
    const ledger = new LocalLedger(database());
    ledger.spent(ALICE);
    vi.setSystemTime(LATE_MS + 1_000);
    ledger.saved(ALICE);
    expect(await ledger.today()).toEqual({ requests: 0, refused: 0, saved: 1 });
    vi.setSystemTime(LATE_MS);
    expect(await ledger.today()).toEqual({ requests: 1, refused: 0, saved: 0 });
  });

  it('takes a refused request back from the day it was booked on', async () => {
    const ledger = new LocalLedger(database());
    const booking = ledger.spent(ALICE);
    vi.setSystemTime(LATE_MS + 1_000);
    ledger.refused(booking);
    expect(await ledger.today()).toEqual({ requests: 0, refused: 0, saved: 0 });
    vi.setSystemTime(LATE_MS);
    expect(await ledger.today()).toEqual({ requests: 0, refused: 1, saved: 0 });
  });

  it('knows no negative requests', async () => {
    const ledger = new LocalLedger(database());
    const booking = ledger.spent(ALICE);
    ledger.refused(booking);
    ledger.refused(booking);
    expect(await ledger.today()).toEqual({ requests: 0, refused: 2, saved: 0 });
  });

  it('writes what was saved within a second', async () => {
    const kept = database();
    new LocalLedger(kept).saved(ALICE);
    vi.advanceTimersByTime(1_000);
    expect(kept.prepare('SELECT saved FROM bookings').get()?.saved).toBe(1);
  });

  it('that cannot be written fails nobody', async () => {
    const kept = database();
    const ledger = new LocalLedger(kept);
    kept.close();
    expect(() => {
      ledger.spent(ALICE);
      ledger.saved(ALICE);
      vi.advanceTimersByTime(1_000);
    }).not.toThrow();
    expect((await ledger.memberToday('alice')).requests).toBe(0);
  });

  it('keeps 35 days', async () => {
    const kept = database();
    new LocalLedger(kept).spent(ALICE);
    const rowsAfter = async (days: number) => {
      vi.setSystemTime(LATE_MS + days * DAY_MS);
      await new LocalLedger(kept).close();
      return kept.prepare('SELECT count(*) AS days FROM bookings').get()?.days;
    };
    expect([await rowsAfter(35), await rowsAfter(36)]).toEqual([1, 0]);
  });
});
