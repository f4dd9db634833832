import type { SharedChange } from '../../catalog/shared-catalog.ts';
import type { CatalogDatabase } from './catalog-database.ts';

/** Takes what another process has learned. @returns the name of the import that is withdrawn by it, if any */
export function applyShared(catalog: CatalogDatabase, change: SharedChange): string | undefined {
  switch (change.kind) {
    case 'cards':
      catalog.upsert(change.cards, change.source);
      return undefined;
    case 'denied':
      return catalog.deny(change.id, change.isKept);
    case 'import':
      catalog.imports.begin(change.source);
      return undefined;
  }
}
