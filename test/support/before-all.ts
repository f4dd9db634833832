import { fillCompileCache } from './compile-cache.ts';
import { writeToMemory } from './in-memory.ts';

/** vitest's `globalSetup`, in the process that starts the workers: they inherit its environment. */
export async function setup(): Promise<() => void> {
  await fillCompileCache();
  return writeToMemory();
}
