import type { DatabaseSync } from 'node:sqlite';
import type { DeletionRequest, DeletionRequests } from '../../privacy/member-data.ts';
import type { StateWrites } from './state-rows.ts';

/** `day`: a time of that day. */
export const DELETION_REQUESTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS deletion_requests (member TEXT PRIMARY KEY, day TEXT NOT NULL) WITHOUT ROWID;
`;

/** The requests to a single process. */
export class SqliteDeletionRequests implements DeletionRequests {
  readonly #database: DatabaseSync;
  readonly #writes: StateWrites;

  constructor(database: DatabaseSync, writes: StateWrites) {
    this.#database = database;
    this.#writes = writes;
  }

  async add({ memberId, at }: DeletionRequest): Promise<boolean> {
    let isKept = false;
    this.#writes.try(() => {
      const added = this.#database.prepare('INSERT OR REPLACE INTO deletion_requests VALUES (?, ?)').run(memberId, at);
      isKept = true;
      return added;
    });
    return isKept;
  }

  async all(): Promise<DeletionRequest[]> {
    try {
      const rows = this.#database.prepare('SELECT member, day FROM deletion_requests').all();
      return rows.map(({ member, day }) => ({ memberId: String(member), at: String(day) }));
    } catch {
      return [];
    }
  }

  async drop(beforeDay: string): Promise<void> {
    this.#writes.try(() => this.#database.prepare('DELETE FROM deletion_requests WHERE day < ?').run(beforeDay));
  }
}
