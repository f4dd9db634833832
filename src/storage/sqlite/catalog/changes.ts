import { catalogCardOf } from '../../../catalog/catalog-card.ts';
import type { Logger } from '../../../log.ts';
import type { Card } from '../../../model/card.ts';
import type { Requester } from '../../../model/quota.ts';
import type { CatalogDatabase } from './database.ts';
import type { CatalogFile } from './file.ts';

const RETRY_MS = 1_000;
/** Changes that wait while the disk is full. The oldest are dropped. */
const MOST_UNWRITTEN = 1_000;
const WITHDRAWN =
  'the card service knows none of the cards that were looked up from an import: its cards are no longer offered';
const OFFERED_AGAIN = 'the card service knows a card of an import after all: its cards are offered again';

/** Something that the catalog is told: what the service answered, what a member asked for. */
export type CatalogChange =
  | { kind: 'answered'; card: Card }
  /** `isKept`: a copy of the card is kept. */
  | { kind: 'denied'; id: string; isKept: boolean }
  | { kind: 'asked'; id: string; who: Requester; isPrivate: boolean; atMs: number };

export interface CatalogChangesOptions {
  file: CatalogFile;
  /** Whether what a member asked for may be kept. */
  keepsMembers: boolean;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Writes changes to the catalog, all that wait in one transaction; what cannot be written now is tried again. */
export class CatalogChanges {
  readonly #options: CatalogChangesOptions;
  #unwritten: CatalogChange[] = [];
  #retry: NodeJS.Timeout | undefined;

  constructor(options: CatalogChangesOptions) {
    this.#options = options;
  }

  take(changes: readonly CatalogChange[]): void {
    for (const change of changes) {
      if (this.#unwritten.length >= MOST_UNWRITTEN) this.#unwritten.shift();
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
    this.#retry = undefined;
    if (this.#unwritten.length === 0) return;
    const { file, log } = this.#options;
    const imports = file.attempt((catalog) =>
      catalog.inTransaction(() => {
        const before = catalog.imports.withdrawn();
        for (const change of this.#unwritten) this.#apply(catalog, change);
        return { before, after: catalog.imports.withdrawn() };
      }),
    );
    if (imports) {
      this.#unwritten = [];
      const { before, after } = imports;
      for (const source of othersThan(before, after)) log.warn({ source }, WITHDRAWN);
      for (const source of othersThan(after, before)) log.info({ source }, OFFERED_AGAIN);
    } else if (!file.isClosing) this.#retry = setTimeout(() => this.#write(), RETRY_MS);
  }

  #apply(catalog: CatalogDatabase, change: CatalogChange): void {
    if (change.kind === 'answered') catalog.upsert([catalogCardOf(change.card)], undefined);
    else if (change.kind === 'denied') catalog.deny(change.id, change.isKept);
    else catalog.asked.add(change.id, change.who, change.atMs, this.#options.keepsMembers, change.isPrivate);
  }
}

/** The names of imports, by their rows, that are not among the former. */
function othersThan(former: ReadonlyMap<number, string>, imports: ReadonlyMap<number, string>): string[] {
  return [...imports].flatMap(([row, name]) => (former.has(row) ? [] : name));
}
