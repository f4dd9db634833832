import type { SharedChange } from '../../../catalog/shared-catalog.ts';
import type { CatalogDatabase } from './database.ts';

/** Takes what another process has learned. */
export function applyShared(catalog: CatalogDatabase, change: SharedChange): void {
  switch (change.kind) {
    case 'cards':
      catalog.upsert(change.cards, change.source);
      break;
    case 'denied':
      catalog.deny(change.id, change.isKept);
      break;
    case 'import':
      catalog.imports.begin(change.source);
  }
}
