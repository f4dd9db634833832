import type { Statements } from '../file.ts';

export const IMPORTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS sources (
    row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    confirmed INTEGER NOT NULL, denied INTEGER NOT NULL, withdrawn INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS also_in (card INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (card, source)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS import_forms (source INTEGER NOT NULL, form TEXT NOT NULL, PRIMARY KEY (source, form)) WITHOUT ROWID;
`;

/** After so many denials and no confirmation, the ids of an import are not the service's. */
const DENIALS_THAT_WITHDRAW = 5;

/** The files that cards came from, by name, and what the service said of their cards. */
export class CatalogImports {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /**
   * A file is imported. If an earlier import of this name was withdrawn, that gets another name: its cards stay hidden,
   * except those that the file names now.
   */
  begin(name: string): void {
    this.#sql("UPDATE sources SET name = name || ' (import ' || row || ')' WHERE name = ? AND withdrawn = 1").run(name);
    this.rowOf(name);
  }

  /** What cards that came from it refer to. */
  rowOf(name: string): number {
    this.#sql('INSERT OR IGNORE INTO sources (name, confirmed, denied, withdrawn) VALUES (?, 0, 0, 0)').run(name);
    return Number(this.#sql('SELECT row FROM sources WHERE name = ?').get(name)?.row);
  }

  /**
   * A card that came from this import now comes from another, but both name it; one that is withdrawn does not count.
   */
  alsoIn(card: number, row: number): void {
    this.#sql('INSERT OR IGNORE INTO also_in SELECT ?, row FROM sources WHERE row = ? AND withdrawn = 0').run(
      card,
      row,
    );
  }

  /**
   * The service answered with a card of this import and perhaps others: if theirs were no longer offered, they are from
   * now on.
   */
  confirmed(row: number, card: number): void {
    this.#sql(
      'UPDATE sources SET confirmed = confirmed + 1, withdrawn = 0 WHERE row = ? OR row IN (SELECT source FROM also_in WHERE card = ?)',
    ).run(row, card);
  }

  /** The service denied one of its cards, which may withdraw it: its cards are no longer offered. */
  denied(row: number): void {
    this.#sql(
      'UPDATE sources SET denied = denied + 1, withdrawn = denied + 1 >= ? AND confirmed = 0 WHERE row = ?',
    ).run(DENIALS_THAT_WITHDRAW, row);
  }

  /** Those whose cards are not offered: their names by row. */
  withdrawn(): Map<number, string> {
    const rows = this.#sql('SELECT row, name FROM sources WHERE withdrawn = 1').all();
    return new Map(rows.map(({ row, name }) => [Number(row), String(name)]));
  }
}
