import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CARDS_SCHEMA, SqliteStore } from '../../../src/storage/sqlite/cards.ts';
import { CatalogDatabase } from '../../../src/storage/sqlite/catalog/database.ts';
import { logLines } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import { rowsInFile } from '../../support/stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ALICE = { memberId: 'alice', guildId: 'guild' };
const CARD = { id: 'base1-4', name: 'Emberwing Drake', set: 'Base' };

/** How SQLite goes about each statement that is prepared meanwhile. It decides without statistics, so an empty table will do. */
async function plansOf(database: DatabaseSync, work: () => Promise<void>): Promise<string[]> {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  await work();
  const statements = new Set(prepare.mock.calls.map(([sql]) => sql));
  prepare.mockRestore();
  const plans = [...statements].flatMap((sql) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
  return [...new Set(plans.map(({ detail }) => String(detail)))].sort();
}

/** Tables, and parts of a statement, that are read from beginning to end. */
function wholeIn(plans: readonly string[]): string[] {
  return plans.filter((plan) => plan.startsWith('SCAN'));
}

it('no statement about rows or kept cards reads a whole table', async () => {
  const { rows, database } = rowsInFile();
  database.exec(CARDS_SCHEMA);
  const cards = new SqliteStore(database);
  const plans = await plansOf(database, async () => {
    const row = { part: 'a', key: 'x' };
    const ifStill = [{ ...row, value: undefined }];
    await rows.write([{ ...row, add: 1 }], { ifStill, ifFewer: { part: 'a', than: 1 }, keepMs: 60_000 });
    for (const value of ['1', undefined]) await rows.write([{ ...row, value }], { keepMs: 60_000 });
    for (const keys of [['x'], undefined]) await rows.read('a', keys);
    for (let writes = 0; writes < 251; writes++) await cards.set('key', 'value', 1);
    await cards.get('key');
    await cards.delete('key');
  });
  expect(wholeIn(plans)).toEqual([]);
});

it('no statement of a search, or about what was asked for, reads a whole table but those of a few rows', async () => {
  const catalog = CatalogDatabase.open(temporaryFolder(), logLines().log);
  onFinished(() => catalog.close());
  const database = new DatabaseSync(catalog.file);
  onFinished(() => database.close());
  const plans = await plansOf(database, async () => {
    catalog.upsert([CARD], undefined);
    catalog.upsert([{ ...CARD, id: 'base1-5' }], 'cards.csv');
    catalog.deny('base1-5', true);
    catalog.asked.add(CARD.id, ALICE, 1, true);
    const words = [[{ word: 'drake', begins: true, inName: false }]];
    const { index } = catalog;
    index.withIdKey('base14');
    index.withNameKey('emberwingdrake');
    index.withNameBeginning('ember');
    index.withWords(words);
    index.allWithWords(words);
    index.hasWords(words);
    index.countWithWords(words);
    index.askedMost('guild');
    index.lastAsked('alice');
    index.isConfirmedForm('x');
    index.hasImportedForm('x');
    index.hasConfirmedNumber(4);
    index.confirmedIds();
    index.vocabulary();
    catalog.imports.withdrawn();
    catalog.position('x');
    catalog.setPosition('x', '1');
  });
  const tables = wholeIn(plans).filter((plan) => !/SCAN (\(|most|placed)/.test(plan));
  expect(tables).toEqual([
    'SCAN card_words VIRTUAL TABLE INDEX 0:M3', // by the index of words
    'SCAN forms',
    'SCAN import_forms',
    'SCAN sources',
  ]);
});
