import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CatalogCard } from '../../../catalog/catalog-card.ts';
import type { Logger } from '../../../log.ts';
import {
  type FileOptions,
  isReplaced,
  type OpenFile,
  openFile,
  putDamagedAside,
  type Statements,
  statementsOf,
} from '../file.ts';
import { ASKED_SCHEMA, AskedCards } from './asked.ts';
import { SqliteCardIndex } from './card-index.ts';
import { CatalogImports, IMPORTS_SCHEMA } from './imports.ts';
import { CatalogRows, type MayReplace } from './rows.ts';
import { CATALOG_SCHEMA } from './schema.ts';

const SCHEMA = CATALOG_SCHEMA + IMPORTS_SCHEMA + ASKED_SCHEMA;
/** Another process that writes holds the lock for a fraction of this. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHE_KIB = 16 * 1024;
/** These pages have 32 MB. */
const PAGES_OF_MANY_CARDS = 8_000;
/** FTS5 takes at most this many; its default is 4. */
const SEGMENTS_OF_A_LEVEL = 16;
const LOSS = 'cards are learned again from what the service answered; files have to be imported again';

/**
 * The cards that are searched for, in `catalog.sqlite` of a `DATA_DIR`; several processes may have it open.
 * Synchronous, for a worker thread or a command-line program. Methods throw the errors of SQLite.
 */
export class CatalogDatabase {
  readonly file: string;
  readonly index: SqliteCardIndex;
  readonly asked: AskedCards;
  readonly imports: CatalogImports;
  readonly #options: FileOptions;
  readonly #opened: OpenFile;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #rows: CatalogRows;

  /**
   * Creates the file if it is absent; one that is corrupt is moved aside. Writing waits `busyTimeoutMs` for another
   * process.
   *
   * @throws DatabaseUnusable
   */
  static open(dataDir: string, log: Pick<Logger, 'info' | 'error'>, busyTimeoutMs = BUSY_TIMEOUT_MS): CatalogDatabase {
    const options = { log, schema: SCHEMA, lossMeans: LOSS };
    const opened = new CatalogDatabase(openFile(join(dataDir, 'catalog.sqlite'), options), options);
    opened.waitAtMost(busyTimeoutMs);
    return opened;
  }

  private constructor(opened: OpenFile, options: FileOptions) {
    const { file, database } = opened;
    this.file = file;
    this.#options = options;
    this.#opened = opened;
    this.#database = database;
    // It holds what members asked for, which must be gone when it is deleted.
    database.exec(`PRAGMA secure_delete = ON; PRAGMA cache_size = -${CACHE_KIB}`);
    this.#sql = statementsOf(database);
    this.imports = new CatalogImports(this.#sql);
    this.#rows = new CatalogRows(this.#sql, this.imports);
    this.asked = new AskedCards(this.#sql);
    this.index = new SqliteCardIndex(this.#sql);
  }

  /** How long a statement waits for another process that writes. */
  waitAtMost(busyTimeoutMs: number): void {
    this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }

  /**
   * For a program that writes many cards and nothing else: deleted content is not overwritten, and the file is brought
   * up to date less often. Applies to this connection alone.
   */
  writeManyCards(): void {
    this.#database.exec(`PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = ${PAGES_OF_MANY_CARDS}`);
  }

  /**
   * For an import of many cards: from now on, for all connections, the index of words is merged less often. That takes
   * a fifth less CPU in all, and costs a search microseconds.
   */
  beginImport(source: string): void {
    this.imports.begin(source);
    this.#database.exec(`INSERT INTO card_words (card_words, rank) VALUES ('automerge', ${SEGMENTS_OF_A_LEVEL})`);
  }

  /**
   * Takes rows in one transaction, which keeps other writers waiting, some 25 ms for a thousand. The same rows twice
   * change nothing. What the service has confirmed is not changed by an import, and what it denied does not come back.
   *
   * @param source the import's name; `undefined`: the service answered with these cards
   * @param mayReplace asked of each card that is stored already, in the order of the cards
   * @returns the cards that were new or changed, and those that the service has confirmed and this import names first
   */
  upsert(cards: readonly CatalogCard[], source: string | undefined, mayReplace?: MayReplace): CatalogCard[] {
    return this.inTransaction(() => {
      const by = source === undefined ? undefined : this.imports.rowOf(source);
      return cards.filter((card) => this.#rows.put(card, by, mayReplace));
    });
  }

  /** The service denied this id. */
  deny(id: string, isKept: boolean): void {
    const row = this.#rows.find(id);
    if (row) this.inTransaction(() => this.#rows.deny(row, isKept));
  }

  /** How far something has been read into the catalog; `undefined` at first. */
  position(of: string): string | undefined {
    return this.#sql('SELECT position FROM positions WHERE name = ?').get(of)?.position as string | undefined;
  }

  setPosition(of: string, position: string): void {
    this.#sql('INSERT OR REPLACE INTO positions VALUES (?, ?)').run(of, position);
  }

  close(): void {
    this.#database.close();
  }

  /** Another process found this file corrupt: a new one is in its place. */
  isReplaced(): boolean {
    return isReplaced(this.#opened);
  }

  /** Closes a file that turned out to be corrupt, and moves it aside. */
  discard(corruption: unknown): void {
    putDamagedAside(this.#opened, corruption, this.#options);
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
