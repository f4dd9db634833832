import type { Logger } from '../../log.ts';
import { CatalogDatabase } from './catalog-database.ts';
import { isCorruption } from './database.ts';

/** Searches wait meanwhile. */
const BUSY_TIMEOUT_MS = 500;
/** The process cannot end meanwhile: Node waits for a thread in a native call. */
const LAST_WRITE_MS = 200;

export interface CatalogFileOptions {
  dataDir: string;
  log: Pick<Logger, 'info' | 'error'>;
  onSucceeded(): void;
  onFailed(err: unknown): void;
  /** The file was corrupt: an empty one is in its place. */
  onReplaced(): void;
}

/** The open catalog of a thread. One that turns out to be corrupt is replaced. */
export class CatalogFile {
  readonly #options: CatalogFileOptions;
  #catalog: CatalogDatabase;
  #isClosing = false;

  /** @throws DatabaseUnusable, DatabaseInUse */
  constructor(options: CatalogFileOptions) {
    this.#options = options;
    this.#catalog = this.#open();
  }

  /** What takes long ends after the piece that it has. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** @returns `undefined` when it failed; it is not thrown */
  attempt<T>(work: (catalog: CatalogDatabase) => T): T | undefined {
    try {
      if (this.#catalog.isReplaced()) this.#startAnew();
      const result = work(this.#catalog);
      this.#options.onSucceeded();
      return result;
    } catch (err) {
      if (isCorruption(err)) this.#startAnew(err);
      else this.#options.onFailed(err);
      return undefined;
    }
  }

  /** @param lastWork another process that writes is not waited for any more */
  close(lastWork: () => void): void {
    this.#isClosing = true;
    this.#catalog.waitAtMost(LAST_WRITE_MS);
    lastWork();
    this.#catalog.close();
  }

  /** @param corruption absent: another process has put a new file in place of this one */
  #startAnew(corruption?: unknown): void {
    if (corruption === undefined) this.#catalog.close();
    else this.#catalog.discard(corruption);
    this.#catalog = this.#open();
    this.#options.onReplaced();
  }

  #open(): CatalogDatabase {
    const { dataDir, log } = this.#options;
    return CatalogDatabase.open(dataDir, log, BUSY_TIMEOUT_MS);
  }
}
