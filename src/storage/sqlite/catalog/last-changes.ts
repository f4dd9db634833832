import type { Logger } from '../../../log.ts';
import { type CatalogChange, CatalogChanges } from './changes.ts';
import { CatalogFile, type CatalogFileOptions } from './file.ts';
import type { CatalogWorkerData } from './worker.ts';

export interface LastChangesOptions extends CatalogWorkerData {
  log: Logger;
  onFailed: CatalogFileOptions['onFailed'];
}

/**
 * Writes what was learned before any worker began, in this thread: to start one for nothing else takes longer. Waits
 * less than a second for another process that writes. Nothing is thrown.
 */
export function writeLastChanges(changes: readonly CatalogChange[], options: LastChangesOptions): void {
  const { dataDir, log, keepsMembers, onFailed } = options;
  try {
    const file = new CatalogFile({ dataDir, log, onFailed, onSucceeded() {}, onReplaced() {} });
    const last = new CatalogChanges({ file, keepsMembers, log });
    file.close(() => last.take(changes));
  } catch (err) {
    onFailed(err);
  }
}
