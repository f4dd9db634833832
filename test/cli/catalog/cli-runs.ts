import { join } from 'node:path';
import { run } from '../run.ts';

/** Runs `npm run catalog -- ARGS` in this process, with files relative to `folder` and the catalog in `folder/data`. */
export function runCatalog(folder: string, args: readonly string[], outside: Parameters<typeof run>[1] = {}) {
  const env = { DATA_DIR: join(folder, 'data'), ...outside.env };
  return run(['catalog', ...args], { ...outside, env, folder });
}

/** What `export` writes. */
export async function exported(folder: string, env = {}): Promise<unknown[]> {
  const { out } = await runCatalog(folder, ['export'], { env });
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
