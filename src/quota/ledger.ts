import type { DatabaseSync, StatementSync } from 'node:sqlite';

export const LEDGER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, requests INTEGER NOT NULL, saved INTEGER NOT NULL) WITHOUT ROWID;
`;

/** What a UTC day cost, and what it did not. */
export interface DayCount {
  requests: number;
  /** Answers that needed no request of their own: from the cache, or joined to somebody else's question. */
  saved: number;
}

/** Counts requests and what was saved, by UTC day. */
export interface Ledger {
  spent(): void;
  saved(): void;
  today(): DayCount;
}

const KEPT_DAYS = 35;

/** The ledger of a single process. */
export class LocalLedger implements Ledger {
  readonly #database: DatabaseSync;
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#count = database.prepare(
      `INSERT INTO days VALUES (?, ?, ?)
       ON CONFLICT (day) DO UPDATE SET requests = requests + excluded.requests, saved = saved + excluded.saved`,
    );
    database.prepare('DELETE FROM days WHERE day < ?').run(utcDay(Date.now() - KEPT_DAYS * 24 * 3600 * 1000));
  }

  spent(): void {
    this.#add(1, 0);
  }

  saved(): void {
    this.#add(0, 1);
  }

  today(): DayCount {
    const row = this.#database.prepare('SELECT requests, saved FROM days WHERE day = ?').get(utcDay(Date.now()));
    return { requests: Number(row?.requests ?? 0), saved: Number(row?.saved ?? 0) };
  }

  /** Never fails a question for its count. That the file cannot be written is in the log: the pacer writes it too. */
  #add(requests: number, saved: number): void {
    try {
      this.#count.run(utcDay(Date.now()), requests, saved);
    } catch {
      return;
    }
  }
}

function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
