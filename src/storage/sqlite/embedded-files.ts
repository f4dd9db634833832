import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Bookings } from '../../model/quota.ts';
import { storedJson } from '../../model/stored-json.ts';
import { type LimiterState, StoredLimiterState, withProbe } from '../../quota/limiter-state.ts';
import { parseWatch, type Watch } from '../../watches/watch.ts';
import { BUSY_CODE, sqliteCode } from './database.ts';

const IN_USE = 'a bot without REDIS_URL uses them; stop it, and restart this one';

/** What a member caused in a server on a day. */
type BookedRow = Bookings & { guild: string; member: string };

export interface CardRow {
  key: string;
  value: string;
  expiresAtMs: number;
}

/** What an embedded bot has left in its `DATA_DIR`, opened read-only. While they are open, no embedded bot starts on them. */
export class EmbeddedFiles {
  readonly #state: DatabaseSync;
  readonly #cards: DatabaseSync | undefined;

  /** @returns `undefined` when there are none @throws errors of SQLite, and one that says so when an embedded bot uses them */
  static open(dataDir: string): EmbeddedFiles | undefined {
    const [state, cards] = ['state.sqlite', 'cards.sqlite'].map((name) => join(dataDir, name));
    if (!state || !cards || !existsSync(state)) return undefined;
    return new EmbeddedFiles(openReadOnly(state), existsSync(cards) ? openReadOnly(cards) : undefined);
  }

  private constructor(state: DatabaseSync, cards: DatabaseSync | undefined) {
    this.#state = state;
    this.#cards = cards;
  }

  limiterState(account: string): LimiterState | undefined {
    const row = this.#state.prepare('SELECT state FROM limiter WHERE account = ?').get(account);
    const state = row && storedJson(StoredLimiterState).safeParse(row.state).data;
    return state && withProbe(state, false); // a probe cannot outlive its process
  }

  /** JSON by interaction id. */
  deferredReplies(): [interactionId: string, reply: string][] {
    return this.#rows('deferred_replies').map(({ interaction_id, reply }) => [String(interaction_id), String(reply)]);
  }

  /** By member, when they wished their data deleted. */
  deletionRequests(): [memberId: string, at: string][] {
    const rows = [...this.#rows('deletion_requests'), ...this.#rows('deletions')];
    return rows.map(({ member, day, at = day }) => [String(member), String(at)]);
  }

  serverSettings(): [guildId: string, name: string, value: string][] {
    const rows = this.#rows('server_settings');
    return rows.map(({ guild, name, value }) => [String(guild), String(name), String(value)]);
  }

  watches(): Watch[] {
    const rows = [...this.#rows('watches'), ...this.#rows('watched_prices')];
    return rows.flatMap(({ watch }) => parseWatch(String(watch)) ?? []);
  }

  /** Files of an earlier version lack some tables. */
  #rows(table: string, where = 'true', ...values: string[]) {
    const isThere = this.#state.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
    return isThere ? this.#state.prepare(`SELECT * FROM ${table} WHERE ${where}`).all(...values) : [];
  }

  /** The rows of a day in the ledger, without its sums. */
  booked(day: string): BookedRow[] {
    const ofDay = (table: string) => this.#rows(table, "day = ? AND member <> ''", day);
    return [...ofDay('bookings'), ...ofDay('counts')] as unknown[] as BookedRow[];
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
    throw sqliteCode(error) === BUSY_CODE ? new Error(IN_USE, { cause: error }) : error;
  }
}
