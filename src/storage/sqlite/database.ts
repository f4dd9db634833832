import { chmodSync, closeSync, existsSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../log.ts';

/** Result codes of SQLite that mean "this file is no database any more": SQLITE_CORRUPT and SQLITE_NOTADB. */
const CORRUPT_CODE = 11;
const BROKEN_FILE_CODES = new Set([CORRUPT_CODE, 26]);
/** SQLITE_BUSY: another process holds the lock. */
const BUSY_CODE = 5;
const RETRY_MS = 250;
/** For a file that several processes may open at the same moment. */
const OPENING_PATIENCE_MS = 1_000;

export interface DatabaseOptions {
  log: Logger;
  /** Statements that bring an empty or present file to what the reader expects; must be repeatable. */
  schema: string;
  /** Only this process may use the file, until it closes it or dies. */
  exclusive?: boolean;
  /** What losing the file means, for the log. */
  lossMeans: string;
}

/**
 * Opens a SQLite file readable by its owner only, and creates it when it is not there. A corrupt file is moved aside,
 * loudly, and a new one started.
 *
 * @throws DatabaseUnusable when the file cannot be made or opened, DatabaseInUse when another process holds it
 */
export function openDatabase(file: string, options: DatabaseOptions): DatabaseSync {
  const patienceMs = options.exclusive ? 0 : OPENING_PATIENCE_MS;
  try {
    return open(file, options, patienceMs);
  } catch (error) {
    const code = sqliteCode(error);
    if (code === BUSY_CODE) throw new DatabaseInUse(file, patienceMs);
    if (code === undefined || !BROKEN_FILE_CODES.has(code)) throw new DatabaseUnusable(file, error);
    return openAnew(file, options, patienceMs, error);
  }
}

/**
 * Opens a file that only one process may use, and waits for another to leave it.
 *
 * @throws DatabaseInUse when it has not left after `patienceMs`, DatabaseUnusable, and the reason of `signal`
 */
export async function openExclusively(
  file: string,
  options: DatabaseOptions,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<DatabaseSync> {
  const giveUpAtMs = Date.now() + patienceMs;
  for (let tries = 1; ; tries++) {
    try {
      return openDatabase(file, { ...options, exclusive: true });
    } catch (error) {
      if (!(error instanceof DatabaseInUse)) throw error;
      if (Date.now() >= giveUpAtMs) throw new DatabaseInUse(file, patienceMs);
      if (tries === 1)
        options.log.info({ file, patienceMs }, 'another process has the database: waiting for it to leave');
      await sleep(RETRY_MS, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** The file cannot be made, opened or written. */
export class DatabaseUnusable extends Error {
  override name = 'DatabaseUnusable';

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${file} cannot be used (${reason}). Set DATA_DIR to a folder that this user may write to.`, { cause });
  }
}

/** Another process holds the file. */
export class DatabaseInUse extends Error {
  override name = 'DatabaseInUse';

  constructor(file: string, patienceMs: number) {
    super(
      `${file} is in use by another process, and still is after ${patienceMs / 1000} s. ` +
        'Stop that process, or give this one another DATA_DIR.',
    );
  }
}

function open(file: string, { schema, exclusive = false }: DatabaseOptions, patienceMs: number): DatabaseSync {
  makeFolder(dirname(file));
  closeSync(openSync(file, 'a', 0o600)); // before SQLite creates it with wider rights; its side files inherit these
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file);
  try {
    // The timeout first: several processes that switch a file to WAL at once otherwise fail with "database is locked".
    database.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    if (exclusive) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(exclusive ? `BEGIN IMMEDIATE; ${schema} COMMIT` : schema);
    const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() ?? {};
    if (found !== 'ok') throw Object.assign(new Error(String(found)), { errcode: CORRUPT_CODE });
    // From here on a lock is an error at once: this thread would sleep through it, and every answer with it.
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openAnew(file: string, options: DatabaseOptions, patienceMs: number, corruption: unknown): DatabaseSync {
  try {
    const movedTo = moveAside(file);
    options.log.error({ err: corruption, file, movedTo }, `database file is corrupt: ${options.lossMeans}`);
    return open(file, options, patienceMs);
  } catch (error) {
    throw new DatabaseUnusable(file, error);
  }
}

/** Not by `recursive`: Node then asks for ever where a parent is there and yet takes no folder, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another process was faster
  }
}

function moveAside(file: string): string {
  const movedTo = `${file}.corrupt-${new Date().toISOString().replaceAll(':', '-')}`;
  for (const ending of ['', '-wal', '-shm']) {
    if (existsSync(file + ending)) renameSync(file + ending, movedTo + ending);
  }
  return movedTo;
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff; // extended codes carry the primary one in their low byte
}
