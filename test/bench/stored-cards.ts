import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CardStore } from '../../src/cache/card-store.ts';
import { createLog } from '../../src/log.ts';
import type { Card } from '../../src/model/card.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../src/storage/sqlite/cards.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';
import { onFinished } from '../support/on-finished.ts';

const SAMPLE = 'sample-000000';
const KEEP_MS = 90 * 86_400_000;

export function storedCardId(index: number): string {
  return `sample-${String(index).padStart(6, '0')}`;
}

/** A card of average length. */
export function sampleCard(id: string): Card {
  return {
    id,
    name: 'Travelling Lamplighter',
    game: 'Lanternfolk',
    set: { id: 'sample', name: 'First Fires' },
    number: '4/102',
    rarity: 'Rare Holo',
    imageUrl: `https://images.cards.example/${id}.png`,
    prices: { market: 1234.5, low: 980, high: 2000.25 },
  };
}

/** Rows in a `cards.sqlite`, as the bot would have written them just now; closed with the scope. */
export class StoredCards {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The real store writes one card; `put` multiplies its row. */
  static async open(dataDir: string, serviceUrl: string): Promise<StoredCards> {
    const log = createLog({ level: 'warn', secrets: [] });
    const database = openDatabase(join(dataDir, 'cards.sqlite'), { log, schema: CARDS_SCHEMA, lossMeans: 'nothing' });
    onFinished(() => database.close());
    const store = new CardStore({
      log,
      store: new SqliteStore(database),
      memoryBytes: 10_000,
      keepMs: KEEP_MS,
      origin: `${serviceUrl} /cards/{id}`,
    });
    await store.set(SAMPLE, { card: sampleCard(SAMPLE), fetchedAtMs: Date.now() });
    database.exec('CREATE TEMP TABLE sample AS SELECT * FROM cards; DELETE FROM cards');
    return new StoredCards(database);
  }

  /** Leaves exactly the cards from number `from` on, `count` of them. */
  put(from: number, count: number): void {
    this.#database.exec('BEGIN; DELETE FROM cards');
    this.#database
      .prepare(`WITH RECURSIVE numbers (id, n) AS (
                  SELECT format('sample-%06d', ?), ? UNION ALL
                  SELECT format('sample-%06d', n + 1), n + 1 FROM numbers WHERE n + 1 < ?
                )
                INSERT INTO cards SELECT replace(key, ?, id), replace(value, ?, id), expires_at FROM sample, numbers`)
      .run(from, from, from + count, SAMPLE, SAMPLE);
    this.#database.exec('COMMIT');
  }
}
