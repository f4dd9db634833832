import { existsSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import { createOwnFile } from './own-files.ts';

/** Moving a file takes some milliseconds. */
const LOCK_TIMEOUT_MS = 1_000;

export interface CorruptFileOptions {
  log: Pick<Logger, 'error'>;
  /** What losing the file means, for the log. */
  lossMeans: string;
}

/** Tells a file from another that has taken its place; `undefined` when there is none. */
export function inodeOf(file: string): number | undefined {
  try {
    return statSync(file).ino;
  } catch {
    return undefined;
  }
}

/** A file that cannot be used. */
export interface FoundFile {
  file: string;
  inode: number | undefined;
  /** The connection that found it. */
  database: DatabaseSync;
}

/**
 * Closes a file, and keeps it under another name. Of several processes that find the same file, one moves it; the others do
 * nothing, and find a new file in its place.
 *
 * @returns its new name; `undefined` when another process has moved it
 */
export function moveAside({ file, inode, database }: FoundFile, ending: string): string | undefined {
  try {
    return withLock(`${file}.lock`, () => {
      // Not before: the last connection to a file deletes its write-ahead log by name, which may be the new file's by then.
      database.close();
      if (inodeOf(file) !== inode) return undefined;
      const movedTo = `${file}.${ending}`;
      // The file itself last: until then, whoever opens it finds the same, too, and waits for the lock.
      for (const side of ['-wal', '-shm', '']) {
        if (existsSync(file + side)) renameSync(file + side, movedTo + side);
      }
      return movedTo;
    });
  } finally {
    if (database.isOpen) database.close();
  }
}

/** Moves a corrupt file aside, with an error in the log. */
export function moveCorruptAside(found: FoundFile, err: unknown, { log, lossMeans }: CorruptFileOptions): void {
  const movedTo = moveAside(found, `corrupt-${new Date().toISOString().replaceAll(':', '-')}`);
  if (movedTo !== undefined)
    log.error({ err, file: found.file, movedTo }, `database file is corrupt and was moved aside: ${lossMeans}`);
}

/** A lock that ends with its process, even when that is killed. The empty lock file stays. */
function withLock<T>(lockFile: string, work: () => T): T {
  createOwnFile(lockFile);
  using lock = new DatabaseSync(lockFile);
  lock.exec(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}; BEGIN EXCLUSIVE`);
  return work();
}
