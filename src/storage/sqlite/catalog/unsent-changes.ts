import type { CatalogChange } from './messages.ts';

/** A message to another thread costs 0.1 ms and more, which a command would wait for: several changes go in one. */
const GATHER_MS = 50;
/** How many are kept while the file cannot be opened; then the oldest are dropped. */
const MOST_KEPT = 1_000;

/** What the catalog's worker is still to be told. */
export class UnsentChanges {
  readonly #send: (changes: readonly CatalogChange[]) => void;
  #gathered: CatalogChange[] = [];
  #gathering: NodeJS.Timeout | undefined;
  /** Kept until the file is open, because a worker that cannot open it loses what it was sent. */
  #kept: CatalogChange[] = [];
  #isOpen = false;

  /** @param send to the worker, if there is one */
  constructor(send: (changes: readonly CatalogChange[]) => void) {
    this.#send = send;
  }

  /** Whether a new worker would have nothing to be told. */
  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  add(change: CatalogChange): void {
    if (!this.#isOpen) this.#kept = [...this.#kept.slice(1 - MOST_KEPT), change];
    this.#gathered.push(change);
    this.#gathering ??= setTimeout(() => this.flush(), GATHER_MS).unref(); // whoever closes the worker flushes
  }

  /** Sends what was gathered. To be called before anything is sent that depends on it. */
  flush(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const changes = this.#gathered.splice(0);
    if (changes.length > 0) this.#send(changes);
  }

  /** A worker has begun: it is sent all that is kept. */
  workerStarted(): void {
    this.#gathered = [...this.#kept];
    this.flush();
  }

  /** The worker has opened the file, and loses nothing that it is sent. */
  workerOpened(): void {
    this.#isOpen = true;
    this.#kept = [];
  }

  /** What it was not sent yet is kept for the next one. */
  workerEnded(): void {
    if (this.#isOpen) this.#kept = this.#gathered;
    this.#isOpen = false;
    this.#gathered = [];
  }
}
