import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The Redis or Valkey that is installed here; `undefined` when there is none on PATH. */
export function redisServerBinary(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name))).find(canRun);
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
