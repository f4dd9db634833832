import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CatalogCard } from '../../../catalog/catalog-card.ts';

const ROWS_AT_ONCE = 50;

/** What the cache holds of cards: those that the service has answered with. */
export interface CachedCards {
  cards: { card: CatalogCard; isDelisted: boolean }[];
  /** Where to go on; `undefined` after the last. */
  next: number | undefined;
}

/**
 * The next cards in `cards.sqlite`, in the order in which they were first stored.
 *
 * @param keys how the keys of this service's cards begin
 * @param after where the last reading ended, 0 at first; a file that is shorter is read from its beginning
 */
export function cachedCards(dataDir: string, keys: string, after: number): CachedCards {
  const file = join(dataDir, 'cards.sqlite');
  if (!existsSync(file)) return { cards: [], next: undefined };
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    const last = Number(database.prepare('SELECT max(rowid) AS last FROM cards').get()?.last ?? 0);
    const rows = database
      .prepare('SELECT rowid, key, value FROM cards WHERE rowid > ? ORDER BY rowid LIMIT ?')
      .all(after > last ? 0 : after, ROWS_AT_ONCE);
    const cards = rows.filter(({ key }) => String(key).startsWith(keys)).flatMap(({ value }) => cardIn(String(value)));
    return { cards, next: rows.length > 0 ? Number(rows.at(-1)?.rowid) : undefined };
  } finally {
    database.close();
  }
}

/** Written by this bot, so that a look at its shape is enough; zod would take 10 MB more in each worker. */
function cardIn(value: string): CachedCards['cards'] {
  try {
    const { card, delistedAtMs } = JSON.parse(value).value;
    if (typeof card?.id !== 'string' || typeof card.name !== 'string') return [];
    const { id, name, number, game } = card;
    return [
      { card: { id, name: name || id, set: card.set?.name, number, game }, isDelisted: delistedAtMs !== undefined },
    ];
  } catch {
    return []; // a row that is broken is no card
  }
}
