import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { isSame, parseWatch, type WatchStore, watchText } from '../../watches/watch.ts';
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
  function read(where: string, ...values: SQLInputValue[]) {
    try {
      const rows = database.prepare(`SELECT watch FROM watches ${where}`).all(...values);
      return rows.flatMap(({ watch }) => parseWatch(String(watch)) ?? []);
    } catch {
      return undefined;
    }
  }
  return {
    ofMember: async (memberId) => read('WHERE member = ?', memberId)?.sort((a, b) => a.setAtMs - b.setAtMs),
    ofCard: async (cardId) => read('WHERE card = ?', cardId) ?? [],
    untold: async () => read('WHERE is_untold = 1') ?? [],
    all: async () => read('') ?? [],
    async replace(before, after) {
      const id = (after ?? before)?.id ?? '';
      const stored = read('WHERE id = ?', id);
      if (!stored || !isSame(stored[0], before)) return false;
      if (!after) return writes.try(() => database.prepare('DELETE FROM watches WHERE id = ?').run(id));
      const isUntold = Number(after.untold.some(({ tellBy }) => tellBy === 'message'));
      const row = [id, after.memberId, after.cardId, isUntold, watchText(after)];
      return writes.try(() => database.prepare('INSERT OR REPLACE INTO watches VALUES (?, ?, ?, ?, ?)').run(...row));
    },
  };
}
