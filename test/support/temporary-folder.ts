import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFinished } from './on-finished.ts';

/** An empty folder, which is gone when the test or, from `beforeAll`, the file ends, unless `over` says otherwise. */
export function temporaryFolder(name = 'test', over = onFinished): string {
  const folder = mkdtempSync(join(tmpdir(), `cardbot-${name}-`));
  over(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
