import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../log.ts';
import { BUSY_CODE, sqliteCode } from '../database.ts';
import { type CachedCards, cachedCards } from './cached-cards.ts';
import type { CatalogDatabase } from './database.ts';
import type { CatalogFile } from './file.ts';

/** The pause between two pieces of work, which leaves part of a core to others. */
const PAUSE_MS = 20;
const RETRY_MS = 1_000;
const SWEEP_EVERY_MS = 3_600_000;

export interface CatalogUpkeepOptions {
  file: CatalogFile;
  dataDir: string;
  /** How the keys of this service's cards begin in `cards.sqlite`. */
  cardKeys: string;
  keepsMembers: boolean;
  log: Pick<Logger, 'warn'>;
}

/** What is done in the background, a little at a time; searches come in between. */
export class CatalogUpkeep {
  readonly #options: CatalogUpkeepOptions;

  constructor(options: CatalogUpkeepOptions) {
    this.#options = options;
  }

  /** What the cache holds is learned; then what is past its time is deleted, every hour. */
  async run(): Promise<void> {
    const { file, keepsMembers } = this.#options;
    await this.learnFromCache();
    while (!file.isClosing) {
      file.attempt((catalog) => catalog.asked.sweep(Date.now(), keepsMembers));
      await sleep(SWEEP_EVERY_MS);
    }
  }

  async learnFromCache(): Promise<void> {
    const position = `cards ${this.#options.cardKeys}`;
    await this.#inSlices((catalog) => {
      const { cards, next } = this.#cached(Number(catalog.positions.get(position) ?? 0));
      if (next === undefined) return 'end';
      catalog.inTransaction(() => {
        for (const { card, isDelisted } of cards) {
          catalog.upsert([card], undefined);
          if (isDelisted) catalog.deny(card.id, true);
        }
        catalog.positions.set(position, String(next));
      });
      return 'more';
    });
  }

  /** What is wrong with the cache is not wrong with the catalog: nothing is learned from a file that cannot be read. */
  #cached(after: number): CachedCards {
    const { dataDir, cardKeys, log } = this.#options;
    try {
      return cachedCards(dataDir, cardKeys, after);
    } catch (err) {
      if (sqliteCode(err) === BUSY_CODE) throw err; // it can be read later
      log.warn({ err }, 'saved cards cannot be read for search: each is found by its name once it is looked up again');
      return { cards: [], next: undefined };
    }
  }

  /** @param slice does a little more */
  async #inSlices(slice: (catalog: CatalogDatabase) => 'more' | 'end'): Promise<void> {
    const { file } = this.#options;
    for (let done: 'more' | 'end' | undefined; done !== 'end' && !file.isClosing; ) {
      done = file.attempt(slice);
      await sleep(done === undefined ? RETRY_MS : PAUSE_MS);
    }
  }
}
