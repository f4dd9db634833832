import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { fillCompileCache } from './compile-cache.ts';

/** Linux keeps this folder in memory. In a container it often has 64 MB, which is too little. */
const IN_MEMORY = '/dev/shm';
const NEEDED_MB = 512;

/** vitest's `globalSetup`, in the process that starts the workers: they inherit its environment. */
export async function setup(): Promise<() => void> {
  await fillCompileCache();
  return writeToMemory();
}

/**
 * Makes `tmpdir()` a folder in memory where there is one, because the tests' databases need not wait for a disk. Returns
 * what removes it.
 */
function writeToMemory() {
  if (!existsSync(IN_MEMORY)) return () => {};
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  if (bavail * bsize < NEEDED_MB * 1_048_576) return () => {};
  const folder = mkdtempSync(join(IN_MEMORY, 'cardbot-tests-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
