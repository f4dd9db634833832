import { CatalogDatabase } from '../../src/catalog/database.ts';
import type { CatalogCard } from '../../src/catalog/text.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * A catalog with these cards, which is gone when the test or, from `beforeAll`, the file ends.
 *
 * @param source the file that they are of; without it the service has confirmed them
 */
export function openCatalog(cards: readonly CatalogCard[] = [], source?: string): CatalogDatabase {
  const catalog = new CatalogDatabase(temporaryFolder(), logLines().log);
  onFinished(() => catalog.close());
  catalog.upsert(cards, source);
  return catalog;
}

/** The member who asks the catalog. */
export const WHO = { memberId: 'alice', guildId: 'guild' };

/** Cards in rows of `id | name | set | number | when it came out | what else it is found by`, as far as they are given. */
export function cardsOf(rows: readonly (readonly string[])[]): CatalogCard[] {
  return rows.map(([id = '', name = '', set, number, released, also]) => ({
    ...{ id, name, set: set || undefined, number: number || undefined, released: released || undefined },
    also: also?.split(', '),
  }));
}
