import { existsSync } from 'node:fs';
import type { Logger } from '../../../log.ts';
import { isCorruption } from '../file.ts';
import { CatalogDatabase } from './database.ts';

/** Searches wait while a statement waits for another process that writes. */
const BUSY_TIMEOUT_MS = 500;
/** Shorter at the end, because the process cannot end while a thread is in a native call. */
const LAST_WRITE_MS = 200;

export interface CatalogFileOptions {
  dataDir: string;
  log: Pick<Logger, 'info' | 'error'>;
  onSucceeded(): void;
  onFailed(err: unknown): void;
  /** The file was corrupt: an empty one is in its place. */
  onReplaced(): void;
}

/**
 * The catalog of a thread. A file that turns out to be corrupt is replaced; what cannot be opened now is tried again.
 */
export class CatalogFile {
  readonly #options: CatalogFileOptions;
  /** `undefined` after it was corrupt, or could not be opened anew: the next attempt does. */
  #catalog: CatalogDatabase | undefined;
  #isClosing = false;

  /** @throws DatabaseUnusable */
  constructor(options: CatalogFileOptions) {
    this.#options = options;
    this.#catalog = CatalogDatabase.open(options.dataDir, options.log, BUSY_TIMEOUT_MS);
  }

  /** Whether long work has to stop after its current piece. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** @returns `undefined` when it failed; it is not thrown */
  attempt<T>(work: (catalog: CatalogDatabase) => T): T | undefined {
    try {
      const result = work(this.#current());
      this.#options.onSucceeded();
      return result;
    } catch (err) {
      if (isCorruption(err)) this.#replace(err);
      else this.#options.onFailed(err);
      return undefined;
    }
  }

  /** @param lastWork waits for another process that writes for 0.2 s at most */
  close(lastWork: () => void): void {
    this.#isClosing = true;
    this.#catalog?.waitAtMost(LAST_WRITE_MS);
    lastWork();
    this.#catalog?.close();
  }

  /** Opens the file anew when it was corrupt, or another process has replaced it. */
  #current(): CatalogDatabase {
    const { dataDir, log, onReplaced } = this.#options;
    if (this.#catalog?.isReplaced()) {
      const { file } = this.#catalog;
      if (!existsSync(file))
        log.error({ file }, 'the catalog was deleted while the bot runs: its lists have to be imported again');
      this.#letGo()?.close();
    }
    if (this.#catalog) return this.#catalog;
    this.#catalog = CatalogDatabase.open(dataDir, log, BUSY_TIMEOUT_MS);
    onReplaced();
    return this.#catalog;
  }

  #replace(corruption: unknown): void {
    try {
      this.#letGo()?.discard(corruption);
      this.#current();
    } catch (err) {
      this.#options.onFailed(err);
    }
  }

  /** Forgets the catalog before anything can fail, so that it is not closed twice. */
  #letGo(): CatalogDatabase | undefined {
    const catalog = this.#catalog;
    this.#catalog = undefined;
    return catalog;
  }
}
