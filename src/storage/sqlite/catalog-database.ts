import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CatalogCard, CatalogRow, CatalogStats } from '../../catalog/catalog-card.ts';
import type { Logger } from '../../log.ts';
import { ASKED_SCHEMA, AskedCards } from './catalog-asked.ts';
import { SqliteCardIndex } from './catalog-index.ts';
import { CatalogRows, rowOf, type StoredRow } from './catalog-rows.ts';
import { CATALOG_SCHEMA } from './catalog-schema.ts';
import { type DatabaseOptions, moveAside, openDatabase } from './database.ts';

/** Another process that writes holds the lock for a fraction of this. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHE_KIB = 16 * 1024;
const LOSS = 'cards are learned again from what the service answered; files have to be imported again';

/**
 * The cards that are searched for, in `catalog.sqlite` of a `DATA_DIR`; several processes may have it open. Synchronous,
 * for a worker thread or a command-line program. Methods throw the errors of SQLite.
 */
export class CatalogDatabase {
  readonly file: string;
  readonly index: SqliteCardIndex;
  readonly asked: AskedCards;
  readonly #options: DatabaseOptions;
  readonly #database: DatabaseSync;
  readonly #rows: CatalogRows;

  /** Creates the file if it is absent; one that is corrupt is moved aside. Writing waits `busyTimeoutMs` for another process. @throws DatabaseUnusable, DatabaseInUse */
  static open(dataDir: string, log: Pick<Logger, 'info' | 'error'>, busyTimeoutMs = BUSY_TIMEOUT_MS): CatalogDatabase {
    const file = join(dataDir, 'catalog.sqlite');
    const options = { log, schema: CATALOG_SCHEMA + ASKED_SCHEMA, lossMeans: LOSS };
    return new CatalogDatabase(file, options, openDatabase(file, options), busyTimeoutMs);
  }

  private constructor(file: string, options: DatabaseOptions, database: DatabaseSync, busyTimeoutMs: number) {
    this.file = file;
    this.#options = options;
    this.#database = database;
    this.waitAtMost(busyTimeoutMs);
    // It holds what members asked for, which must be gone when it is deleted.
    database.exec(`
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = -${CACHE_KIB};
    `);
    this.#rows = new CatalogRows(database);
    this.asked = new AskedCards(database);
    this.index = new SqliteCardIndex(database);
  }

  /** For another process that writes. */
  waitAtMost(busyTimeoutMs: number): void {
    this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }

  /** For a program that writes cards alone: it does not overwrite what it deletes, and is a fifth faster. */
  writeCardsOnly(): void {
    this.#database.exec('PRAGMA secure_delete = OFF'); // of this connection; the bot's keeps it on
  }

  /** Forgets that an earlier import of this name was withdrawn, so that its rows are taken again. */
  beginImport(source: string): void {
    this.#database
      .prepare(
        'INSERT INTO sources (name, confirmed, denied, withdrawn) VALUES (?, 0, 0, 0) ON CONFLICT (name) DO UPDATE SET denied = 0, withdrawn = 0 WHERE withdrawn = 1',
      )
      .run(source);
  }

  /**
   * Takes rows in one transaction, which keeps other writers waiting: a thousand at most are well. The same rows twice
   * change nothing. What the service has confirmed is not changed by an import, and what it denied does not come back.
   *
   * @param source the import's name; `undefined`: the service answered with these cards
   * @returns how many rows were new or changed; none when the import was withdrawn
   */
  upsert(cards: readonly CatalogCard[], source: string | undefined): number {
    return this.inTransaction(() => {
      const by = source === undefined ? undefined : this.#sourceRow(source);
      if (by?.isWithdrawn) return 0;
      let changes = 0;
      for (const card of cards) if (this.#rows.put(card, by?.row)) changes++;
      return changes;
    });
  }

  /** All that are offered, as they were when it began; the file must not be written through this object meanwhile. */
  *rows(): Generator<CatalogRow> {
    const all = this.#database.prepare(
      'SELECT cards.*, sources.name AS source_name FROM cards LEFT JOIN sources ON sources.row = cards.source WHERE cards.denied < 2 ORDER BY cards.row',
    );
    for (const row of all.iterate()) {
      yield rowOf(row as unknown as StoredRow, row.source_name === null ? undefined : String(row.source_name));
    }
  }

