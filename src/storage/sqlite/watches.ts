import type { DatabaseSync } from 'node:sqlite';
import { isUntold, parseWatch, type Watch } from '../../watches/watch.ts';
import type { WatchStore } from '../../watches/watches.ts';
import type { StateWrites } from './state-rows.ts';

/** `is_untold`: a crossing is to be told by message. */
export const WATCHES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS watches (
    id TEXT PRIMARY KEY, member TEXT NOT NULL, card TEXT NOT NULL, is_untold INTEGER NOT NULL, watch TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS watches_of_members ON watches (member);
  CREATE INDEX IF NOT EXISTS watches_of_cards ON watches (card);
  CREATE INDEX IF NOT EXISTS watches_untold ON watches (is_untold) WHERE is_untold = 1;
`;

/** Members' watches, in `state.sqlite`. */
export function sqliteWatches(database: DatabaseSync, writes: StateWrites): WatchStore {
  const run = (sql: string, ...values: (string | number)[]) => writes.try(() => database.prepare(sql).run(...values));
  function read(where: string, ...values: string[]): Watch[] | undefined {
    try {
      const rows = database.prepare(`SELECT watch FROM watches WHERE ${where}`).all(...values);
      return rows.flatMap(({ watch }) => parseWatch(String(watch)) ?? []);
    } catch {
      return undefined;
    }
  }
  function write(watch: Watch): boolean {
    const row = [watch.id, watch.memberId, watch.cardId, Number(isUntold(watch)), JSON.stringify(watch)];
    return run('INSERT OR REPLACE INTO watches VALUES (?, ?, ?, ?, ?)', ...row);
  }
  return {
    async find(of) {
      if (of === undefined) return read('true');
      if (of === 'untold') return read('is_untold = 1');
      return 'member' in of ? read('member = ?', of.member) : read('card = ?', of.card);
    },
    async change(id, change) {
      const stored = read('id = ?', id);
      if (!stored) return undefined;
      const [before] = stored;
      const after = change(before);
      const isStored = after === before || (after ? write(after) : run('DELETE FROM watches WHERE id = ?', id));
      return isStored ? { before, after } : undefined;
    },
  };
}
