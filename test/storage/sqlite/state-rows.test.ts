import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { INITIAL_LIMITER_STATE } from '../../../src/quota/limiter-state.ts';
import { LIMITER_SCHEMA, StateWrites, sqliteLimiterStore } from '../../../src/storage/sqlite/state-rows.ts';
import { ERROR, logLines, WARN } from '../../support/log-lines.ts';

function limiterStore() {
  const database = new DatabaseSync(':memory:');
  database.exec(LIMITER_SCHEMA);
  const { log, lines } = logLines();
  const store = sqliteLimiterStore(database, 'account', log, new StateWrites(log));
  store.save(INITIAL_LIMITER_STATE);
  return { store, database, lines };
}

it('a limiter starts without what is stored of it when that is no JSON, and logs it', () => {
  const { store, database, lines } = limiterStore();
  database.exec("UPDATE limiter SET state = 'nonsense'");
  expect(store.load()).toBeUndefined();
  expect(lines).toMatchObject([{ level: WARN, msg: 'invalid limiter state: starting without it' }]);
});

it('a limiter whose file can be neither read nor written logs a line each, and goes on', () => {
  const { store, database, lines } = limiterStore();
  database.close();
  store.save(INITIAL_LIMITER_STATE);
  expect(store.load()).toBeUndefined();
  expect(lines.map(({ level }) => level)).toEqual([ERROR, WARN]);
});
