import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Query, SearcherFactory } from '@m31coding/fuzzy-search';
import MiniSearch from 'minisearch';
import type { CatalogCard } from '../../../src/catalog/catalog-card.ts';
import { search } from '../../../src/catalog/search.ts';
import { createLog } from '../../../src/log.ts';
import { CatalogDatabase } from '../../../src/storage/sqlite/catalog/database.ts';

/** Something that finds cards. */
export interface Engine {
  /** Names of at most 25 cards, best first. */
  find(typed: string): string[];
  /** `undefined`: nothing is on disk. */
  diskBytes?: number;
  close(): void;
}

const MOST_FOUND = 25;
const ROWS_AT_ONCE = 5_000;
const WHO = { memberId: '1', guildId: '2' };

export const ENGINES: Readonly<Record<string, (cards: readonly CatalogCard[]) => Engine>> = {
  cardbot(cards) {
    const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-search-'));
    const catalog = CatalogDatabase.open(folder, createLog({ level: 'warn', secrets: [] }));
    for (let at = 0; at < cards.length; at += ROWS_AT_ONCE) catalog.upsert(cards.slice(at, at + ROWS_AT_ONCE), 'bench');
    return {
      find: (typed) => search(catalog.index, typed, WHO).map(({ name }) => name),
      diskBytes: catalog.stats().bytes,
      close() {
        catalog.close();
        rmSync(folder, { recursive: true });
      },
    };
  },

  minisearch(cards) {
    const index = new MiniSearch<CatalogCard>({
      fields: ['name', 'set', 'number', 'id'],
      storeFields: ['name'],
      searchOptions: { prefix: true, fuzzy: 0.2, combineWith: 'AND', boost: { name: 2 } },
    });
    index.addAll(cards);
    return {
      find: (typed) =>
        index
          .search(typed)
          .slice(0, MOST_FOUND)
          .map(({ name }) => String(name)),
      close() {},
    };
  },

  '@m31coding/fuzzy-search'(cards) {
    const searcher = SearcherFactory.createDefaultSearcher<CatalogCard, string>();
    searcher.indexEntities(
      [...cards],
      ({ id }) => id,
      ({ name, set, number }) => [name, `${set} ${name} ${number}`],
    );
    return {
      find: (typed) => searcher.getMatches(new Query(typed, MOST_FOUND)).matches.map(({ entity }) => entity.name),
      close() {},
    };
  },
};