  stats(): CatalogStats {
    const count = (what: string) =>
      Number(this.#database.prepare(`SELECT count(*) AS count FROM ${what}`).get()?.count);
    const imports = this.#database
      .prepare(
        'SELECT sources.name, withdrawn, count(cards.row) AS unconfirmed FROM sources LEFT JOIN cards ON source = sources.row AND cards.confirmed = 0 AND cards.denied < 2 GROUP BY sources.row',
      )
      .all();
    return {
      cards: count('cards WHERE denied < 2'),
      confirmed: count('cards WHERE denied < 2 AND confirmed = 1'),
      denied: count('cards WHERE denied = 1'),
      names: count('(SELECT DISTINCT name_row FROM cards WHERE denied < 2)'),
      imports: imports.map(({ name, withdrawn, unconfirmed }) => ({
        source: String(name),
        unconfirmed: Number(unconfirmed),
        isWithdrawn: withdrawn === 1,
      })),
      bytes: ['', '-wal'].reduce(
        (sum, end) => sum + (existsSync(this.file + end) ? statSync(this.file + end).size : 0),
        0,
      ),
    };
  }

  /** The service denied this id. @returns the name of the import that is withdrawn by this, if any */
  deny(id: string, isKept: boolean): string | undefined {
    const row = this.#rows.find(id);
    return row && this.inTransaction(() => this.#rows.deny(row, isKept));
  }

  isKnown(id: string): boolean {
    return this.#rows.find(id) !== undefined;
  }

  /** Deletes cards of withdrawn imports among the next rows. @returns the last row; `undefined` after all @param after 0 at first */
  removeWithdrawn(after: number, limit: number): number | undefined {
    const next = this.#database.prepare(
      'SELECT cards.*, withdrawn FROM cards LEFT JOIN sources ON sources.row = source WHERE cards.row > ? ORDER BY cards.row LIMIT ?',
    );
    const rows = next.all(after, limit);
    this.inTransaction(() => {
      for (const row of rows) {
        if (row.withdrawn === 1 && row.confirmed === 0) this.#rows.remove(row as unknown as StoredRow);
      }
    });
    return rows.length < limit ? undefined : Number(rows.at(-1)?.row);
  }

  hasWithdrawn(): boolean {
    return this.#database.prepare('SELECT 1 FROM sources WHERE withdrawn = 1').get() !== undefined;
  }

  /** How far something else was read into the catalog; `undefined` at first. */
  position(name: string): string | undefined {
    const found = this.#database.prepare('SELECT position FROM positions WHERE name = ?').get(name);
    return found && String(found.position);
  }

  setPosition(name: string, position: string): void {
    const set = 'INSERT INTO positions VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position';
    this.#database.prepare(set).run(name, position);
  }

  close(): void {
    this.#database.close();
  }

  /** Closes a file that turned out to be corrupt, and moves it aside. */
  discard(corruption: unknown): void {
    this.#database.close();
    moveAside(this.file, this.#options, corruption);
  }

  #sourceRow(name: string): { row: number; isWithdrawn: boolean } {
    this.#database
      .prepare('INSERT OR IGNORE INTO sources (name, confirmed, denied, withdrawn) VALUES (?, 0, 0, 0)')
      .run(name);
    const found = this.#database.prepare('SELECT row, withdrawn FROM sources WHERE name = ?').get(name);
    return { row: Number(found?.row), isWithdrawn: found?.withdrawn === 1 };
  }

  /** Its parts may be nested: only the outermost commits. */
  inTransaction<T>(work: () => T): T {
    if (this.#database.isTransaction) return work();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rows.takenBack();
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
