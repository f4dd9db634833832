import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type LimiterState, StoredLimiterState, withProbe } from '../../quota/limiter-state.ts';
import { BUSY_CODE, sqliteCode } from './database.ts';

/** A row of the ledger. */
export interface BookedRow {
  /** Its place in the order of rows. */
  position: string;
  day: string;
  guild: string;
  member: string;
  requests: number;
  refused: number;
  saved: number;
}

export interface CardRow {
  key: string;
  value: string;
  expiresAtMs: number;
}

/** Another process, the embedded bot, uses the files. */
export class FilesInUse extends Error {
  override name = 'FilesInUse';
}

/** What an embedded bot has left in its `DATA_DIR`, opened read-only. While they are open, no embedded bot starts on them. */
export class EmbeddedFiles {
  readonly #state: DatabaseSync;
  readonly #cards: DatabaseSync | undefined;

  /** @returns `undefined` when there are none @throws FilesInUse, and errors of SQLite */
  static open(dataDir: string): EmbeddedFiles | undefined {
    const [state, cards] = ['state.sqlite', 'cards.sqlite'].map((name) => join(dataDir, name));
    if (!state || !cards || !existsSync(state)) return undefined;
    return new EmbeddedFiles(openReadOnly(state), existsSync(cards) ? openReadOnly(cards) : undefined);
  }

  private constructor(state: DatabaseSync, cards: DatabaseSync | undefined) {
    this.#state = state;
    this.#cards = cards;
  }

  /** The same for the same content. */
  id(): string {
    const sums = 'SELECT count(*), max(day), sum(requests), sum(refused), sum(saved) FROM bookings';
    const content = [sums, 'SELECT * FROM limiter', 'SELECT * FROM deferred_replies'].map((query) =>
      this.#state.prepare(query).all(),
    );
    return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
  }

  limiterState(account: string): LimiterState | undefined {
    const row = this.#state.prepare('SELECT state FROM limiter WHERE account = ?').get(account);
    const state = row && StoredLimiterState.safeParse(JSON.parse(String(row.state))).data;
    return state && withProbe(state, false); // a probe cannot outlive its process
  }

  /** JSON by interaction id. */
  deferredReplies(): [interactionId: string, reply: string][] {
    const rows = this.#state.prepare('SELECT interaction_id, reply FROM deferred_replies').all();
    return rows.map(({ interaction_id, reply }) => [String(interaction_id), String(reply)]);
  }

  /** By member, when they wished their data deleted. */
  deletionRequests(): [memberId: string, at: string][] {
    const find = this.#state.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'deletion_requests'");
    if (!find.get()) return []; // files of an earlier version
    const rows = this.#state.prepare('SELECT member, day FROM deletion_requests').all();
    return rows.map(({ member, day }) => [String(member), String(day)]);
  }

  bookedCount(): number {
    return Number(this.#state.prepare('SELECT count(*) AS count FROM bookings').get()?.count);
  }

  /** The next rows of the ledger. @param after a row's position, or '' */
  booked(after: string, limit: number): BookedRow[] {
    const [day = '', guild = '', member = ''] = after.split(' ');
    const next = `SELECT day || ' ' || guild || ' ' || member AS position, * FROM bookings
                  WHERE (day, guild, member) > (?, ?, ?) ORDER BY day, guild, member LIMIT ?`;
    return this.#state.prepare(next).all(day, guild, member, limit) as unknown[] as BookedRow[];
  }

  /** How many cards have keys that begin so. */
  cardCount(prefix: string): number {
    const count = this.#cards?.prepare('SELECT count(*) AS count FROM cards WHERE substr(key, 1, ?) = ?');
    return Number(count?.get(prefix.length, prefix)?.count ?? 0);
  }

  /** The next cards with keys that begin so, in the order of their keys; after '' the first. */
  cards(prefix: string, afterKey: string, limit: number): CardRow[] {
    const next = this.#cards?.prepare(
      `SELECT key, value, expires_at AS expiresAtMs FROM cards
       WHERE key > ? AND substr(key, 1, ?) = ? ORDER BY key LIMIT ?`,
    );
    return (next?.all(afterKey, prefix.length, prefix, limit) ?? []) as unknown[] as CardRow[];
  }

  close(): void {
    this.#state.close();
    this.#cards?.close();
  }
}

function openReadOnly(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    throw sqliteCode(error) === BUSY_CODE ? new FilesInUse(file) : error;
  }
}
