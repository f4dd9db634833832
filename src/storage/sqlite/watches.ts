import type { DatabaseSync } from 'node:sqlite';
import { isUntold, parseWatch, type Watch } from '../../watches/watch.ts';
import { MOST_WATCHES, type WatchStore, type WatchSummary } from '../../watches/watches.ts';
import type { StateWrites } from './state-rows.ts';

/** `is_untold`: a crossing is to be told by message. `changed`: no later change of any row has a lower number. */
export const WATCHES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS watched_prices (
    changed INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, member TEXT NOT NULL, card TEXT NOT NULL, is_untold INTEGER NOT NULL, watch TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS watched_by_members ON watched_prices (member);
  CREATE INDEX IF NOT EXISTS watched_cards ON watched_prices (card);
  CREATE INDEX IF NOT EXISTS watched_untold ON watched_prices (is_untold) WHERE is_untold = 1;
`;

/** Members' watches, in `state.sqlite`. */
export function sqliteWatches(database: DatabaseSync, writes: StateWrites): WatchStore {
  const run = (sql: string, ...values: (string | number)[]) => writes.try(() => database.prepare(sql).run(...values));
  function read(where: string, ...values: string[]): Watch[] | undefined {
    try {
      const rows = database.prepare(`SELECT watch FROM watched_prices WHERE ${where}`).all(...values);
      return rows.flatMap(({ watch }) => parseWatch(String(watch)) ?? []);
    } catch {
      return undefined;
    }
  }
  function write(watch: Watch): boolean {
    const row = [watch.id, watch.memberId, watch.cardId, Number(isUntold(watch)), JSON.stringify(watch)];
    const columns = 'id, member, card, is_untold, watch';
    return run(`INSERT OR REPLACE INTO watched_prices (${columns}) VALUES (?, ?, ?, ?, ?)`, ...row);
  }
  return {
    async find(of) {
      if (of === undefined) return read('true');
      if (of === 'untold') return read('is_untold = 1');
      return 'member' in of ? read('member = ?', of.member) : read('card = ?', of.card);
    },
    async changedAfter(change = 0) {
      const columns = `changed, member AS memberId, card AS cardId, json_array_length(watch, '$.untold') AS untold`;
      const select = `SELECT ${columns} FROM watched_prices WHERE changed > ? ORDER BY changed`;
      try {
        const watches = database.prepare(select).all(change) as unknown as (WatchSummary & { changed: number })[];
        return { watches, lastChange: watches.at(-1)?.changed ?? change };
      } catch {
        return undefined;
      }
    },
    async change(id, change) {
      const stored = read('id = ?', id);
      if (!stored) return undefined;
      const [before] = stored;
      const after = change(before);
      const own = !before && after && read('member = ?', after.memberId);
      if (own && own.length >= MOST_WATCHES) return { before, after: undefined };
      const isStored = after === before || (after ? write(after) : run('DELETE FROM watched_prices WHERE id = ?', id));
      return isStored ? { before, after } : undefined;
    },
    async forget(memberId, lastChange = Number.MAX_SAFE_INTEGER) {
      const isForgotten = run('DELETE FROM watched_prices WHERE member = ? AND changed <= ?', memberId, lastChange);
      const last = "SELECT seq FROM sqlite_sequence WHERE name = 'watched_prices'";
      return isForgotten ? Number(database.prepare(last).get()?.seq ?? 0) : undefined;
    },
  };
}
