import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../log.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { type CorruptFileOptions, inodeOf, moveCorruptAside } from './corrupt-file.ts';
import { moveOldAside, versionOf, versionToRead } from './old-files.ts';
import { createOwnFile, makeFolder } from './own-files.ts';

/** SQLite's result codes for a file that is no database: SQLITE_CORRUPT and SQLITE_NOTADB. */
const CORRUPT_CODE = 11;
const BROKEN_FILE_CODES = new Set([CORRUPT_CODE, 26]);
/** SQLITE_BUSY: another process holds the lock. */
export const BUSY_CODE = 5;
/** SQLITE_FULL: the disk is full. */
const FULL_CODE = 13;
const RETRY_MS = 250;
/** How long to wait for other processes that open the file at the same moment. */
const OPEN_TIMEOUT_MS = 1_000;
/** The wait within one call of SQLite: neither a thread nor its process can end meanwhile. */
const LOCK_TIMEOUT_MS = 100;

export interface DatabaseOptions extends CorruptFileOptions {
  log: Pick<Logger, 'info' | 'error'>;
  /** Statements that bring an empty or present file to what the reader expects; must be repeatable. */
  schema: string;
  /** Only this process may use the file, until it closes it or ends. */
  exclusive?: boolean;
}

/**
 * Opens a SQLite file that only its owner can read, and creates it if it is absent. A file that is corrupt or of another
 * version is moved aside with a line in the log, and replaced by a new one.
 *
 * @throws DatabaseUnusable when the file cannot be created or opened, DatabaseInUse when another process holds it
 */
export function openDatabase(file: string, options: DatabaseOptions): DatabaseSync {
  const timeoutMs = options.exclusive ? 0 : OPEN_TIMEOUT_MS;
  const giveUpAtMs = performance.now() + timeoutMs;
  for (;;) {
    const database = openUnlessBusy(file, options);
    if (database) return database;
    if (performance.now() >= giveUpAtMs) throw new DatabaseInUse(file, timeoutMs);
  }
}

function openUnlessBusy(file: string, options: DatabaseOptions, isReplaced = false): DatabaseSync | undefined {
  try {
    return open(file, options);
  } catch (error) {
    if (isCorruption(error) && !isReplaced) return openUnlessBusy(file, options, true); // it was moved aside
    if (sqliteCode(error) === BUSY_CODE) return undefined;
    throw new DatabaseUnusable(file, error);
  }
}

/**
 * Opens a file that only one process may use, and waits for another to close it.
 *
 * @throws DatabaseInUse when it has not closed it within `timeoutMs`, DatabaseUnusable, and the reason of `signal`
 */
export async function openExclusively(
  file: string,
  options: DatabaseOptions,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<DatabaseSync> {
  const giveUpAtMs = Date.now() + timeoutMs;
  for (let tries = 1; ; tries++) {
    try {
      return openDatabase(file, { ...options, exclusive: true });
    } catch (error) {
      if (!(error instanceof DatabaseInUse)) throw error;
      if (Date.now() >= giveUpAtMs) throw new DatabaseInUse(file, timeoutMs);
      if (tries === 1)
        options.log.info({ file, timeoutMs }, 'another process uses the database: waiting for it to end');
      await sleep(RETRY_MS, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** The file cannot be created, opened or written. */
export class DatabaseUnusable extends OperatorError {
  override name = 'DatabaseUnusable';

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const isReadOnly = cause instanceof Error && 'code' in cause && cause.code === 'EROFS';
    const cure = isReadOnly
      ? 'Mount it so that it can be written, or set DATA_DIR to a folder that can.'
      : sqliteCode(cause) === FULL_CODE
        ? 'Free some space, or set DATA_DIR to another disk.'
        : `Set DATA_DIR to a folder that this user may write to, or run as root: chown -R ${process.getuid?.()} ${dirname(file)}`;
    super(`${file} cannot be used (${reason}). ${cure}`, { cause });
  }
}

/** Another process uses the file. */
export class DatabaseInUse extends OperatorError {
  override name = 'DatabaseInUse';

  constructor(file: string, timeoutMs: number) {
    super(
      `${file} is in use by another process, and still is after ${timeoutMs / 1000} s. ` +
        'Stop that process, or give this one another DATA_DIR.',
    );
  }
}

/** @throws what SQLite throws; a file that is corrupt has been moved aside then */
function open(file: string, options: DatabaseOptions): DatabaseSync {
  const { schema, log, exclusive = false } = options;
  makeFolder(dirname(file));
  createOwnFile(file);
  const inode = inodeOf(file);
  const database = new DatabaseSync(file);
  try {
    // First the timeout: without it, several processes that switch a file to WAL at once fail with "database is locked".
    database.exec(`PRAGMA busy_timeout = ${exclusive ? 0 : LOCK_TIMEOUT_MS}`);
    if (exclusive) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    if (moveOldAside({ file, inode, database }, log)) return open(file, options);
    // Before there is a table, or another process would take a file that is just made for an old one.
    const version = versionToRead(file);
    if (versionOf(database) !== version) database.exec(`PRAGMA user_version = ${version}`);
    database.exec(schema);
    const found = damageIn(database);
    if (found !== undefined) throw Object.assign(new Error(String(found)), { errcode: CORRUPT_CODE });
    // From here on a lock is an error at once: waiting for it would block this thread, and all answers.
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    if (database.isOpen && isCorruption(error)) moveCorruptAside({ file, inode, database }, error, options);
    else if (database.isOpen) database.close();
    throw error;
  }
}

/**
 * An index of words is not checked: reading all of it takes some 7 s for a million cards, in which the thread can neither
 * search nor end. Damage in it shows in a search. That is why the tables beside it are checked one by one.
 */
function damageIn(database: DatabaseSync): unknown {
  const hasWordIndex = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage = 0").get();
  const checks = hasWordIndex
    ? "sqlite_schema, pragma_quick_check(name) WHERE type = 'table' AND rootpage > 0 AND"
    : 'pragma_quick_check WHERE';
  return database.prepare(`SELECT quick_check FROM ${checks} quick_check <> 'ok' LIMIT 1`).get()?.quick_check;
}

/** Whether an error of SQLite means that the file is broken. */
export function isCorruption(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && BROKEN_FILE_CODES.has(code);
}

export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff; // extended codes carry the primary one in their low byte
}

/** Gives the statement of an SQL text, which is prepared when it is first wanted. What a write reports are BigInts. */
export type Statements = (sql: string) => StatementSync;

export function statementsOf(database: DatabaseSync): Statements {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    // Its number of the last row may be one of FTS5's own rows, above 2^53. Node 26 refuses to give that as a number.
    if (!prepared.has(sql) && statement.columns().length === 0) statement.setReadBigInts(true);
    prepared.set(sql, statement);
    return statement;
  };
}
