import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The ids in the card store of a bot, which may be running. */
export function storedCardIds(dataDir: string): string[] {
  using database = new DatabaseSync(join(dataDir, 'cards.sqlite'));
  const rows = database.prepare('SELECT key FROM cards ORDER BY key').all();
  return rows.map(({ key }) => String(key).split(':').slice(2).join(':'));
}

/** The texts in a part of the rows of a bot, which may be running. */
export function storedRows(dataDir: string, part: string): Record<string, string> {
  using database = new DatabaseSync(join(dataDir, 'state.sqlite'), { readOnly: true });
  const rows = database.prepare('SELECT key, value FROM rows WHERE part = ?').all(part);
  return Object.fromEntries(rows.map(({ key, value }) => [String(key), String(value)]));
}
