import type { SharedChange } from '../../../catalog/shared-catalog.ts';
import { applyShared } from './apply-shared.ts';
import type { CatalogDatabase } from './database.ts';
import type { CatalogFile } from './file.ts';
import type { CatalogChange } from './messages.ts';

const RETRY_MS = 1_000;
/** Changes that wait while the disk is full. The oldest are dropped. */
const MOST_UNWRITTEN = 1_000;

export interface CatalogChangesOptions {
  file: CatalogFile;
  /** Whether what a member asked for may be kept. */
  keepsMembers: boolean;
  /** Names the position in what processes share. */
  sharedName: string;
  /** This process was the first to learn it. */
  onNews(change: SharedChange): void;
  /** The catalog now has everything that was shared up to a cursor. */
  onReached(cursor: string): void;
  /** An import has turned out to have ids that are not the service's: its cards are no longer offered. */
  onWithdrawn(source: string): void;
  /** The service knows a card of such an import after all: all its cards are offered again. */
  onOfferedAgain(source: string): void;
}

/** Writes changes to the catalog, all that wait in one transaction; what cannot be written now is tried again. */
export class CatalogChanges {
  readonly #options: CatalogChangesOptions;
  #unwritten: CatalogChange[] = [];
  #retry: NodeJS.Timeout | undefined;
  /** Called after the commit, because a transaction may be rolled back and repeated. */
  #onceWritten: (() => void)[] = [];

  constructor(options: CatalogChangesOptions) {
    this.#options = options;
  }

  take(changes: readonly CatalogChange[]): void {
    for (const change of changes) {
      if (this.#unwritten.length >= MOST_UNWRITTEN) this.#unwritten.splice(this.#unwritten.findIndex(mayBeDropped), 1);
      this.#unwritten.push(change);
    }
    if (this.#retry === undefined) this.#write();
  }

  /** Tries a last time to write. */
  end(): void {
    clearTimeout(this.#retry);
    this.#write();
  }

  /** Writes all that waits, or nothing of it. */
  #write(): void {
    if (this.#unwritten.length === 0) return;
    const { file } = this.#options;
    this.#onceWritten = [];
    const isWritten = file.attempt((catalog) =>
      catalog.inTransaction(() => {
        const before = catalog.imports.withdrawn();
        for (const change of this.#unwritten) this.#apply(catalog, change);
        this.#compare(before, catalog.imports.withdrawn());
        return true;
      }),
    );
    if (isWritten) {
      this.#unwritten = [];
      for (const tell of this.#onceWritten) tell();
    } else if (!file.isClosing)
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#write();
      }, RETRY_MS);
  }

  #apply(catalog: CatalogDatabase, change: CatalogChange): void {
    const { keepsMembers, sharedName, onReached } = this.#options;
    if (change.kind === 'asked') catalog.asked.add(change.id, change.who, change.atMs, keepsMembers, change.isPrivate);
    else if (change.kind === 'learn') {
      const cards = catalog.upsert([change.card], undefined);
      if (cards.length > 0) this.#tellOthers({ kind: 'cards', cards });
    } else if (change.kind === 'deny') {
      const { id, isKept } = change;
      if (catalog.isKnown(id)) this.#tellOthers({ kind: 'denied', id, isKept });
      catalog.deny(id, isKept);
    } else {
      const { changes, cursor } = change;
      for (const each of changes) applyShared(catalog, each);
      catalog.positions.set(sharedName, cursor);
      this.#onceWritten.push(() => onReached(cursor));
    }
  }

  #tellOthers(change: SharedChange): void {
    this.#onceWritten.push(() => this.#options.onNews(change));
  }

  /** Which imports are withdrawn now, and which no longer. */
  #compare(before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>): void {
    const { onWithdrawn, onOfferedAgain } = this.#options;
    for (const [row, source] of after) if (!before.has(row)) this.#onceWritten.push(() => onWithdrawn(source));
    for (const [row, source] of before) if (!after.has(row)) this.#onceWritten.push(() => onOfferedAgain(source));
  }
}

/** What other processes learned is never dropped: more of it is read only after it is written. */
function mayBeDropped({ kind }: CatalogChange): boolean {
  return kind !== 'shared';
}
