import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type LimiterState, reportedPlan } from '../../../src/quota/limiter-state.ts';
import { StoredLimiterState } from '../../../src/quota/stored-limiter-state.ts';
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

  it('of an older version keep pace and closing; its report counts only where the headers say no limit', () => {
    const kept = database();
    const rows = rowsIn(kept, ADDRESS, 'key');
    rows.save(STATE);
    const { openedUnder: _, planAtLimit: __, lastFailure: ___, ...older } = STATE;
    kept.prepare('UPDATE pacing SET state = ?').run(JSON.stringify(older));
    const loaded = rows.load();
    expect(loaded).toEqual({ ...STATE, openedUnder: undefined, planAtLimit: undefined, lastFailure: 0 });
    expect(loaded && reportedPlan(loaded)).toBeUndefined();
    expect(loaded && reportedPlan({ ...loaded, quota: undefined })).toBe('pro');
  });

  it.each<[string, object, object]>([
    ['closed', { why: 'open', probing: false }, { state: 'closed', reason: undefined }],
    ['open for a pause', { why: 'minute', probing: false }, { state: 'open', reason: 'pause' }],
    ['half-open for the day', { why: 'day', probing: true }, { state: 'halfOpen', reason: 'day' }],
    ['open for an outage', { why: 'down', probing: false }, { state: 'open', reason: 'outage' }],
    ['open for the key', { why: 'key', probing: false }, { state: 'open', reason: 'key' }],
  ])('of the version that called its breaker a gate are read: %s', (_, gate, breaker) => {
    const { openedUnder: closedUnder, ...others } = STATE;
    const { sinceMs, untilMs, failures } = STATE.breaker;
    const times = { sinceMs, untilMs, failures };
    expect(StoredLimiterState.parse({ ...others, closedUnder, breaker: { ...gate, ...times } })).toEqual({
      ...STATE,
      breaker: { ...breaker, ...times },
    });
  });

  it('of an older version, which took every window for the day, keep no figures of a shorter one', () => {
    const { lastFailure: _, ...older } = STATE;
    const quota = { limit: 10, remaining: 0, resetsAtMs: 64_000, receivedAtMs: 4_000 };
    expect(StoredLimiterState.parse({ ...older, quota }).quota).toBeUndefined();
    expect(StoredLimiterState.parse({ ...STATE, quota }).quota).toEqual(quota);
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
