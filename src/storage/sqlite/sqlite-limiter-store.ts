import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import { type LimiterState, StoredLimiterState } from '../../quota/limiter-state.ts';
import type { LimiterStore } from '../../quota/local-limiter.ts';
import type { StateWrites } from './sqlite-state.ts';

export const LIMITER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS limiter (account TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
`;
/** The earlier table exists only when an earlier version ran last, so its rows are the newer ones. */
export const EARLIER_LIMITER_TABLE = {
  name: 'pacing',
  move: 'INSERT OR REPLACE INTO limiter SELECT account, state FROM pacing',
};

/** The limiter's state of one account (see `accountOf`), over restarts. */
export class SqliteLimiterStore implements LimiterStore {
  readonly #account: string;
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  readonly #log: Logger;
  readonly #writes: StateWrites;

  constructor(database: DatabaseSync, account: string, log: Logger, writes: StateWrites) {
    this.#account = account;
    this.#read = database.prepare('SELECT state FROM limiter WHERE account = ?');
    this.#write = database.prepare('INSERT OR REPLACE INTO limiter VALUES (?, ?)');
    this.#log = log;
    this.#writes = writes;
  }

  load(): LimiterState | undefined {
    try {
      const row = this.#read.get(this.#account);
      return row && StoredLimiterState.parse(JSON.parse(String(row.state)));
    } catch (err) {
      this.#log.warn({ err }, 'invalid limiter state: starting without it');
      return undefined;
    }
  }

  save(state: LimiterState): void {
    this.#writes.try(() => this.#write.run(this.#account, JSON.stringify(state)));
  }
}
