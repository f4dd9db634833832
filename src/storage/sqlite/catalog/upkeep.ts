import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CatalogCard, catalogCardOf } from '../../../catalog/catalog-card.ts';
import type { Logger } from '../../../log.ts';
import { BUSY_CODE, sqliteCode } from '../file.ts';
import type { CatalogDatabase } from './database.ts';
import type { CatalogFile } from './file.ts';

// What is done in the background, a little at a time; searches come in between.

/** The pause between two pieces of work, which leaves part of a core to others. */
const PAUSE_MS = 20;
const RETRY_MS = 1_000;
const ROWS_AT_ONCE = 50;

export interface CacheOptions {
  cardsDir: string;
  /** How the keys of this service's cards begin in `cards.sqlite`. */
  cardKeys: string;
  log: Pick<Logger, 'warn'>;
}

/** Learns the cards that the cache holds: those that the service has answered with. */
export async function learnFromCache(file: CatalogFile, options: CacheOptions): Promise<void> {
  for (let isMore = true; isMore && !file.isClosing; ) {
    const learned = file.attempt((catalog) => learnNext(catalog, options));
    isMore = learned !== 'all';
    await sleep(learned === undefined ? RETRY_MS : PAUSE_MS);
  }
}

function learnNext(catalog: CatalogDatabase, options: CacheOptions): 'some' | 'all' {
  const position = `cards ${options.cardKeys}`;
  const { cards, next } = cachedCards(Number(catalog.position(position)) || 0, options);
  if (next === undefined) return 'all';
  catalog.inTransaction(() => {
    for (const { card, isDelisted } of cards) {
      catalog.upsert([card], undefined);
      if (isDelisted) catalog.deny(card.id, true);
    }
    catalog.setPosition(position, String(next));
  });
  return 'some';
}

interface CachedCards {
  cards: { card: CatalogCard; isDelisted: boolean }[];
  /** Where to go on; absent after the last. */
  next?: number;
}

/** The next cards in the order in which they were first stored; from the beginning when the file has become shorter. */
function cachedCards(after: number, { cardsDir, cardKeys, log }: CacheOptions): CachedCards {
  const file = join(cardsDir, 'cards.sqlite');
  if (!existsSync(file)) return { cards: [] };
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
    const last = Number(database.prepare('SELECT max(rowid) AS last FROM cards').get()?.last ?? 0);
    const rows = database
      .prepare('SELECT rowid, key, value FROM cards WHERE rowid > ? ORDER BY rowid LIMIT ?')
      .all(after > last ? 0 : after, ROWS_AT_ONCE);
    const ofService = rows.filter(({ key }) => String(key).startsWith(cardKeys));
    const cards = ofService.flatMap(({ value }) => cardIn(String(value)));
    return { cards, ...(rows.length > 0 && { next: Number(rows.at(-1)?.rowid) }) };
  } catch (err) {
    if (sqliteCode(err) === BUSY_CODE) throw err; // it can be read later
    // What is wrong with the cache is not wrong with the catalog.
    log.warn({ err }, 'saved cards cannot be read for search: each is found by its name once it is looked up again');
    return { cards: [] };
  }
}

/** Written by this bot, so that a look at its shape is enough. */
function cardIn(value: string): CachedCards['cards'] {
  try {
    const { card, delistedAtMs } = JSON.parse(value).value;
    const isCard = typeof card?.id === 'string' && typeof card.name === 'string' && card.set;
    return isCard ? [{ card: catalogCardOf(card), isDelisted: delistedAtMs !== undefined }] : [];
  } catch {
    return []; // a row that is broken is no card
  }
}
