import { Query, SearcherFactory } from '@m31coding/fuzzy-search';
import type { CatalogCard } from '../../../src/catalog/catalog-card.ts';
import { search } from '../../../src/catalog/search.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { filledCatalog } from './filled-catalog.ts';

/** Something that finds cards. */
export interface Engine {
  /** Names of at most 25 cards, best first. */
  find(typed: string): string[];
  /** `undefined`: nothing is on disk. */
  diskBytes?: number;
}

const MOST_FOUND = 25;
const WHO = { memberId: '1', guildId: '2' };

export const ENGINES: Readonly<Record<string, (cards: readonly CatalogCard[]) => Engine>> = {
  cardbot(cards) {
    const catalog = filledCatalog(temporaryFolder('bench'), cards);
    return {
      find: (typed) => search(catalog.index, typed, WHO).map(({ name }) => name),
      diskBytes: catalog.index.stats().bytes,
    };
  },

  '@m31coding/fuzzy-search'(cards) {
    const find = fuzzySearch(cards);
    return { find: (typed) => find(typed).map(({ name }) => name) };
  },
};

/** At most 25 cards, best first. */
export function fuzzySearch(cards: readonly CatalogCard[]): (typed: string) => CatalogCard[] {
  const searcher = SearcherFactory.createDefaultSearcher<CatalogCard, string>();
  searcher.indexEntities(
    [...cards],
    ({ id }) => id,
    ({ name, set, number, also = [] }) => [name, `${set} ${name} ${number}`, ...also],
  );
  return (typed) => searcher.getMatches(new Query(typed, MOST_FOUND)).matches.map(({ entity }) => entity);
}
