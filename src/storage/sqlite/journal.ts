import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import { type DeferredReply, parseDeferredReply, type ReplyJournal } from '../../replies/deferred-reply.ts';
import { type Statements, statementsOf } from './database.ts';
import type { StateWrites } from './state-rows.ts';

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
  readonly #sql: Statements;
  readonly #log: Logger;
  readonly #writes: StateWrites;

  constructor(database: DatabaseSync, log: Logger, writes: StateWrites) {
    this.#sql = statementsOf(database);
    this.#log = log;
    this.#writes = writes;
  }

  async add(deferred: DeferredReply): Promise<boolean> {
    const write = 'INSERT OR REPLACE INTO deferred_replies VALUES (?, ?)';
    this.#writes.try(() => this.#sql(write).run(deferred.interactionId, JSON.stringify(deferred)));
    return true;
  }

  async keeps({ interactionId }: DeferredReply): Promise<boolean> {
    const find = 'SELECT 1 FROM deferred_replies WHERE interaction_id = ?';
    return this.#try('deferred replies cannot be read', () => this.#sql(find).get(interactionId)) !== undefined;
  }

  owns(): boolean {
    return true;
  }

  async remove(interactionId: string): Promise<void> {
    this.#writes.try(() => this.#sql('DELETE FROM deferred_replies WHERE interaction_id = ?').run(interactionId));
  }

  /** At once, oldest first. */
  takeOver(complete: (deferred: DeferredReply) => void): void {
    const deferredReplies = this.#read();
    if (deferredReplies.length > 0) this.#log.info({ count: deferredReplies.length }, 'deferred replies taken over');
    for (const deferred of deferredReplies) complete(deferred);
  }

  async close(): Promise<void> {} // the rows stay

  #read(): DeferredReply[] {
    const all = () => this.#sql('SELECT * FROM deferred_replies').all();
    const deferredReplies = (this.#try('deferred replies cannot be read', all) ?? []).flatMap((row) => {
      const parse = () => parseDeferredReply(JSON.parse(String(row.reply)));
      const read = this.#try('invalid deferred reply: it is dropped', parse);
      if (read === undefined) void this.remove(String(row.interaction_id));
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
