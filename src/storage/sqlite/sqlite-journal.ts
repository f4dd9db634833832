import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import { DeferredReply } from '../../replies/deferred-reply.ts';
import type { ReplyJournal } from '../../replies/reply-journal.ts';
import type { StateWrites } from './state-writes.ts';

export const JOURNAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS debts (interaction TEXT PRIMARY KEY, debt TEXT NOT NULL) WITHOUT ROWID;
`;

/** The debts of one process, for its next run. What fails is logged: a row that cannot be read is dropped. */
export class SqliteJournal implements ReplyJournal {
  readonly #database: DatabaseSync;
  readonly #write: StatementSync;
  readonly #find: StatementSync;
  readonly #remove: StatementSync;
  readonly #log: Logger;
  readonly #writes: StateWrites;

  constructor(database: DatabaseSync, log: Logger, writes: StateWrites) {
    this.#database = database;
    this.#write = database.prepare('INSERT OR REPLACE INTO debts VALUES (?, ?)');
    this.#find = database.prepare('SELECT 1 FROM debts WHERE interaction = ?');
    this.#remove = database.prepare('DELETE FROM debts WHERE interaction = ?');
    this.#log = log;
    this.#writes = writes;
  }

  async add(deferred: DeferredReply): Promise<boolean> {
    this.#writes.try(() => this.#write.run(deferred.interactionId, JSON.stringify(deferred)));
    return true;
  }

  async keeps({ interactionId }: DeferredReply): Promise<boolean> {
    return this.#try('deferred replies cannot be read', () => this.#find.get(interactionId)) !== undefined;
  }

  async remove(interactionId: string): Promise<void> {
    this.#writes.try(() => this.#remove.run(interactionId));
  }

  /** At once, oldest first. */
  takeOver(owe: (deferred: DeferredReply) => void): void {
    const deferredReplies = this.#read();
    if (deferredReplies.length > 0) this.#log.info({ count: deferredReplies.length }, 'deferred replies taken over');
    for (const deferred of deferredReplies) owe(deferred);
  }

  async close(): Promise<void> {} // the rows stay

  #read(): DeferredReply[] {
    const rows =
      this.#try('deferred replies cannot be read', () => this.#database.prepare('SELECT * FROM debts').all()) ?? [];
    const deferredReplies = rows.flatMap(({ interaction, debt: deferred }) => {
      const read = this.#try('invalid deferred reply: it is dropped', () =>
        DeferredReply.parse(JSON.parse(String(deferred))),
      );
      if (read === undefined) void this.remove(String(interaction));
      return read ?? [];
    });
    return deferredReplies.sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  }

  #try<T>(failure: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (err) {
      this.#log.error({ err }, failure);
      return undefined;
    }
  }
}
