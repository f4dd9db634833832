import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { CatalogRow, CatalogStats } from '../../../catalog/catalog-card.ts';
import { OFFERED } from './schema.ts';
import { rowOf, type StoredRow } from './stored-row.ts';

/** All cards that are offered, as they were when it began; the file must not be written through `database` meanwhile. */
export function* offeredRows(database: DatabaseSync): Generator<CatalogRow> {
  const all = database.prepare(
    `SELECT cards.*, sources.name AS source_name FROM cards LEFT JOIN sources ON sources.row = cards.source WHERE ${OFFERED} ORDER BY cards.row`,
  );
  for (const row of all.iterate()) {
    yield rowOf(row as unknown as StoredRow, row.source_name === null ? undefined : String(row.source_name));
  }
}

export function statsOf(database: DatabaseSync, file: string): CatalogStats {
  const count = (what: string) => Number(database.prepare(`SELECT count(*) AS count FROM ${what}`).get()?.count);
  const imports = database
    .prepare(
      'SELECT sources.name, withdrawn, count(cards.row) AS unconfirmed FROM sources LEFT JOIN cards ON source = sources.row AND cards.confirmed = 0 AND cards.denied < 2 GROUP BY sources.row',
    )
    .all();
  return {
    cards: count(`cards WHERE ${OFFERED}`),
    confirmed: count(`cards WHERE ${OFFERED} AND confirmed = 1`),
    denied: count('cards WHERE denied = 1'),
    names: count(`(SELECT DISTINCT name_row FROM cards WHERE ${OFFERED})`),
    imports: imports.map(({ name, withdrawn, unconfirmed }) => ({
      source: String(name),
      unconfirmed: Number(unconfirmed),
      isWithdrawn: withdrawn === 1,
    })),
    bytes: ['', '-wal'].reduce((sum, end) => sum + (existsSync(file + end) ? statSync(file + end).size : 0), 0),
  };
}
