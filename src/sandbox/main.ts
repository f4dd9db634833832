import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Where Node keeps it by default. The bots inherit it, so that even the first one starts with compiled code.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
enableCompileCache();
/** What the sandbox needs beyond the bot are development packages. */
try {
  await import('./command.ts');
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write('The sandbox needs all packages, not those of the bot alone: run npm ci.\n');
  process.exit(1);
}
