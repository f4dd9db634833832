import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './sqlite/own-files.ts';

/**
 * Whether the ids of the last start in this `DATA_DIR` were another card service's; notes whose they are now. To be called
 * before the state is opened. @throws errors of the file system
 */
export function isOtherService(dataDir: string, scope = ''): boolean {
  const file = join(dataDir, 'card-service');
  const isFirst = !existsSync(join(dataDir, 'state.sqlite'));
  const before = existsSync(file) ? readFileSync(file, 'utf8') : isFirst ? scope : '';
  if (before !== scope || (isFirst && scope !== '')) {
    makeFolder(dataDir);
    writeFileSync(file, scope, { mode: 0o600 });
  }
  return before !== scope;
}
