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
  readonly #set: StatementSync;
  readonly #deleteOldest: StatementSync;
  readonly #maxRows: number;
  #rows: number;
  #writes = 0;

  constructor(database: DatabaseSync, maxRows = MAX_ROWS) {
    this.#database = database;
    this.#get = database.prepare('SELECT value FROM cards WHERE key = ?');
    this.#set = database.prepare(
      'INSERT INTO cards VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at',
    );
    this.#deleteOldest = database.prepare(
      'DELETE FROM cards WHERE key IN (SELECT key FROM cards WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)',
    );
    this.#maxRows = maxRows;
    this.#rows = this.#count();
  }

  async get(key: string): Promise<string | undefined> {
    return this.#get.get(key)?.value as string | undefined;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#set.run(key, value, Date.now() + ttlMs);
    this.#rows++;
    if (++this.#writes % WRITES_BETWEEN_SWEEPS === 0 || this.#rows > this.#maxRows) this.#sweep();
  }

  async delete(key: string): Promise<boolean> {
    return this.#database.prepare('DELETE FROM cards WHERE key = ?').run(key).changes > 0;
  }

  async clear(): Promise<void> {
    this.#database.exec('DELETE FROM cards');
  }

  async disconnect(): Promise<void> {
    this.#database.close();
  }

  #sweep(): void {
    this.#deleteOldest.run(Date.now(), SWEEP_ROWS);
    this.#rows = this.#count();
    if (this.#rows > this.#maxRows) {
      this.#rows -= Number(this.#deleteOldest.run(Number.MAX_SAFE_INTEGER, SWEEP_ROWS).changes);
    }
  }

  #count(): number {
    return Number(this.#database.prepare('SELECT count(*) AS rows FROM cards').get()?.rows ?? 0);
  }
}
