import { CatalogDatabase } from '../../../src/catalog/database.ts';
import type { CatalogCard } from '../../../src/catalog/text.ts';
import { createLog } from '../../../src/log.ts';
import { onFinished } from '../../support/on-finished.ts';

const ROWS_AT_ONCE = 5_000;

/** The catalog of a bot with these cards; closed with the scope. */
export function filledCatalog(folder: string, cards: readonly CatalogCard[]): CatalogDatabase {
  const catalog = CatalogDatabase.open(folder, createLog({ level: 'warn', secrets: [] }));
  onFinished(() => catalog.close());
  for (let at = 0; at < cards.length; at += ROWS_AT_ONCE) catalog.upsert(cards.slice(at, at + ROWS_AT_ONCE), 'bench');
  return catalog;
}
