import { catalogCardOf } from '../../../catalog/catalog-card.ts';
import type { SharedChange, SharedNews } from '../../../catalog/shared-catalog.ts';
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

/** Something that the catalog is told: what the service answered, what other processes learned, what a member asked for. */
export type CatalogChange =
  | SharedChange
  | SharedNews
  | { kind: 'answered'; card: Card }
  | { kind: 'asked'; id: string; who: Requester; isPrivate: boolean; atMs: number };

/** What there is to tell once changes are written. */
export type Told =
  /** This process was the first to learn it. */
  | { kind: 'news'; change: SharedChange }
  /** The catalog has what other processes published up to this cursor. */
  | { kind: 'reached'; cursor: string }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; fields: object; message: string };

export interface CatalogChangesOptions {
  file: CatalogFile;
  /** Whether what a member asked for may be kept. */
  keepsMembers: boolean;
  /** Names the position in what processes share. */
  sharedName: string;
  tell(what: Told): void;
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
    this.#retry = undefined;
    if (this.#unwritten.length === 0) return;
    const { file, tell } = this.#options;
    const told = file.attempt((catalog) =>
      catalog.inTransaction(() => {
        const before = catalog.imports.withdrawn();
        const of = this.#unwritten.flatMap((change) => this.#apply(catalog, change) ?? []);
        return [...of, ...changesOfOffer(before, catalog.imports.withdrawn())];
      }),
    );
    if (told) {
      this.#unwritten = [];
      for (const what of told) tell(what);
    } else if (!file.isClosing) this.#retry = setTimeout(() => this.#write(), RETRY_MS);
  }

  #apply(catalog: CatalogDatabase, change: CatalogChange): Told | undefined {
    const { keepsMembers, sharedName } = this.#options;
    if (change.kind === 'asked') {
      catalog.asked.add(change.id, change.who, change.atMs, keepsMembers, change.isPrivate);
      return undefined;
    }
    if (change.kind === 'shared') {
      for (const each of change.changes) catalog.apply(each);
      catalog.setPosition(sharedName, change.cursor);
      return { kind: 'reached', cursor: change.cursor };
    }
    const news = catalog.apply(
      change.kind === 'answered' ? { kind: 'cards', cards: [catalogCardOf(change.card)] } : change,
    );
    return news && { kind: 'news', change: news };
  }
}

/** What other processes learned is never dropped: more of it is read only after it is written. */
function mayBeDropped({ kind }: CatalogChange): boolean {
  return kind !== 'shared';
}

/** Which imports are withdrawn now, and which no longer: their names by row, before and after. */
function changesOfOffer(before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>): Told[] {
  const told = (withdrawn: typeof before, others: typeof before, level: 'warn' | 'info', message: string) =>
    [...withdrawn]
      .filter(([row]) => !others.has(row))
      .map(([, source]): Told => ({ kind: 'log', level, fields: { source }, message }));
  return [...told(after, before, 'warn', WITHDRAWN), ...told(before, after, 'info', OFFERED_AGAIN)];
}
