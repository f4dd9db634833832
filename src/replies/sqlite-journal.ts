import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Logger } from '../log.ts';
import type { StateWrites } from '../state-writes.ts';
import type { Debt } from './debt.ts';
import type { DebtJournal } from './debt-journal.ts';
import { StoredDebt } from './stored-debt.ts';

export const JOURNAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS debts (interaction TEXT PRIMARY KEY, debt TEXT NOT NULL) WITHOUT ROWID;
`;

/** The debts of one process, for its next run. What fails is logged: a row that cannot be read is dropped. */
export class SqliteJournal implements DebtJournal {
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

  async add(debt: Debt): Promise<boolean> {
    this.#writes.try(() => this.#write.run(debt.interactionId, JSON.stringify(debt)));
    return true;
  }

  async keeps({ interactionId }: Debt): Promise<boolean> {
    return this.#try('debts cannot be read', () => this.#find.get(interactionId)) !== undefined;
  }

  async remove(interactionId: string): Promise<void> {
    this.#writes.try(() => this.#remove.run(interactionId));
  }

  /** At once, oldest first. */
  takeOver(owe: (debt: Debt) => void): void {
    const debts = this.#read();
    if (debts.length > 0) this.#log.info({ owed: debts.length }, 'debts taken over');
    for (const debt of debts) owe(debt);
  }

  async close(): Promise<void> {} // the rows stay

  #read(): Debt[] {
    const rows = this.#try('debts cannot be read', () => this.#database.prepare('SELECT * FROM debts').all()) ?? [];
    const debts = rows.flatMap(({ interaction, debt }) => {
      const read = this.#try('debt does not fit: it is dropped', () => StoredDebt.parse(JSON.parse(String(debt))));
      if (read === undefined) void this.remove(String(interaction));
      return read ?? [];
    });
    return debts.sort((a, b) => a.receivedAtMs - b.receivedAtMs);
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
