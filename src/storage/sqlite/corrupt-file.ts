import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import { KEPT_DAYS } from '../../quota/kept-days.ts';
import { DAY_MS, utcDay } from '../../time/utc-day.ts';
import { createOwnFile } from './own-files.ts';

/** Moving a file takes some milliseconds. */
const LOCK_TIMEOUT_MS = 1_000;
const MOVED_ASIDE = /\.sqlite\.corrupt-(\d{4}-\d{2}-\d{2})T/;

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

/** A file that was found corrupt. */
export interface CorruptFile {
  file: string;
  inode: number | undefined;
  /** The connection that found it. */
  database: DatabaseSync;
  corruption: unknown;
}

/**
 * Closes a corrupt file, and keeps it under another name. Of several processes that find the same file corrupt, one moves
 * it; the others do nothing, and find a new file in its place.
 */
export function moveAside(
  { file, inode, database, corruption }: CorruptFile,
  { log, lossMeans }: CorruptFileOptions,
): void {
  try {
    withLock(`${file}.lock`, () => {
      // Not before: the last connection to a file deletes its write-ahead log by name, which may be the new file's by then.
      database.close();
      if (inodeOf(file) !== inode) return;
      const movedTo = `${file}.corrupt-${new Date().toISOString().replaceAll(':', '-')}`;
      // The file itself last: until then, whoever opens it finds it corrupt, too, and waits for the lock.
      for (const ending of ['-wal', '-shm', '']) {
        if (existsSync(file + ending)) renameSync(file + ending, movedTo + ending);
      }
      log.error({ err: corruption, file, movedTo }, `database file is corrupt and was moved aside: ${lossMeans}`);
    });
  } finally {
    if (database.isOpen) database.close();
  }
}

/** A lock that ends with its process, even when that is killed. The empty lock file stays. */
function withLock(lockFile: string, work: () => void): void {
  createOwnFile(lockFile);
  using lock = new DatabaseSync(lockFile);
  lock.exec(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}; BEGIN EXCLUSIVE`);
  work();
}

/**
 * Removes damaged files that were moved aside long ago: they hold members' ids, and none is kept for longer than the counts
 * in it would have been. Does not throw.
 */
export function removeOldDamage(folder: string, nowMs: number): void {
  const oldestDay = utcDay(nowMs - KEPT_DAYS * DAY_MS);
  try {
    for (const name of readdirSync(folder)) {
      const [, day] = MOVED_ASIDE.exec(name) ?? [];
      if (day !== undefined && day < oldestDay) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // There is no folder yet, or it cannot be written: tried again the next day or at the next start.
  }
}
