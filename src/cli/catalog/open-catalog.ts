import type { CatalogCard, CatalogStats } from '../../catalog/catalog-card.ts';
import { CatalogDatabase } from '../../storage/sqlite/catalog/database.ts';
import type { MayReplace } from '../../storage/sqlite/catalog/rows.ts';
import { sqliteCode } from '../../storage/sqlite/file.ts';
import { CliFailure } from '../context.ts';

/** Another import leaves the lock for a moment after each batch. */
const BUSY_TIMEOUT_MS = 60_000;

/**
 * The catalog in a folder, which the bot and other imports may use at the same time. Methods throw CliFailure; what was
 * taken before stays.
 */
export class OpenCatalog {
  readonly #database: CatalogDatabase;

  /** @throws DatabaseUnusable */
  constructor(folder: string, log: Parameters<typeof CatalogDatabase.open>[1]) {
    this.#database = CatalogDatabase.open(folder, log, BUSY_TIMEOUT_MS);
    this.#database.writeManyCards();
  }

  /** To be called before the cards of a file are taken. */
  beginImport(source: string): void {
    this.#write(() => this.#database.beginImport(source));
  }

  /** @returns those of the cards that were new or changed */
  take(cards: readonly CatalogCard[], source: string, mayReplace?: MayReplace): CatalogCard[] {
    return this.#write(() => this.#database.upsert(cards, source, mayReplace));
  }

  /** The cards that are offered. */
  rows(): Iterable<CatalogCard> {
    return this.#database.index.rows();
  }

  stats(): CatalogStats {
    return this.#database.index.stats();
  }

  close(): void {
    this.#database.close();
  }

  #write<T>(work: () => T): T {
    const { file } = this.#database;
    if (this.#database.isReplaced())
      throw new CliFailure(`${file} was moved away meanwhile, as the bot does when it is corrupt. Run this again.`);
    try {
      return work();
    } catch (error) {
      if (sqliteCode(error) === undefined || !(error instanceof Error)) throw error;
      throw new CliFailure(`${file} cannot be written (${error.message}).`, { cause: error });
    }
  }
}
