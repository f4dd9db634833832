import { chmodSync, closeSync, existsSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from './log.ts';

/** Result codes of SQLite that mean "this file is no database any more": SQLITE_CORRUPT and SQLITE_NOTADB. */
const BROKEN_FILE_CODES = new Set([11, 26]);
/** SQLITE_BUSY: another process holds the lock. */
const BUSY_CODE = 5;

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
 * @throws the error of SQLite when the file cannot be opened, for instance because another process owns it
 */
export function openDatabase(file: string, options: DatabaseOptions): DatabaseSync {
  try {
    return open(file, options);
  } catch (error) {
    if (!BROKEN_FILE_CODES.has(sqliteCode(error) ?? 0)) throw error;
    const movedTo = moveAside(file);
    options.log.error({ err: error, file, movedTo }, `database file is corrupt: ${options.lossMeans}`);
    return open(file, options);
  }
}

/** Whether another process holds the file's lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY_CODE;
}

function open(file: string, { schema, exclusive = false }: DatabaseOptions): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600)); // before SQLite creates it with wider rights; its side files inherit these
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file);
  try {
    // The timeout first: several processes that switch a file to WAL at once otherwise fail with "database is locked".
    database.exec(`PRAGMA busy_timeout = ${exclusive ? 0 : 1_000}`);
    if (exclusive) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(exclusive ? `BEGIN IMMEDIATE; ${schema} COMMIT` : schema);
    return database;
  } catch (error) {
    database.close();
    throw error;
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
