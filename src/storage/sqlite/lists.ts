import type { DatabaseSync } from 'node:sqlite';
import { LIST_KEPT_MS, type ListStore, MOST_LISTS, parseList } from '../../lists/kept-lists.ts';
import type { StateWrites } from './state-rows.ts';

export const LISTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS pasted_lists (
    member TEXT NOT NULL, id TEXT NOT NULL, list TEXT NOT NULL, until_ms INTEGER NOT NULL, PRIMARY KEY (member, id)
  );
`;

const SWEEP_EVERY_MS = 60_000;

/** Members' pasted lists, in `state.sqlite`. */
export function sqliteLists(database: DatabaseSync, writes: StateWrites): ListStore & { close(): void } {
  const run = (sql: string, ...values: (string | number)[]) => writes.try(() => database.prepare(sql).run(...values));
  const sweep = () => run('DELETE FROM pasted_lists WHERE until_ms <= ?', Date.now());
  const timer = setInterval(sweep, SWEEP_EVERY_MS).unref();
  const get = (sql: string, ...values: (string | number)[]) => {
    try {
      return database.prepare(sql).get(...values);
    } catch {
      return undefined;
    }
  };
  sweep();
  return {
    async add(memberId, id, list) {
      const untilMs = Date.now() + LIST_KEPT_MS;
      const isKept = run(
        'INSERT OR REPLACE INTO pasted_lists VALUES (?, ?, ?, ?)',
        ...[memberId, id, JSON.stringify(list), untilMs],
      );
      run(
        `DELETE FROM pasted_lists WHERE member = ?1 AND id NOT IN
          (SELECT id FROM pasted_lists WHERE member = ?1 ORDER BY rowid DESC LIMIT ?2)`,
        ...[memberId, MOST_LISTS],
      );
      return isKept;
    },
    async replace(memberId, id, list) {
      run('UPDATE pasted_lists SET list = ? WHERE member = ? AND id = ?', JSON.stringify(list), memberId, id);
    },
    async read(memberId, id) {
      const now = Date.now();
      const row = get('SELECT list FROM pasted_lists WHERE member = ? AND id = ? AND until_ms > ?', memberId, id, now);
      return row && parseList(String(row.list));
    },
    async count(memberId) {
      const row = get('SELECT count(*) AS n FROM pasted_lists WHERE member = ? AND until_ms > ?', memberId, Date.now());
      return row && Number(row.n);
    },
    forget: async (memberId) => run('DELETE FROM pasted_lists WHERE member = ?', memberId),
    close: () => clearInterval(timer),
  };
}
