import { idKey } from '../../../catalog/words.ts';
import type { Requester } from '../../../model/quota.ts';
import { DAY_MS } from '../../../time/utc-day.ts';
import type { Statements } from '../file.ts';

/** `id_key`: see `cards`. The server '' is everywhere. */
export const ASKED_SCHEMA = `
  CREATE TABLE IF NOT EXISTS asked_by_member (
    member TEXT, id TEXT, id_key TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (member, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS asked_by_member_at ON asked_by_member (at);
  CREATE TABLE IF NOT EXISTS asked_in_server (
    server TEXT, id TEXT, id_key TEXT NOT NULL, times INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (server, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS asked_most ON asked_in_server (server, times);
  CREATE INDEX IF NOT EXISTS asked_in_server_at ON asked_in_server (at);
`;

export const EVERYWHERE = '';
export const MOST_LAST_ASKED = 10;
export const MEMBER_HISTORY_MS = 30 * DAY_MS;
const SERVER_HISTORY_MS = 90 * DAY_MS;

/** What members asked for. */
export class AskedCards {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** @param isPrivate it counts for the member alone, as it does in a foreign place */
  add(
    id: string,
    { memberId, guildId, isInstalled = true }: Requester,
    atMs: number,
    keepsMember: boolean,
    isPrivate = false,
  ): void {
    const key = idKey(id);
    const inServer =
      'INSERT INTO asked_in_server VALUES (?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET times = times + 1, at = excluded.at';
    const servers = isPrivate || !isInstalled ? [] : new Set([guildId ?? EVERYWHERE, EVERYWHERE]);
    for (const server of servers) this.#sql(inServer).run(server, id, key, atMs);
    if (!keepsMember) return;
    this.#sql(
      // Later than the last one, also within a millisecond or after the clock was set back.
      `INSERT INTO asked_by_member VALUES (?1, ?2, ?3, max(?4, 1 + coalesce((SELECT max(at) FROM asked_by_member WHERE member = ?1), 0)))
        ON CONFLICT DO UPDATE SET at = excluded.at`,
    ).run(memberId, id, key, atMs);
    this.#sql(
      'DELETE FROM asked_by_member WHERE member = ?1 AND id NOT IN (SELECT id FROM asked_by_member WHERE member = ?1 ORDER BY at DESC LIMIT ?2)',
    ).run(memberId, MOST_LAST_ASKED);
  }

  /** Deletes what is past its time, and everything about members unless it may be kept. */
  sweep(nowMs: number, keepsMembers: boolean): void {
    const membersUntilMs = keepsMembers ? nowMs - MEMBER_HISTORY_MS : Number.MAX_SAFE_INTEGER;
    this.#sql('DELETE FROM asked_by_member WHERE at < ?').run(membersUntilMs);
    this.#sql('DELETE FROM asked_in_server WHERE at < ?').run(nowMs - SERVER_HISTORY_MS);
  }
}
