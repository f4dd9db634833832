import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { LimiterStore } from '../../../src/quota/limiter-cell.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../../src/quota/limiter-state.ts';
import type { CardsReply } from '../../../src/replies/reply-ports.ts';
import {
  JOURNAL_SCHEMA,
  LIMITER_SCHEMA,
  SqliteJournal,
  StateWrites,
  sqliteLimiterStore,
} from '../../../src/storage/sqlite/state-rows.ts';
import { ERROR, logLines, WARN } from '../../support/log-lines.ts';

const ACCOUNT = 'account';
const STATE: LimiterState = {
  ...INITIAL_LIMITER_STATE,
  fullAtMs: 1_234.5,
  breaker: { state: 'open', reason: 'day', sinceMs: 4_000, untilMs: 5_000, failures: 2 },
  quota: { limit: 1_000, remaining: 0, resetsAtMs: undefined, receivedAtMs: 4_000 },
};
function emptyDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(LIMITER_SCHEMA + JOURNAL_SCHEMA);
  return database;
}

function storeIn(database: DatabaseSync, account = ACCOUNT, log = logLines().log): LimiterStore {
  return sqliteLimiterStore(database, account, log, new StateWrites(log));
}

describe('the limiter store', () => {
  it('has nothing before the first request of an account', () => {
    expect(storeIn(emptyDatabase()).load()).toBeUndefined();
  });

  it.each([STATE, { ...STATE, quota: undefined }])('gives back what was saved last', (state) => {
    const store = storeIn(emptyDatabase());
    store.save({ ...STATE, fullAtMs: 0 });
    store.save(state);
    expect(store.load()).toEqual(state);
  });

  it('separates accounts', () => {
    const database = emptyDatabase();
    storeIn(database).save(STATE);
    expect(storeIn(database, 'another account').load()).toBeUndefined();
  });

  it.each(['nonsense', '{}', 'null', '{"fullAtMs":"soon"}'])('starts without %s, and logs it', (state) => {
    const database = emptyDatabase();
    const { log, lines } = logLines();
    const store = storeIn(database, ACCOUNT, log);
    store.save(STATE);
    database.prepare('UPDATE limiter SET state = ?').run(state);
    expect(store.load()).toBeUndefined();
    expect(lines).toMatchObject([{ level: WARN, msg: 'invalid limiter state: starting without it' }]);
  });

  it('that can be neither read nor written logs a line each', () => {
    const database = emptyDatabase();
    const { log, lines } = logLines();
    const store = storeIn(database, ACCOUNT, log);
    database.close();
    store.save(STATE);
    expect(store.load()).toBeUndefined();
    expect(lines.map(({ level }) => level)).toEqual([ERROR, WARN]);
  });
});

/** What the next run takes over. */
function takenOver(database: DatabaseSync, log = logLines().log): CardsReply[] {
  const replies: CardsReply[] = [];
  new SqliteJournal(database, log, new StateWrites(log)).takeOver((reply) => replies.push(reply));
  return replies;
}

describe('the journal of a single process', () => {
  it('drops rows that cannot be read, and logs each', () => {
    const database = emptyDatabase();
    database.exec(
      "INSERT INTO deferred_replies VALUES ('1', '{\"token\":'), ('2', x'00ff'), ('3', '{\"token\":\"abc\"}')",
    );
    const { log, lines } = logLines();
    expect(takenOver(database, log)).toEqual([]);
    expect(lines.filter(({ level }) => level === ERROR)).toHaveLength(3);
    expect(database.prepare('SELECT * FROM deferred_replies').all()).toEqual([]);
  });
});
