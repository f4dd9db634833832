import { tmpdir } from 'node:os';
import { useCompileCache } from '../src/compile-cache.ts';
import { refuseOldNode } from '../src/node-version.ts';

refuseOldNode();
useCompileCache(tmpdir()); // the bots inherit it, so that even the first one starts with compiled code
try {
  await import('./command.ts');
} catch (error) {
  // What the sandbox needs beyond the bot are development packages.
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write('The sandbox needs all packages, not those of the bot alone: run npm ci.\n');
  process.exit(1);
}
