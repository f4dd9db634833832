import type { CatalogCard } from '../../src/catalog/catalog-card.ts';
import { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * A catalog with these cards, which is gone when the test or, from `beforeAll`, the file ends.
 *
 * @param source the file that they are of; without it the service has confirmed them
 */
export function openCatalog(cards: readonly CatalogCard[] = [], source?: string): CatalogDatabase {
  const catalog = CatalogDatabase.open(temporaryFolder(), logLines().log);
  onFinished(() => catalog.close());
  catalog.upsert(cards, source);
  return catalog;
}
