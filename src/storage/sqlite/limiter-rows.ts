import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import { type LimiterState, StoredLimiterState } from '../../quota/limiter-state.ts';
import type { LimiterStore } from '../../quota/local-limiter.ts';
import { accountOf } from '../../quota/quota.ts';
import type { StateWrites } from './state-writes.ts';

export const LIMITER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS pacing (account TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
`;

/** Where the pacer's state outlives the process: one row per account, an account being an address with a key. */
export class LimiterRows implements LimiterStore {
  readonly #account: string;
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  readonly #log: Logger;
  readonly #writes: StateWrites;

  constructor(database: DatabaseSync, baseUrl: string, apiKey: string | undefined, log: Logger, writes: StateWrites) {
    this.#account = accountOf(baseUrl, apiKey);
    this.#read = database.prepare('SELECT state FROM pacing WHERE account = ?');
    this.#write = database.prepare(
      'INSERT INTO pacing VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET state = excluded.state',
    );
    this.#log = log;
    this.#writes = writes;
  }

  /** `undefined` on the first start with this account. */
  load(): LimiterState | undefined {
    try {
      const row = this.#read.get(this.#account);
      if (row === undefined) return undefined;
      return StoredLimiterState.parse(JSON.parse(String(row.state)));
    } catch (err) {
      this.#log.warn({ err }, 'kept pacing state does not fit: starting without');
      return undefined;
    }
  }

  /** Never fails a request: what cannot be written is only unknown after a restart. */
  save(state: LimiterState): void {
    this.#writes.try(() => this.#write.run(this.#account, JSON.stringify(state)));
  }
}
