import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AlertBoard } from '../../operations/alerts.ts';

export const ALERTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS alerts (alert TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID;
`;

/** Which alerts a single process has told, over its restarts. */
export class SqliteAlertBoard implements AlertBoard {
  readonly #raise: StatementSync;
  readonly #clear: StatementSync;

  constructor(database: DatabaseSync) {
    this.#raise = database.prepare(
      `INSERT INTO alerts VALUES (?, ?) ON CONFLICT (alert) DO UPDATE SET until_ms = excluded.until_ms WHERE until_ms < ?`,
    );
    this.#clear = database.prepare('DELETE FROM alerts WHERE alert = ? RETURNING until_ms');
  }

  async raise(alert: string, untilMs: number): Promise<boolean | undefined> {
    return attempt(() => this.#raise.run(alert, Math.round(untilMs), Date.now()).changes > 0);
  }

  async clear(alert: string): Promise<boolean | undefined> {
    return attempt(() => Number(this.#clear.get(alert)?.until_ms ?? 0) >= Date.now());
  }
}

/** Failures are not logged here: `StateWrites` does for the same file. */
function attempt(work: () => boolean): boolean | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
