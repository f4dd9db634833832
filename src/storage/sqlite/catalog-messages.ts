import type { CatalogCard } from '../../catalog/catalog-card.ts';
import type { Question } from '../../catalog/search-queue.ts';
import type { Requester } from '../../model/quota.ts';

/** What the worker is started with. */
export interface CatalogWorkerData {
  dataDir: string;
  /** Whether it may be kept what a member asked for. */
  keepsMembers: boolean;
  /** How the keys of this service's cards begin in `cards.sqlite`. */
  cardKeys: string;
}

/** Something that the catalog is told. */
export type CatalogChange =
  | { kind: 'learn'; card: CatalogCard }
  | { kind: 'deny'; id: string; isKept: boolean }
  | { kind: 'asked'; id: string; who: Requester; atMs: number };

export type ToWorker = Question | { kind: 'change'; change: CatalogChange } | { kind: 'close' };

export type FromWorker =
  /** `undefined`: the question failed. */
  | { kind: 'answer'; answer: unknown }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; fields: object; message: string }
  | { kind: 'failed'; err: unknown }
  | { kind: 'succeeded' };
