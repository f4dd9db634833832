import { setTimeout as sleep } from 'node:timers/promises';
import type { CatalogCard, CatalogRow, CatalogStats } from '../../catalog/catalog-card.ts';
import type { SharedChange } from '../../catalog/shared-catalog.ts';
import { CatalogDatabase } from '../../storage/sqlite/catalog/database.ts';
import { BUSY_CODE, DatabaseInUse, DatabaseUnusable, sqliteCode } from '../../storage/sqlite/database.ts';
import { CliFailure } from '../context.ts';

/** The catalog as this program uses it. Methods throw CatalogUnusable. */
export interface OpenCatalog {
  /** To be called before the cards of a file are taken. */
  beginImport(source: string): Promise<void>;
  /** @returns those of the cards that were new or changed */
  take(cards: readonly CatalogCard[], source: string): Promise<CatalogCard[]>;
  /** The cards that are offered. */
  rows(): Iterable<CatalogRow>;
  stats(): CatalogStats;
  close(): Promise<void>;
}

/** The message is a sentence for the operator. What was taken before stays. */
export class CatalogUnusable extends CliFailure {
  override name = 'CatalogUnusable';
}

/** Besides what each attempt waits: another import leaves the lock for a moment after each batch. */
const RETRY_MS = 20;
const RETRIES = 10;

/** The catalog in a `DATA_DIR`, which the bot and other imports may use at the same time. */
export class FileCatalog implements OpenCatalog {
  readonly #database: CatalogDatabase;

  /** @throws CatalogUnusable */
  constructor(dataDir: string, log: Parameters<typeof CatalogDatabase.open>[1]) {
    try {
      this.#database = CatalogDatabase.open(dataDir, log);
    } catch (error) {
      if (!(error instanceof DatabaseInUse || error instanceof DatabaseUnusable)) throw error;
      throw new CatalogUnusable(error.message, { cause: error });
    }
    this.#database.writeManyCards();
  }

  beginImport(source: string): Promise<void> {
    return this.#write(() => this.#database.beginImport(source));
  }

  take(cards: readonly CatalogCard[], source: string): Promise<CatalogCard[]> {
    return this.#write(() => this.#database.upsert(cards, source));
  }

  rows(): Iterable<CatalogRow> {
    return this.#database.rows();
  }

  stats(): CatalogStats {
    return this.#database.stats();
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  /** What another process has published. */
  apply(change: SharedChange): Promise<void> {
    return this.#write(() => void this.#database.apply(change));
  }

  async #write<T>(work: () => T): Promise<T> {
    const { file } = this.#database;
    if (this.#database.isReplaced())
      throw new CatalogUnusable(
        `${file} was moved away meanwhile, as the bot does when it is corrupt. Run this again.`,
      );
    for (let attempt = 1; ; attempt++) {
      try {
        return work();
      } catch (error) {
        const code = sqliteCode(error);
        if (code === undefined) throw error;
        if (code === BUSY_CODE && attempt <= RETRIES) await sleep(RETRY_MS);
        else throw new CatalogUnusable(`${file} cannot be written (${messageOf(error)}).`, { cause: error });
      }
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
