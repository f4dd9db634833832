import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import type { ReplyJournal } from '../../replies/deferred-reply.ts';
import { DeferredReply } from '../../replies/deferred-reply.ts';
import type { StateWrites } from './sqlite-state.ts';

export const JOURNAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS deferred_replies (interaction_id TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID;
`;
/** Its rows called a query a question. */
export const EARLIER_JOURNAL_TABLE = {
  name: 'debts',
  move: `
    INSERT OR REPLACE INTO deferred_replies SELECT interaction, CASE WHEN json_valid(debt)
    THEN json_remove(json_set(debt, '$.query', json_extract(debt, '$.question')), '$.question') ELSE debt END FROM debts
  `,
};

/** The deferred replies of one process, for its next run. Failures are logged; a row that cannot be read is dropped. */
export class SqliteJournal implements ReplyJournal {
  readonly #database: DatabaseSync;
  readonly #write: StatementSync;
  readonly #find: StatementSync;
  readonly #remove: StatementSync;
  readonly #log: Logger;
  readonly #writes: StateWrites;

  constructor(database: DatabaseSync, log: Logger, writes: StateWrites) {
    this.#database = database;
    this.#write = database.prepare('INSERT OR REPLACE INTO deferred_replies VALUES (?, ?)');
    this.#find = database.prepare('SELECT 1 FROM deferred_replies WHERE interaction_id = ?');
    this.#remove = database.prepare('DELETE FROM deferred_replies WHERE interaction_id = ?');
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
  takeOver(complete: (deferred: DeferredReply) => void): void {
    const deferredReplies = this.#read();
    if (deferredReplies.length > 0) this.#log.info({ count: deferredReplies.length }, 'deferred replies taken over');
    for (const deferred of deferredReplies) complete(deferred);
  }

  async close(): Promise<void> {} // the rows stay

  #read(): DeferredReply[] {
    const rows =
      this.#try('deferred replies cannot be read', () =>
        this.#database.prepare('SELECT * FROM deferred_replies').all(),
      ) ?? [];
    const deferredReplies = rows.flatMap(({ interaction_id: interactionId, reply }) => {
      const read = this.#try('invalid deferred reply: it is dropped', () =>
        DeferredReply.parse(JSON.parse(String(reply))),
      );
      if (read === undefined) void this.remove(String(interactionId));
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
