import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { search } from '../../../src/catalog/search.ts';
import { createLog } from '../../../src/log.ts';
import { CatalogDatabase } from '../../../src/storage/sqlite/catalog/database.ts';
import { CARDS, noise } from '../../catalog/fixture-cards.ts';
import { AMONG_FIVE, FIRST } from '../../catalog/typed-queries.ts';

const ROWS_AT_ONCE = 5_000;
const WHO = { memberId: '1', guildId: '2' };

/** How many of the queries of the tests find what is meant, with so many other cards around. */
export function relevanceAmong(others: number): { found: number; of: number } {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-relevance-'));
  const catalog = CatalogDatabase.open(folder, createLog({ level: 'warn', secrets: [] }));
  try {
    const all = noise(others);
    for (let at = 0; at < all.length; at += ROWS_AT_ONCE) catalog.upsert(all.slice(at, at + ROWS_AT_ONCE), 'others');
    catalog.upsert(CARDS, 'real');
    const isFound = (typed: string, meant: string, among: number) =>
      search(catalog.index, typed, WHO)
        .slice(0, among)
        .some(({ id, name }) => id === meant || name === meant);
    const found = FIRST.filter(([typed, meant]) => isFound(typed, meant, 1)).length;
    const amongFive = AMONG_FIVE.filter(([typed, meant]) => isFound(typed, meant, 5)).length;
    return { found: found + amongFive, of: FIRST.length + AMONG_FIVE.length };
  } finally {
    catalog.close();
    rmSync(folder, { recursive: true });
  }
}
