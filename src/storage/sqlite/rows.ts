import type { DatabaseSync } from 'node:sqlite';
import { Incident, type Logger } from '../../log.ts';
import type { Events } from '../../model/events.ts';
import type { Change, Rows, WriteOptions } from '../../model/store/rows.ts';
import { every } from '../../time.ts';
import { type Statements, statementsOf } from './file.ts';

/** With row ids: rows are long, and without ids the inner pages of the tree would hold whole rows. */
export const ROWS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS parts (part TEXT PRIMARY KEY, ends_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS parts_by_end ON parts (ends_at);
  CREATE TABLE IF NOT EXISTS rows (
    part TEXT NOT NULL REFERENCES parts ON DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (part, key)
  );
`;

const SWEEP_EVERY_MS = 60_000;
/** Deleted at once: the database is synchronous, and all parts of a day would delay answers. */
const SWEPT_PARTS = 500;

const SELECT = 'SELECT key, value FROM rows JOIN parts USING (part) WHERE part = ? AND ends_at > ?';

/** Rows in `state.sqlite`. No lookup fails because of one, and a full disk is logged once instead of by each. */
export class SqliteRows implements Rows {
  readonly isShared = false;
  readonly isReachable = true;
  readonly aheadMs = 0;
  readonly #database: DatabaseSync;
  readonly #statement: Statements;
  readonly #log: Logger;
  readonly #outage: Incident;
  #isLost = false;
  /** Ends the sweeps. */
  readonly close = every(SWEEP_EVERY_MS, () => this.#sweep());

  constructor(database: DatabaseSync, log: Logger, events?: Events) {
    this.#database = database;
    this.#statement = statementsOf(database);
    this.#log = log;
    this.#outage = new Incident(log, {
      level: 'error',
      begins:
        'state cannot be written: deferred replies are kept in memory, and lost at a restart, and nothing is counted; is the disk of DATA_DIR full?',
      ends: 'state is written again',
      report: (works) => events?.publish('store', { store: 'state', works }),
    });
    this.#sweep();
  }

  async read(part: string, keys?: readonly string[]): Promise<ReadonlyMap<string, string> | undefined> {
    try {
      const found = keys
        ? keys.flatMap((key) => this.#statement(`${SELECT} AND key = ?`).all(part, Date.now(), key))
        : this.#statement(SELECT).all(part, Date.now());
      return new Map(found.map(({ key, value }) => [String(key), String(value)]));
    } catch (err) {
      this.#outage.failed({ err });
      return undefined;
    }
  }

  async write(changes: readonly Change[], options: WriteOptions): Promise<boolean | undefined> {
    if (this.#isLost) return undefined;
    let isAsExpected = false;
    const isTried = this.#try(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        isAsExpected = this.#isAsExpected(options);
        const endsAtMs = Date.now() + options.keepMs;
        const changed = isAsExpected ? changes.reduce((sum, change) => sum + this.#apply(change, endsAtMs), 0) : 0;
        this.#database.exec('COMMIT');
        return { changes: changed };
      } finally {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      }
    });
    return isTried ? isAsExpected : undefined;
  }

  drop(part: string, key: string): void {
    this.#log.warn({ part, key }, 'a row of state.sqlite cannot be read: it is dropped');
    this.#try(() => ({ changes: this.#delete(part, key) }));
  }

  /**
   * @param run a statement. One that changes nothing does not show that the disk has room: a full one takes it, too
   *
   * @returns whether it was written
   */
  #try(run: () => { changes: number | bigint }): boolean {
    try {
      if (run().changes > 0) this.#outage.succeeded();
      return true;
    } catch (err) {
      this.#outage.failed({ err });
      return false;
    }
  }

  /** From now on nothing counts as written: the file is no longer in its place. */
  lost(): void {
    this.#isLost = true;
  }

  #isAsExpected({ ifStill = [], ifFewer }: WriteOptions): boolean {
    const select = this.#statement(`${SELECT} AND key = ?`);
    const areStill = ifStill.every(({ part, key, value }) => select.get(part, Date.now(), key)?.value === value);
    const count = () => this.#statement(SELECT).all(ifFewer?.part ?? '', Date.now()).length;
    return areStill && (!ifFewer || count() < ifFewer.than);
  }

  /** @returns how many rows it changes */
  #apply(change: Change, endsAtMs: number): number {
    const { part, key } = change;
    if ('value' in change && change.value === undefined) return this.#delete(part, key);
    this.#statement('DELETE FROM parts WHERE part = ? AND ends_at <= ?').run(part, Date.now());
    const keep = 'INSERT INTO parts VALUES (?, ?) ON CONFLICT DO UPDATE SET ends_at = max(ends_at, excluded.ends_at)';
    this.#statement(keep).run(part, endsAtMs);
    const isSum = 'add' in change;
    const sum = isSum ? 'CAST(rows.value AS INTEGER) + excluded.value' : 'excluded.value';
    const set = `INSERT INTO rows VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = ${sum}`;
    this.#statement(set).run(part, key, String(isSum ? change.add : change.value));
    if (isSum) this.#statement("DELETE FROM rows WHERE part = ? AND key = ? AND value = '0'").run(part, key);
    return 1;
  }

  #delete(part: string, key: string): number {
    const { changes } = this.#statement('DELETE FROM rows WHERE part = ? AND key = ?').run(part, key);
    // The name of a part may be that of a member.
    const empty = 'DELETE FROM parts WHERE part = ?1 AND NOT EXISTS (SELECT 1 FROM rows WHERE part = ?1)';
    this.#statement(empty).run(part);
    return Number(changes);
  }

  /** What is deleted would otherwise stay in the write-ahead log until that is written over. */
  #sweep(): void {
    const ended = `SELECT part FROM parts WHERE ends_at <= ? LIMIT ${SWEPT_PARTS}`;
    this.#try(() => {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return this.#statement(`DELETE FROM parts WHERE part IN (${ended})`).run(Date.now());
    });
  }
}
