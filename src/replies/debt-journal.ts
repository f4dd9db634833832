import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { z } from 'zod';
import type { Logger } from '../log.ts';
import type { Debt } from './debt.ts';

export const JOURNAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS debts (interaction TEXT PRIMARY KEY, debt TEXT NOT NULL) WITHOUT ROWID;
`;

const StoredDebt = z
  .object({
    interactionId: z.string(),
    applicationId: z.string(),
    token: z.string(),
    command: z.string(),
    question: z.object({ cardId: z.string(), showPrices: z.boolean() }),
    private: z.boolean().default(false),
    memberId: z.string(),
    guildId: z.string().optional(),
    locale: z.string(),
    receivedAtMs: z.number(),
    deadlineMs: z.number(),
  })
  .transform(({ guildId, ...debt }): Debt => ({ ...debt, guildId }));

/**
 * Where debts outlive the process. No method throws: a debt that cannot be written is paid from memory, and a row that
 * cannot be read is dropped, both with a line in the log.
 */
export class DebtJournal {
  readonly #database: DatabaseSync;
  readonly #write: StatementSync;
  readonly #remove: StatementSync;
  readonly #log: Logger;

  constructor(database: DatabaseSync, log: Logger) {
    this.#database = database;
    this.#write = database.prepare('INSERT OR REPLACE INTO debts VALUES (?, ?)');
    this.#remove = database.prepare('DELETE FROM debts WHERE interaction = ?');
    this.#log = log;
  }

  add(debt: Debt): void {
    this.#try('debt cannot be written: it is paid from memory', () =>
      this.#write.run(debt.interactionId, JSON.stringify(debt)),
    );
  }

  remove(interactionId: string): void {
    this.#try('debt cannot be taken out', () => this.#remove.run(interactionId));
  }

  /** What is still owed, oldest first. */
  open(): Debt[] {
    const rows = this.#try('debts cannot be read', () => this.#database.prepare('SELECT * FROM debts').all()) ?? [];
    const debts = rows.flatMap(({ interaction, debt }) => {
      const read = this.#try('debt does not fit: it is dropped', () => StoredDebt.parse(JSON.parse(String(debt))));
      if (read === undefined) this.remove(String(interaction));
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
