import { type CatalogChange, CatalogChanges } from './changes.ts';
import { CatalogFile, type CatalogFileOptions } from './file.ts';
import type { CatalogWorkerData, FromWorker } from './worker.ts';

export interface LastChangesOptions extends CatalogWorkerData {
  log: CatalogFileOptions['log'];
  /** What a worker would have told. */
  tell(what: FromWorker): void;
}

/**
 * Writes what was learned before any worker began, in this thread: to start one for nothing else takes longer. Waits less
 * than a second for another process that writes. Nothing is thrown.
 */
export function writeLastChanges(changes: readonly CatalogChange[], options: LastChangesOptions): void {
  const { dataDir, log, keepsMembers, sharedName, tell } = options;
  const onFailed = (err: unknown) => tell({ kind: 'failed', err });
  try {
    const file = new CatalogFile({ dataDir, log, onFailed, onSucceeded() {}, onReplaced() {} });
    const last = new CatalogChanges({ file, keepsMembers, sharedName, tell });
    file.close(() => last.take(changes));
  } catch (err) {
    onFailed(err);
  }
}
