import type { DatabaseSync } from 'node:sqlite';
import { type Statements, statementsOf } from './file.ts';

// With row ids: rows are long, and without ids the inner pages of the tree would hold whole rows.
export const CARDS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS cards (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS cards_by_expiry ON cards (expires_at);
`;

/** Rows deleted at once: the database is synchronous, and a longer sweep would delay answers. */
const SWEEP_ROWS = 500;
const WRITES_BETWEEN_SWEEPS = 250;
/** A row has about a kilobyte. */
const MAX_ROWS = 500_000;

/** A Keyv storage adapter over one table. Writes sweep expired rows, and the oldest beyond a bound. */
export class SqliteStore {
  readonly #database: DatabaseSync;
  readonly #statement: Statements;
  readonly #maxRows: number;
  #rows: number;
  #writes = 0;

  constructor(database: DatabaseSync, maxRows = MAX_ROWS) {
    this.#database = database;
    this.#statement = statementsOf(database);
    this.#maxRows = maxRows;
    // Counted once: counting half a million takes some milliseconds.
    this.#rows = Number(this.#statement('SELECT count(*) AS rows FROM cards').get()?.rows ?? 0);
  }

  async get(key: string): Promise<string | undefined> {
    return this.#statement('SELECT value FROM cards WHERE key = ?').get(key)?.value as string | undefined;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    const row = [value, Date.now() + ttlMs, key] as const;
    const isThere = this.#changed('UPDATE cards SET value = ?, expires_at = ? WHERE key = ?', ...row) > 0;
    if (!isThere) this.#rows += this.#changed('INSERT INTO cards (value, expires_at, key) VALUES (?, ?, ?)', ...row);
    if (++this.#writes % WRITES_BETWEEN_SWEEPS === 0 || this.#rows > this.#maxRows) this.#sweep();
  }

  async delete(key: string): Promise<boolean> {
    const deleted = this.#changed('DELETE FROM cards WHERE key = ?', key);
    this.#rows -= deleted;
    return deleted > 0;
  }

  async clear(): Promise<void> {
    this.#database.exec('DELETE FROM cards');
    this.#rows = 0;
  }

  #sweep(): void {
    this.#drop(Date.now());
    if (this.#rows > this.#maxRows) this.#drop(Number.MAX_SAFE_INTEGER);
  }

  /** Some of those that expire until then, first those that do first. */
  #drop(untilMs: number): void {
    const some = 'SELECT key FROM cards WHERE expires_at <= ? ORDER BY expires_at LIMIT ?';
    this.#rows -= this.#changed(`DELETE FROM cards WHERE key IN (${some})`, untilMs, SWEEP_ROWS);
  }

  /** How many rows a statement has changed. */
  #changed(sql: string, ...values: (string | number)[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }
}
