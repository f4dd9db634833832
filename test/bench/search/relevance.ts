import { search } from '../../../src/catalog/search.ts';
import { CARDS, noise } from '../../catalog/fixture-cards.ts';
import { AMONG_FIVE, FIRST } from '../../catalog/typed-queries.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { filledCatalog } from './filled-catalog.ts';

const WHO = { memberId: '1', guildId: '2' };

/** How many of the queries of the tests find what is meant, with so many other cards around. */
export function relevanceAmong(others: number): { found: number; of: number } {
  const catalog = filledCatalog(temporaryFolder('bench'), noise(others));
  catalog.upsert(CARDS, 'real');
  const found = (queries: typeof FIRST, among: number) =>
    queries.filter(([typed, meant]) =>
      search(catalog.index, typed, WHO)
        .slice(0, among)
        .some(({ id, name }) => id === meant || name === meant),
    ).length;
  return { found: found(FIRST, 1) + found(AMONG_FIVE, 5), of: FIRST.length + AMONG_FIVE.length };
}
