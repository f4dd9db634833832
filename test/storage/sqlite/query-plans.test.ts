import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CARDS_SCHEMA, SqliteStore } from '../../../src/storage/sqlite/cards.ts';
import { rowsInFile } from '../../support/stores.ts';

it('no statement about rows or kept cards reads a whole table', async () => {
  const { rows, database } = rowsInFile();
  database.exec(CARDS_SCHEMA);
  const cards = new SqliteStore(database);
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());

  const row = { part: 'a', key: 'x' };
  const ifStill = [{ ...row, value: undefined }];
  await rows.write([{ ...row, add: 1 }], { ifStill, ifFewer: { part: 'a', than: 1 }, keepMs: 60_000 });
  for (const value of ['1', undefined]) await rows.write([{ ...row, value }], { keepMs: 60_000 });
  for (const keys of [['x'], undefined]) await rows.read('a', keys);
  for (let writes = 0; writes < 251; writes++) await cards.set('key', 'value', 1);
  await cards.get('key');
  await cards.delete('key');

  const statements = new Set(prepare.mock.calls.map(([sql]) => sql));
  // SQLite decides without statistics, so an empty table will do.
  const plans = [...statements].flatMap((sql) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
  expect(plans.length).toBeGreaterThan(3);
  expect(plans.map(({ detail }) => String(detail)).filter((plan) => plan.startsWith('SCAN'))).toEqual([]);
});
