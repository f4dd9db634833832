import type { CatalogCard, CatalogStats } from '../../catalog/catalog-card.ts';
import { changesOf, type SharedChange } from '../../catalog/shared-catalog.ts';
import { CatalogDatabase } from '../../storage/sqlite/catalog/database.ts';
import type { MayReplace } from '../../storage/sqlite/catalog/rows.ts';
import { sqliteCode } from '../../storage/sqlite/database.ts';
import { CliFailure } from '../context.ts';

/** Another import leaves the lock for a moment after each batch. */
const BUSY_TIMEOUT_MS = 60_000;

interface CatalogOptions {
  log: Parameters<typeof CatalogDatabase.open>[1];
  /** Tells other processes what this one takes. */
  publish?: (changes: readonly SharedChange[]) => Promise<void>;
  /** Called at the end. */
  onClose?: () => Promise<void>;
}

/**
 * The catalog in a folder, which the bot and other imports may use at the same time. Methods throw CliFailure; what was
 * taken before stays.
 */
export class OpenCatalog {
  readonly #database: CatalogDatabase;
  readonly #publish: (changes: readonly SharedChange[]) => Promise<void>;
  readonly #onClose: () => Promise<void>;

  /** @throws DatabaseInUse, DatabaseUnusable */
  constructor(folder: string, { log, publish = async () => {}, onClose = async () => {} }: CatalogOptions) {
    this.#database = CatalogDatabase.open(folder, log, BUSY_TIMEOUT_MS);
    this.#database.writeManyCards();
    this.#publish = publish;
    this.#onClose = onClose;
  }

  /** To be called before the cards of a file are taken. */
  async beginImport(source: string): Promise<void> {
    if ([...this.#database.imports.withdrawn().values()].includes(source))
      await this.#publish([{ kind: 'import', source }]);
    this.#write(() => this.#database.beginImport(source));
  }

  /** @returns those of the cards that were new or changed */
  async take(cards: readonly CatalogCard[], source: string, mayReplace?: MayReplace): Promise<CatalogCard[]> {
    const news = this.#write(() => this.#database.upsert(cards, source, mayReplace));
    await this.#publish([...changesOf(news, source)]);
    return news;
  }

  /** Takes what another process has published. */
  apply(change: SharedChange): void {
    this.#write(() => this.#database.apply(change));
  }

  /** The cards that are offered. */
  rows(): Iterable<CatalogCard> {
    return this.#database.index.rows();
  }

  stats(): CatalogStats {
    return this.#database.index.stats();
  }

  async close(): Promise<void> {
    this.#database.close();
    await this.#onClose();
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
