import type { DatabaseSync, StatementSync } from 'node:sqlite';

export const IMPORTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS sources (
    row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    confirmed INTEGER NOT NULL, denied INTEGER NOT NULL, withdrawn INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS also_in (card INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (card, source)) WITHOUT ROWID;
`;

/** After so many denials and no confirmation, the ids of an import are not the service's. */
const DENIALS_THAT_WITHDRAW = 5;

/** The files that cards came from, by name, and what the service said of their cards. */
export class CatalogImports {
  readonly #retire: StatementSync;
  readonly #add: StatementSync;
  readonly #find: StatementSync;
  readonly #alsoIn: StatementSync;
  readonly #confirmed: StatementSync;
  readonly #denied: StatementSync;
  readonly #withdrawn: StatementSync;

  constructor(database: DatabaseSync) {
    this.#retire = database.prepare(
      "UPDATE sources SET name = name || ' (import ' || row || ')' WHERE name = ? AND withdrawn = 1",
    );
    this.#add = database.prepare(
      'INSERT OR IGNORE INTO sources (name, confirmed, denied, withdrawn) VALUES (?, 0, 0, 0)',
    );
    this.#find = database.prepare('SELECT row FROM sources WHERE name = ?');
    this.#alsoIn = database.prepare(
      'INSERT OR IGNORE INTO also_in SELECT ?, row FROM sources WHERE row = ? AND withdrawn = 0',
    );
    this.#confirmed = database.prepare(
      'UPDATE sources SET confirmed = confirmed + 1, withdrawn = 0 WHERE row = ? OR row IN (SELECT source FROM also_in WHERE card = ?)',
    );
    this.#denied = database.prepare(
      `UPDATE sources SET denied = denied + 1, withdrawn = denied + 1 >= ${DENIALS_THAT_WITHDRAW} AND confirmed = 0 WHERE row = ?`,
    );
    this.#withdrawn = database.prepare('SELECT row, name FROM sources WHERE withdrawn = 1');
  }

  /**
   * A file is imported. If an earlier import of this name was withdrawn, that gets another name: its cards stay hidden,
   * except those that the file names now.
   */
  begin(name: string): void {
    this.#retire.run(name);
    this.#add.run(name);
  }

  /** What cards that came from it refer to. */
  rowOf(name: string): number {
    this.#add.run(name);
    return Number(this.#find.get(name)?.row);
  }

  /** A card that came from this import now comes from another, but both name it; one that is withdrawn does not count. */
  alsoIn(card: number, row: number): void {
    this.#alsoIn.run(card, row);
  }

  /** The service answered with a card of this import and perhaps others: if theirs were no longer offered, they are from now on. */
  confirmed(row: number, card: number): void {
    this.#confirmed.run(row, card);
  }

  /** The service denied one of its cards, which may withdraw it: its cards are no longer offered. */
  denied(row: number): void {
    this.#denied.run(row);
  }

  /** Those whose cards are not offered: their names by row. */
  withdrawn(): Map<number, string> {
    return new Map(this.#withdrawn.all().map(({ row, name }) => [Number(row), String(name)]));
  }
}
