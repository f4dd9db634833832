import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** The ids in the card store of a bot, and with them the bot may be running. */
export function storedCardIds(dataDir: string): string[] {
  const rows = inCardStore(dataDir, (database) => database.prepare('SELECT key FROM cards ORDER BY key').all());
  return rows.map(({ key }) => String(key).split(':').slice(2).join(':'));
}

/** Writes anything in the place of what is remembered of a card. */
export function spoilStoredCard(dataDir: string, id: string, value: SQLInputValue): void {
  inCardStore(dataDir, (database) =>
    database.prepare('UPDATE cards SET value = ? WHERE key LIKE ?').run(value, `%:${id}`),
  );
}

function inCardStore<T>(dataDir: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(dataDir, 'cards.sqlite'));
  try {
    return work(database);
  } finally {
    database.close();
  }
}
