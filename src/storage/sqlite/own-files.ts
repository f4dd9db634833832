import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes sure that a file exists and that only its owner can read it. SQLite's side files inherit these rights. */
export function createOwnFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600)); // SQLite would create it with wider rights
  chmodSync(file, 0o600);
}

/** Does not use `recursive`, with which Node loops for ever where a parent exists but takes no folder, as in /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error; // it exists when another process was faster
  }
}
