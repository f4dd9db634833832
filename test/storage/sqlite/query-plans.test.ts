import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Ledger } from '../../../src/quota/ledger.ts';
import type { CardsReply } from '../../../src/replies/reply-ports.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../../src/storage/sqlite/cards.ts';
import { CatalogDatabase } from '../../../src/storage/sqlite/catalog/database.ts';
import { SqliteCounters } from '../../../src/storage/sqlite/counters.ts';
import { sqliteSettings } from '../../../src/storage/sqlite/server-settings.ts';
import { STATE_SCHEMA } from '../../../src/storage/sqlite/state.ts';
import {
  SqliteJournal,
  StateWrites,
  sqliteDeletionRequests,
  sqliteLimiterStore,
} from '../../../src/storage/sqlite/state-rows.ts';
import { sqliteWatches } from '../../../src/storage/sqlite/watches.ts';
import { newWatch } from '../../../src/watches/watch.ts';
import { logLines } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
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

function stateFile(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(STATE_SCHEMA);
  onFinished(() => database.close());
  return database;
}

it('no count is the sum of what grows with a day', async () => {
  const database = stateFile();
  const plans = await plansOf(database, async () => {
    const counters = new SqliteCounters(database);
    const ledger = new Ledger(counters);
    ledger.refused(ledger.spent(ALICE));
    await Promise.all([ledger.today(), ledger.guildToday(ALICE), ledger.memberToday('alice'), ledger.hours()]);
    await ledger.topMembers(ALICE, 5);
    await counters.keptOf('alice');
    await counters.deleteDays('alice', '2026-11-20');
  });
  expect(plans.filter((plan) => plan.startsWith('SCAN') || plan.includes('counts'))).toEqual([
    'SEARCH counts USING COVERING INDEX counts_by_requests (day<?)', // some at a time are deleted
    'SEARCH counts USING COVERING INDEX counts_by_requests (day=? AND guild=? AND requests>? AND requests<?)',
    'SEARCH counts USING PRIMARY KEY (member=? AND day<?)',
    'SEARCH counts USING PRIMARY KEY (member=? AND day=? AND guild=?)',
    'SEARCH counts USING PRIMARY KEY (member=? AND day=?)',
    'SEARCH counts USING PRIMARY KEY (member=?)',
  ]);
  expect(plans).not.toContain('USE TEMP B-TREE FOR ORDER BY');
});

it('no other statement of the state reads a whole table', async () => {
  const database = stateFile();
  const { log } = logLines();
  const plans = await plansOf(database, async () => {
    const writes = new StateWrites(log);
    const journal = new SqliteJournal(database, log, writes);
    const reply = { interactionId: '9' } as CardsReply;
    await journal.add(reply);
    await journal.keeps(reply);
    await journal.remove('9');
    const limiter = sqliteLimiterStore(database, 'account', log, writes);
    limiter.load();
    const settings = sqliteSettings(database, writes);
    await settings.write('8', 'language', 'de');
    await settings.touch('8');
    await settings.read('8');
    await settings.write('8', 'language', undefined);
    const watches = sqliteWatches(database, writes);
    const watch = newWatch({ memberId: '7', cardId: 'x', cardName: 'X', locale: 'de', below: 30 }, 36, 1);
    await watches.change(watch.id, () => watch);
    for (const which of ['untold', { member: '7' }, { card: 'x' }] as const) await watches.find(which);
    await watches.change(watch.id, () => undefined);
    await watches.forget('7', 1);
    await sqliteDeletionRequests(database, writes).add({ memberId: '7', at: '2026-11-20', lastChange: 1 });
  });
  expect(wholeIn(plans)).toEqual(['SCAN sqlite_sequence']); // of one row
});

it('no statement about kept cards reads a whole table', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(CARDS_SCHEMA);
  const store = new SqliteStore(database);
  const plans = await plansOf(database, async () => {
    for (let writes = 0; writes < 251; writes++) await store.set('key', 'value', 1);
    await store.get('key');
    await store.delete('key');
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
