import type { DatabaseSync, StatementSync } from 'node:sqlite';

export const IMPORTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS sources (
    row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    confirmed INTEGER NOT NULL, denied INTEGER NOT NULL, withdrawn INTEGER NOT NULL
  );
`;

/** After so many denials and no confirmation, the ids of an import are not the service's. */
const DENIALS_THAT_WITHDRAW = 5;

/** The files that cards came from, by name, and what the service said of their cards. */
export class CatalogImports {
  readonly #begin: StatementSync;
  readonly #add: StatementSync;
  readonly #find: StatementSync;
  readonly #confirmed: StatementSync;
  readonly #denied: StatementSync;
  readonly #withdrawn: StatementSync;

  constructor(database: DatabaseSync) {
    this.#begin = database.prepare(
      'INSERT INTO sources (name, confirmed, denied, withdrawn) VALUES (?, 0, 0, 0) ON CONFLICT (name) DO UPDATE SET denied = 0, withdrawn = 0 WHERE withdrawn = 1',
    );
    this.#add = database.prepare(
      'INSERT OR IGNORE INTO sources (name, confirmed, denied, withdrawn) VALUES (?, 0, 0, 0)',
    );
    this.#find = database.prepare('SELECT row, withdrawn FROM sources WHERE name = ?');
    this.#confirmed = database.prepare('UPDATE sources SET confirmed = confirmed + 1 WHERE row = ?');
    this.#denied = database.prepare(
      `UPDATE sources SET denied = denied + 1, withdrawn = denied + 1 >= ${DENIALS_THAT_WITHDRAW} AND confirmed = 0 WHERE row = ? RETURNING name, withdrawn`,
    );
    this.#withdrawn = database.prepare('SELECT 1 FROM sources WHERE withdrawn = 1');
  }

  /** Forgets that an earlier import of this name was withdrawn, so that its rows are taken again. */
  begin(name: string): void {
    this.#begin.run(name);
  }

  /** Cards that came from it refer to `row`. */
  named(name: string): { row: number; isWithdrawn: boolean } {
    this.#add.run(name);
    const found = this.#find.get(name);
    return { row: Number(found?.row), isWithdrawn: found?.withdrawn === 1 };
  }

  /** The service answered with one of its cards. */
  confirmed(row: number): void {
    this.#confirmed.run(row);
  }

  /** The service denied one of its cards. @returns its name, when it is withdrawn by this */
  denied(row: number): string | undefined {
    const counted = this.#denied.get(row);
    return counted?.withdrawn === 1 ? String(counted.name) : undefined;
  }

  isAnyWithdrawn(): boolean {
    return this.#withdrawn.get() !== undefined;
  }
}
