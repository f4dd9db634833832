import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import { KEPT_DAYS } from '../../quota/kept-days.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import { type FoundFile, inodeOf, moveAside } from './corrupt-file.ts';

/** Raised by each change of a table, of what is in a row, or of how names become words: a file has it as `user_version`. */
const VERSIONS: Readonly<Record<string, number>> = { 'state.sqlite': 6, 'cards.sqlite': 1, 'catalog.sqlite': 3 };

/** The version of a file of this name that is read and written. */
export function versionToRead(file: string): number {
  return VERSIONS[basename(file)] ?? 0;
}

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/**
 * Moves a file aside that another version of the bot has written.
 *
 * @returns whether it was one: it is closed then
 * @throws errors of SQLite and of the file system
 */
export function moveOldAside(found: FoundFile, log: Pick<Logger, 'info'>): boolean {
  const { file, database } = found;
  const version = versionOf(database);
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (isEmpty || version === versionToRead(file)) return false;
  const movedTo = moveAside(found, `v${version}-old`);
  if (movedTo !== undefined)
    log.info(
      { file, movedTo },
      `a file of another version is not read: it is deleted ${KEPT_DAYS} days after its last use`,
    );
  return true;
}

/** The same for all files of a `DATA_DIR`, those that this process does not open, too. */
export function moveOldFilesAside(dataDir: string, log: Pick<Logger, 'info'>): void {
  for (const file of filesIn(dataDir, /^(names-[^/]*\/)?[^/]*\.sqlite$/)) {
    if (versionToRead(file) === 0) continue;
    try {
      using database = new DatabaseSync(file);
      moveOldAside({ file, inode: inodeOf(file), database }, log);
    } catch {
      // It is in use, or broken: whoever opens it says so.
    }
  }
}

/** What was moved aside in a `DATA_DIR`, as damaged or of another version, or was never finished. */
export function filesAside(dataDir: string): string[] {
  return filesIn(dataDir, /\.sqlite\.(corrupt-|v.*-old)|\.unfinished$/);
}

function filesIn(folder: string, form: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((name) => form.test(name))
    .map((name) => join(folder, name));
}

/** Deletes what was moved aside, and copies, if last written so long ago that no count in it would be kept. Does not throw. */
export function deleteFilesAside(dataDir: string, nowMs: number): void {
  try {
    const copies = filesIn(dataDir, /^backups\/state-[^/]*\.sqlite$/);
    for (const file of [...filesAside(dataDir), ...copies]) {
      const { mtimeMs } = statSync(file);
      if (nowMs - mtimeMs > KEPT_DAYS * DAY_MS) rmSync(file);
    }
  } catch {
    // Another process was faster, or it cannot be deleted: it is tried again an hour later.
  }
}
