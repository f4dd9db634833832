import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { LimiterState } from '../../../src/quota/limiter-state.ts';
import { LIMITER_SCHEMA, LimiterRows } from '../../../src/storage/sqlite/limiter-rows.ts';
import { StateWrites } from '../../../src/storage/sqlite/state-writes.ts';
import { ERROR, logLines, WARN } from '../../support/log-lines.ts';

const STATE: LimiterState = {
  fullAtMs: 1_234.5,
  breaker: { state: 'halfOpen', reason: 'day', sinceMs: 4_000, untilMs: 5_000, failures: 2 },
  openedUnder: 'pro  ',
  lastFailure: 7,
  quota: { limit: 1_000, remaining: 0, resetsAtMs: undefined, receivedAtMs: 4_000 },
  plan: 'pro',
  planAtLimit: 50_000,
  learnedBurst: { capacity: 9, untilMs: 6_000 },
  warned: { share: 0.8, windowEndsMs: 6_000 },
  samples: [{ atMs: 3_000, remaining: 12 }],
};
const ADDRESS = 'https://cards.test';

function database(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(LIMITER_SCHEMA);
  return database;
}

function rowsIn(database: DatabaseSync, address: string, key: string | undefined, log = logLines().log): LimiterRows {
  return new LimiterRows(database, address, key, log, new StateWrites(log));
}

describe('pacing rows', () => {
  it('know nothing of an account before its first request', () => {
    expect(rowsIn(database(), ADDRESS, 'key').load()).toBeUndefined();
  });

  it.each([STATE, { ...STATE, quota: undefined }])('give back what they were given last', (state) => {
    const rows = rowsIn(database(), ADDRESS, 'key');
    rows.save({ ...STATE, fullAtMs: 0 });
    rows.save(state);
    expect(rows.load()).toEqual(state);
  });

  it.each([
    ['key', ADDRESS, 'other'],
    ['lack of a key', ADDRESS, undefined],
    ['address', 'https://other.test', 'key'],
  ])('keep accounts apart by their %s', (_, address, key) => {
    const kept = database();
    rowsIn(kept, ADDRESS, 'key').save(STATE);
    expect(rowsIn(kept, address, key).load()).toBeUndefined();
  });

  it('hold no key', () => {
    const kept = database();
    rowsIn(kept, ADDRESS, 'very-secret-key').save(STATE);
    expect(JSON.stringify(kept.prepare('SELECT * FROM pacing').all())).not.toContain('secret');
  });

  it.each(['nonsense', '{}', 'null', '{"fullAtMs":"soon"}'])('start anew from %s, and say so', (state) => {
    const kept = database();
    const { log, lines } = logLines();
    const rows = rowsIn(kept, ADDRESS, 'key', log);
    rows.save(STATE);
    kept.prepare('UPDATE pacing SET state = ?').run(state);
    expect(rows.load()).toBeUndefined();
    expect(lines).toMatchObject([{ level: WARN, msg: 'kept pacing state does not fit: starting without' }]);
  });

  it('that can be neither read nor written are a line each', () => {
    const kept = database();
    const { log, lines } = logLines();
    const rows = rowsIn(kept, ADDRESS, 'key', log);
    kept.close();
    rows.save(STATE);
    expect(rows.load()).toBeUndefined();
    expect(lines.map(({ level }) => level)).toEqual([ERROR, WARN]);
  });
});
