import type { DatabaseSync, StatementSync } from 'node:sqlite';

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
  readonly #get: StatementSync;
  readonly #update: StatementSync;
  readonly #insert: StatementSync;
  readonly #deleteOldest: StatementSync;
  readonly #maxRows: number;
  #rows: number;
  #writes = 0;

  constructor(database: DatabaseSync, maxRows = MAX_ROWS) {
    this.#database = database;
    this.#get = database.prepare('SELECT value FROM cards WHERE key = ?');
    this.#update = database.prepare('UPDATE cards SET value = ?, expires_at = ? WHERE key = ?');
    this.#insert = database.prepare('INSERT INTO cards (value, expires_at, key) VALUES (?, ?, ?)');
    this.#deleteOldest = database.prepare(
      'DELETE FROM cards WHERE key IN (SELECT key FROM cards WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)',
    );
    this.#maxRows = maxRows;
    // Counted once: counting half a million takes some milliseconds.
    this.#rows = Number(database.prepare('SELECT count(*) AS rows FROM cards').get()?.rows ?? 0);
  }

  async get(key: string): Promise<string | undefined> {
    return this.#get.get(key)?.value as string | undefined;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    const row = [value, Date.now() + ttlMs, key] as const;
    if (this.#update.run(...row).changes === 0) this.#rows += Number(this.#insert.run(...row).changes);
    if (++this.#writes % WRITES_BETWEEN_SWEEPS === 0 || this.#rows > this.#maxRows) this.#sweep();
  }

  async delete(key: string): Promise<boolean> {
    const { changes } = this.#database.prepare('DELETE FROM cards WHERE key = ?').run(key);
    this.#rows -= Number(changes);
    return changes > 0;
  }

  async clear(): Promise<void> {
    this.#database.exec('DELETE FROM cards');
    this.#rows = 0;
  }

  async disconnect(): Promise<void> {
    this.#database.close();
  }

  #sweep(): void {
    this.#drop(Date.now());
    if (this.#rows > this.#maxRows) this.#drop(Number.MAX_SAFE_INTEGER);
  }

  /** Some of those that expire until then, first those that do first. */
  #drop(untilMs: number): void {
    this.#rows -= Number(this.#deleteOldest.run(untilMs, SWEEP_ROWS).changes);
  }
}
