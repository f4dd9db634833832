import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { DeferredReply } from '../../../src/replies/deferred-reply.ts';
import { JOURNAL_SCHEMA, SqliteJournal } from '../../../src/storage/sqlite/sqlite-journal.ts';
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

function openDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(JOURNAL_SCHEMA);
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
    const database = openDatabase();
    const { query: question, ...others } = REPLY;
    database.exec('CREATE TABLE debts (interaction TEXT PRIMARY KEY, debt TEXT NOT NULL) WITHOUT ROWID');
    database.prepare('INSERT INTO debts VALUES (?, ?)').run('1', JSON.stringify({ ...others, question }));
    for (let starts = 0; starts < 2; starts++) database.exec(JOURNAL_SCHEMA);
    expect(takenOver(database)).toEqual([REPLY]);
    expect(() => database.prepare('SELECT * FROM debts')).toThrow('no such table');
  });

  it('drops rows that cannot be read, of the previous version too, and logs each', () => {
    const database = openDatabase();
    database.exec(`
      CREATE TABLE debts (interaction TEXT PRIMARY KEY, debt TEXT NOT NULL) WITHOUT ROWID;
      INSERT INTO debts VALUES ('1', '{"token":'), ('2', x'00ff'), ('3', '{"token":"abc"}');
      INSERT INTO deferred_replies VALUES ('4', 'nonsense');
    `);
    database.exec(JOURNAL_SCHEMA);
    const { log, lines } = logLines();
    expect(takenOver(database, log)).toEqual([]);
    expect(lines.filter(({ level }) => level === ERROR)).toHaveLength(4);
    expect(database.prepare('SELECT * FROM deferred_replies').all()).toEqual([]);
  });
});
