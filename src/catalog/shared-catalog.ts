import { z } from 'zod';
import { SingleRunner, withTimeout } from '../time/timers.ts';
import type { CatalogCard } from './catalog-card.ts';
import { SharedCard } from './shared-card.ts';

/** Cards in one change, so that applying it takes some milliseconds: searches wait for it. */
const CARDS_IN_CHANGE = 100;
/** The other processes offer what one has learned after at most twice this time. */
const EVERY_MS = 1_500;
/** The pause while there is more to read, in which searches can run. */
const PAUSE_MS = 20;
/** Searches wait some 10 ms until this many changes are applied. */
const CHANGES_AT_ONCE = 2;
const PUBLISHED_AT_ONCE = 100;
/** Kept while the others cannot be reached. The oldest are dropped: other processes learn these cards when they need them. */
const MOST_UNPUBLISHED = 1_000;
/** The end of the process waits this long. */
const CLOSE_MS = 100;

/** What one process learned of the catalog, for the others. Applying it twice changes nothing. */
export const SharedChange = z.discriminatedUnion('kind', [
  /** `source`: the import that they came from; absent when the service answered with them. */
  z.object({ kind: z.literal('cards'), cards: z.array(SharedCard), source: z.string().optional() }),
  z.object({ kind: z.literal('denied'), id: z.string(), isKept: z.boolean() }),
  /** An import that was withdrawn begins anew: cards that follow belong to the new one. */
  z.object({ kind: z.literal('import'), source: z.string() }),
]);
export type SharedChange = z.infer<typeof SharedChange>;

/** What several processes know of the catalog, in the order in which they learned it; each keeps an index of its own. */
export interface SharedCatalog {
  /** Tells apart the places that cursors belong to. Holds no secret. */
  readonly name: string;
  /** @throws when it cannot be reached; it may have been stored all the same */
  publish(changes: readonly SharedChange[]): Promise<void>;
  /**
   * What was published after a cursor, of this process too.
   *
   * @param cursor of an earlier call; '' for everything
   * @returns at most `limit` changes, and where they end; none: this is all for now
   * @throws when it cannot be reached
   */
  changesAfter(cursor: string, limit: number): Promise<{ changes: SharedChange[]; cursor: string }>;
}

/** The cards of an import as changes. */
export function* changesOf(cards: readonly CatalogCard[], source: string): Generator<SharedChange> {
  for (let at = 0; at < cards.length; at += CARDS_IN_CHANGE) {
    yield { kind: 'cards', cards: cards.slice(at, at + CARDS_IN_CHANGE), source };
  }
}

/** What other processes have learned, and the cursor behind it. */
export interface SharedNews {
  kind: 'shared';
  changes: readonly SharedChange[];
  cursor: string;
}

/**
 * Tells other processes what this one has learned, and this one what they have. One read of the shared catalog every 1.5 s,
 * and one write for all cards learned since; nothing is thrown: what cannot be done now is done later.
 */
export class CatalogExchange {
  readonly #shared: SharedCatalog;
  readonly #apply: (news: SharedNews) => void;
  readonly #runner = new SingleRunner(() => this.#exchange());
  #unpublished: SharedChange[] = [];
  /** `undefined` while this process applies something, or its catalog is not open. */
  #cursor: string | undefined;
  #next: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param apply gives the own catalog something to apply, which answers with `reached`, when it can */
  constructor(shared: SharedCatalog, apply: (news: SharedNews) => void) {
    this.#shared = shared;
    this.#apply = apply;
  }

  /** This process has learned something. */
  learned(change: SharedChange): void {
    this.#unpublished = [...this.#unpublished.slice(1 - MOST_UNPUBLISHED), change];
    if (this.#next === undefined) this.#in(EVERY_MS);
  }

  /** The own catalog has everything up to a cursor; '' for nothing. */
  reached(cursor: string): void {
    this.#cursor = cursor;
    this.#in(PAUSE_MS);
  }

  /** Publishes what is not published yet, if that can be done at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    await withTimeout(CLOSE_MS, this.#publish()).catch(() => {});
  }

  #in(waitMs: number): void {
    clearTimeout(this.#next);
    if (!this.#isClosed) this.#next = setTimeout(() => void this.#runner.run(), waitMs).unref();
  }

  async #exchange(): Promise<void> {
    this.#in(EVERY_MS);
    try {
      await this.#publish();
      await this.#read();
    } catch {
      // the link to the other processes has logged why
    }
  }

  async #publish(): Promise<void> {
    while (this.#unpublished.length > 0) {
      const changes = this.#unpublished.slice(0, PUBLISHED_AT_ONCE);
      await this.#shared.publish(changes);
      const isPublished = new Set(changes);
      this.#unpublished = this.#unpublished.filter((change) => !isPublished.has(change));
    }
  }

  async #read(): Promise<void> {
    const from = this.#cursor;
    if (from === undefined) return;
    const { changes, cursor } = await this.#shared.changesAfter(from, CHANGES_AT_ONCE);
    if (cursor === from || this.#cursor !== from || this.#isClosed) return;
    this.#cursor = undefined;
    this.#apply({ kind: 'shared', changes, cursor });
  }
}
