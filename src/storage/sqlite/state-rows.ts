import type { DatabaseSync } from 'node:sqlite';
import { Incident, type Logger } from '../../log.ts';
import type { Events } from '../../model/events.ts';
import type { DeletionRequest, DeletionRequests } from '../../privacy/member-data.ts';
import type { LimiterStore } from '../../quota/limiter-cell.ts';
import { StoredLimiterState } from '../../quota/limiter-state.ts';

/** Writes to `state.sqlite`. No lookup fails because of one, and a full disk is logged once instead of by each. */
export class StateWrites {
  readonly #outage: Incident;

  constructor(log: Logger, events?: Events) {
    this.#outage = new Incident(log, {
      level: 'error',
      begins: 'state cannot be written: deferred replies and counts are kept in memory, and lost at a restart',
      ends: 'state is written again',
      report: (works) => events?.publish('store', { store: 'state', works }),
    });
  }

  /** @param run a statement. One that changes nothing does not show that the disk has room: a full one takes it, too @returns whether it was written */
  try(run: () => { changes: number | bigint }): boolean {
    try {
      if (run().changes > 0) this.#outage.succeeded();
      return true;
    } catch (err) {
      this.#outage.failed({ err });
      return false;
    }
  }
}

export const LIMITER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS limiter (account TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
`;
/** The earlier table exists only when an earlier version ran last, so its rows are the newer ones. */
export const EARLIER_LIMITER_TABLE = {
  name: 'pacing',
  move: 'INSERT OR REPLACE INTO limiter SELECT account, state FROM pacing',
};

/** The limiter's state of one account (see `accountOf`), over restarts. */
export function sqliteLimiterStore(
  database: DatabaseSync,
  account: string,
  log: Logger,
  writes: StateWrites,
): LimiterStore {
  const read = database.prepare('SELECT state FROM limiter WHERE account = ?');
  const write = database.prepare('INSERT OR REPLACE INTO limiter VALUES (?, ?)');
  return {
    load() {
      try {
        const row = read.get(account);
        return row && StoredLimiterState.parse(JSON.parse(String(row.state)));
      } catch (err) {
        log.warn({ err }, 'invalid limiter state: starting without it');
        return undefined;
      }
    },
    save: (state) => void writes.try(() => write.run(account, JSON.stringify(state))),
  };
}

/** `day`: a time of that day. */
export const DELETION_REQUESTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS deletion_requests (member TEXT PRIMARY KEY, day TEXT NOT NULL) WITHOUT ROWID;
`;

/** Members' wishes to be forgotten, as told to a single process. */
export function sqliteDeletionRequests(database: DatabaseSync, writes: StateWrites): DeletionRequests {
  const run = (sql: string, ...values: string[]) => writes.try(() => database.prepare(sql).run(...values));
  return {
    add: async ({ memberId, at }) => run('INSERT OR REPLACE INTO deletion_requests VALUES (?, ?)', memberId, at),
    async all() {
      try {
        const all = database.prepare('SELECT member AS memberId, day AS at FROM deletion_requests').all();
        return all as unknown as DeletionRequest[];
      } catch {
        return [];
      }
    },
    drop: async (beforeDay) => void run('DELETE FROM deletion_requests WHERE day < ?', beforeDay),
  };
}
