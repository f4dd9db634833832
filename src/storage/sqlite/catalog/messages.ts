import type { CatalogCard } from '../../../catalog/catalog-card.ts';
import type { Question } from '../../../catalog/search-queue.ts';
import type { SharedChange } from '../../../catalog/shared-catalog.ts';
import type { Requester } from '../../../model/quota.ts';

/** What the worker is started with. */
export interface CatalogWorkerData {
  dataDir: string;
  /** Whether what a member asked for may be kept. */
  keepsMembers: boolean;
  /** How the keys of this service's cards begin in `cards.sqlite`. */
  cardKeys: string;
  /** Names the catalog's position in what processes share. */
  sharedName: string;
}

/** Something that the catalog is told. */
export type CatalogChange =
  | { kind: 'learn'; card: CatalogCard }
  | { kind: 'deny'; id: string; isKept: boolean }
  | { kind: 'asked'; id: string; who: Requester; isPrivate: boolean; atMs: number }
  /** What other processes have learned, up to a cursor. */
  | { kind: 'shared'; changes: readonly SharedChange[]; cursor: string };

export type ToWorker = Question | { kind: 'changes'; changes: readonly CatalogChange[] } | { kind: 'close' };

export type FromWorker =
  /** The file is open: no change is lost from here on. */
  | { kind: 'opened' }
  /** `undefined`: the question failed. */
  | { kind: 'answer'; answer: unknown }
  /** This process was the first to learn it. */
  | { kind: 'news'; change: SharedChange }
  /** The catalog has what other processes published up to this cursor. */
  | { kind: 'reached'; cursor: string }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; fields: object; message: string }
  | { kind: 'failed'; err: unknown }
  | { kind: 'succeeded' };
