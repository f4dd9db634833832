import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DeferredReply } from '../../../src/replies/deferred-reply.ts';
import { openDatabase } from '../../../src/storage/sqlite/database.ts';
import { EARLIER_JOURNAL_TABLE, JOURNAL_SCHEMA, SqliteJournal } from '../../../src/storage/sqlite/sqlite-journal.ts';
import { StateWrites } from '../../../src/storage/sqlite/sqlite-state.ts';
import { ERROR, logLines } from '../../support/log-lines.ts';

const REPLY: DeferredReply = {
  interactionId: '1',
  applicationId: '2',
  token: 'token',
  command: 'card',
  query: { cardId: 'base1-4', showPrices: true },
  private: false,
  memberId: 'alice',
  guildId: undefined,
  locale: 'en-US',
  receivedAtMs: 1_000,
  deadlineMs: 871_000,
};

/** A file as the previous version left it, opened by this one. */
function openEarlier(fill: (database: DatabaseSync) => void): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  const file = join(folder, 'state.sqlite');
  const earlier = new DatabaseSync(file);
  earlier.exec('CREATE TABLE debts (interaction TEXT PRIMARY KEY, debt TEXT NOT NULL) WITHOUT ROWID');
  fill(earlier);
  earlier.close();
  const database = openDatabase(file, {
    log: logLines().log,
    schema: JOURNAL_SCHEMA,
    earlierTables: [EARLIER_JOURNAL_TABLE],
    lossMeans: '',
  });
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  return database;
}

/** What the next run takes over. */
function takenOver(database: DatabaseSync, log = logLines().log): DeferredReply[] {
  const replies: DeferredReply[] = [];
  new SqliteJournal(database, log, new StateWrites(log)).takeOver((reply) => replies.push(reply));
  return replies;
}

describe('the journal of a single process', () => {
  it('takes over the table of the previous version, which called a query a question, once', () => {
    const { query: question, ...others } = REPLY;
    const database = openEarlier((earlier) => {
      earlier.prepare('INSERT INTO debts VALUES (?, ?)').run('1', JSON.stringify({ ...others, question }));
    });
    expect(takenOver(database)).toEqual([REPLY]);
    expect(() => database.prepare('SELECT * FROM debts')).toThrow('no such table');
  });

  it('drops rows that cannot be read, of the previous version too, and logs each', () => {
    const database = openEarlier((earlier) => {
      earlier.exec(`INSERT INTO debts VALUES ('1', '{"token":'), ('2', x'00ff'), ('3', '{"token":"abc"}')`);
    });
    database.exec("INSERT INTO deferred_replies VALUES ('4', 'nonsense')");
    const { log, lines } = logLines();
    expect(takenOver(database, log)).toEqual([]);
    expect(lines.filter(({ level }) => level === ERROR)).toHaveLength(4);
    expect(database.prepare('SELECT * FROM deferred_replies').all()).toEqual([]);
  });
});
