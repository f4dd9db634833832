import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../log.ts';
import { OperatorError } from '../../model/errors.ts';
import { DAY_MS, every, KEPT_DAYS } from '../../time.ts';

/**
 * Raised by each change of a table, of what is in a row, or of how names become words: a file has it as `user_version`.
 */
const VERSIONS: Readonly<Record<string, number>> = { 'state.sqlite': 10, 'cards.sqlite': 1, 'catalog.sqlite': 5 };

/** How long to wait for other processes that open the file at the same moment. */
const OPEN_TIMEOUT_MS = 1_000;
const RETRY_MS = 250;
const LOOK_EVERY_MS = 60_000;
/**
 * Table by table, which leaves out an index of words: reading all of it takes some 7 s for a million cards, in which
 * the thread can neither search nor end. Damage in it shows in a search.
 */
const FIND_DAMAGE = `SELECT quick_check FROM sqlite_schema, pragma_quick_check(name)
  WHERE type = 'table' AND rootpage > 0 AND quick_check <> 'ok' LIMIT 1`;

export interface FileOptions {
  log: Pick<Logger, 'info' | 'error'>;
  /** Statements that bring an empty or present file to what the reader expects; must be repeatable. */
  schema: string;
  /** What losing a damaged file means, for the log; absent: it is not to be lost, and such a file is refused. */
  lossMeans?: string;
  /** Damage is found when it is read, since reading every table takes long: 0.2 s for 200,000 names. */
  isReadLater?: boolean;
}

/**
 * Opens a SQLite file that only its owner can read, and creates it if it is absent. One of another version is put
 * aside, and so is one that is damaged: a new one takes its place, with a line in the log. Reads every table once, but
 * for `isReadLater`.
 *
 * @throws DatabaseUnusable when the file cannot be created, opened or read, or another process holds it
 */
export function openFile(file: string, options: FileOptions): OpenFile {
  try {
    return open(file, options, `busy_timeout = ${OPEN_TIMEOUT_MS}`);
  } catch (error) {
    throw new DatabaseUnusable(file, error);
  }
}

/**
 * The same for a file that no other process may use until this one closes it or ends. Waits for another to close it.
 *
 * @throws DatabaseUnusable, also when another has not closed it within `timeoutMs`; the reason of `signal`
 */
export async function openExclusively(
  file: string,
  options: FileOptions,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<OpenFile> {
  const giveUpAtMs = Date.now() + timeoutMs;
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      return open(file, options, 'locking_mode = EXCLUSIVE');
    } catch (error) {
      if (sqliteCode(error) !== BUSY_CODE || Date.now() >= giveUpAtMs) throw new DatabaseUnusable(file, error);
    }
    if (!isWaiting) options.log.info({ file, timeoutMs }, 'another process uses the database: waiting for it to end');
    await sleep(RETRY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/**
 * Looks once a minute whether a file that this process has open is still in its place, with its write-ahead log. SQLite
 * does not notice that one was deleted or replaced: what it writes from then on is gone with the process.
 *
 * @param onLost told once, with the beginning of a sentence
 * @returns ends it
 */
export function watchFile(file: string, onLost: (reason: string) => void): () => void {
  const names = [file, `${file}-wal`];
  const inodes = names.map(inodeOf);
  const end = every(LOOK_EVERY_MS, () => {
    const lost = names.find((name, at) => inodeOf(name) !== inodes[at]);
    if (!lost) return;
    end();
    onLost(`${lost} was deleted or replaced while the bot runs`);
  });
  return end;
}

/**
 * Puts those files of a `DATA_DIR` aside that another version of the bot has written, whether or not this process opens
 * them.
 */
export function putOldFilesAside(dataDir: string, log: FileOptions['log']): void {
  for (const file of databasesIn(dataDir, Object.keys(VERSIONS))) {
    try {
      using database = new DatabaseSync(file);
      putOldAside({ file, inode: inodeOf(file), database }, log);
    } catch {
      // It is in use, or broken: whoever opens it says so.
    }
  }
}

/** What was put aside in a `DATA_DIR`, as damaged or of another version, or was never finished. */
export function filesAside(dataDir: string): string[] {
  return filesIn(dataDir, /\.sqlite\.(corrupt-|v.*-old)|\.unfinished$/);
}

/**
 * Deletes what was put aside, and copies, if last written so long ago that no count in it would be kept. Does not
 * throw.
 */
export function deleteFilesAside(dataDir: string, nowMs: number): void {
  try {
    for (const file of [...filesAside(dataDir), ...filesIn(dataDir, /^backups\/state-[^/]*\.sqlite$/)])
      if (nowMs - statSync(file).mtimeMs > KEPT_DAYS * DAY_MS) rmSync(file);
  } catch {
    // Another process was faster, or it cannot be deleted: it is tried again an hour later.
  }
}

/** A connection to a file, and which file had the name when it was opened. */
export interface OpenFile {
  file: string;
  inode: number | undefined;
  database: DatabaseSync;
}

/** Closes a damaged file and puts it aside, unless another process has. @throws errors of the file system */
export function putDamagedAside(opened: OpenFile, err: unknown, { log, lossMeans }: FileOptions): void {
  putAside(opened, `corrupt-${new Date().toISOString().replaceAll(':', '-')}`, (moved) =>
    log.error({ err, ...moved }, `database file is corrupt and was moved aside: ${lossMeans}`),
  );
}

/** Whether the file is no longer in its place. */
export function isReplaced({ file, inode }: OpenFile): boolean {
  return inodeOf(file) !== inode;
}

/** Tells a file from another that has taken its place; `undefined` when there is none. */
function inodeOf(file: string): number | undefined {
  try {
    return statSync(file).ino;
  } catch {
    return undefined;
  }
}

/**
 * Makes sure that a file and its folder exist and that only their owner can read them. SQLite's side files inherit
 * these rights.
 */
export function createOwnFile(file: string): void {
  makeFolder(dirname(file));
  closeSync(openSync(file, 'a', 0o600)); // SQLite would create it with wider rights
  chmodSync(file, 0o600);
}

/** Does not use `recursive`, with which Node loops for ever where a parent exists but takes no folder, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error; // it exists when another process was faster
  }
}

/**
 * @param locking a pragma, first: without a timeout, processes that switch a file to WAL at once fail
 * @throws what SQLite and the file system throw
 */
function open(file: string, options: FileOptions, locking: string, isAgain = false): OpenFile {
  createOwnFile(file);
  const database = new DatabaseSync(file);
  const opened = { file, inode: inodeOf(file), database };
  try {
    database.exec(`PRAGMA ${locking}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`);
    if (!putOldAside(opened, options.log)) {
      // Before there is a table, or another process would take a file that is just made for an old one.
      if (versionOf(database) === undefined) database.exec(`PRAGMA user_version = ${versionToRead(file)}`);
      database.exec(options.schema);
      const damage = !options.isReadLater && database.prepare(FIND_DAMAGE).get();
      if (damage)
        throw Object.assign(new Error(String(damage.quick_check).split('\n').at(-1)), { errcode: CORRUPT_CODE });
      // From here on a lock is an error at once: waiting for it would block this thread, and all answers.
      database.exec('PRAGMA busy_timeout = 0');
      return opened;
    }
  } catch (error) {
    if (isAgain || !isCorruption(error) || options.lossMeans === undefined) {
      database[Symbol.dispose]();
      throw error;
    }
    putDamagedAside(opened, error, options);
  }
  return open(file, options, locking, true);
}

/** The version of a file of this name that is read and written. */
export function versionToRead(file: string): number {
  return VERSIONS[basename(file)] ?? 0;
}

/** @returns `undefined`: nothing is in it yet */
function versionOf(database: DatabaseSync): unknown {
  const select = 'SELECT user_version FROM pragma_user_version WHERE EXISTS (SELECT 1 FROM sqlite_schema)';
  return database.prepare(select).get()?.user_version;
}

/** @returns whether another version of the bot has written it: it is closed then */
function putOldAside(opened: OpenFile, log: FileOptions['log']): boolean {
  const read = versionToRead(opened.file);
  const version = versionOf(opened.database) ?? read;
  if (version === read) return false;
  putAside(opened, `v${version}-old`, (moved) =>
    log.info(moved, `a file of another version is not read: it is deleted ${KEPT_DAYS} days after its last use`),
  );
  return true;
}

/** Closes a file and renames it, unless another has taken its place: of processes that find the same, one tells so. */
function putAside(opened: OpenFile, ending: string, tell: (moved: { file: string; movedTo: string }) => void): void {
  opened.database.close();
  if (isReplaced(opened)) return;
  const { file } = opened;
  const movedTo = `${file}.${ending}`;
  // The file itself last: until then, whoever opens it finds the same.
  for (const side of ['-wal', '-shm', '']) if (existsSync(file + side)) renameSync(file + side, movedTo + side);
  tell({ file, movedTo });
}

/** Where the names of a card service are, in a `DATA_DIR`: another's ids are not its own. */
export function catalogFolder(dataDir: string, scope: string | undefined): string {
  return scope === undefined ? dataDir : join(dataDir, `names-${scope}`);
}

/** Those of a bot's databases with these names that are in a `DATA_DIR`: what is deeper is an operator's own copy. */
export function databasesIn(dataDir: string, names: readonly string[]): string[] {
  return filesIn(dataDir, /^(names-[^/]*\/)?[^/]*\.sqlite$/).filter((file) => names.includes(basename(file)));
}

/** The files in and below a folder whose paths from there are of this form; none where there is no folder. */
export function filesIn(folder: string, form: RegExp): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { encoding: 'utf8', recursive: true });
  return names.filter((name) => form.test(name)).map((name) => join(folder, name));
}

/** SQLITE_BUSY: another process holds the lock. */
export const BUSY_CODE = 5;
const CORRUPT_CODE = 11;
/** SQLITE_CORRUPT and SQLITE_NOTADB: the file is no database. */
const BROKEN_FILE_CODES = [CORRUPT_CODE, 26];
/** By the codes of SQLite (13: the disk is full) and of the file system. */
const CURES: Readonly<Record<string, string>> = {
  [BUSY_CODE]: 'Stop that process, or give this one another DATA_DIR.',
  13: 'Free some space, or set DATA_DIR to another disk.',
  EROFS: 'Mount it so that it can be written, or set DATA_DIR to a folder that can.',
};

export function sqliteCode(error: unknown): number | undefined {
  const { errcode } = Object(error);
  return typeof errcode === 'number' ? errcode & 0xff : undefined; // extended codes carry the primary one in their low byte
}

/** Whether an error of SQLite means that the file is broken. */
export function isCorruption(error: unknown): boolean {
  return BROKEN_FILE_CODES.includes(sqliteCode(error) ?? 0);
}

/** The file cannot be created, opened or written, is damaged, or another process uses it. */
export class DatabaseUnusable extends OperatorError {
  constructor(file: string, cause: unknown) {
    const { message = cause, code: name } = Object(cause);
    const code = sqliteCode(cause) ?? name;
    const what = code === BUSY_CODE ? 'is in use by another process' : 'cannot be used';
    const cure = isCorruption(cause)
      ? 'Put the newest of backups/ in its place, or move it away to begin without what it holds.'
      : `Set DATA_DIR to a folder that this user may write to, or run as root: chown -R ${process.getuid?.()} ${dirname(file)}`;
    super(`${file} ${what} (${message}). ${CURES[code] ?? cure}`, { cause });
  }
}

/** Gives the statement of an SQL text, which is prepared when it is first wanted. What a write reports are BigInts. */
export type Statements = (sql: string) => StatementSync;

export function statementsOf(database: DatabaseSync): Statements {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    // Its number of the last row may be one of FTS5's own rows, above 2^53. Node 26 refuses to give that as a number.
    statement.setReadBigInts(statement.columns().length === 0);
    prepared.set(sql, statement);
    return statement;
  };
}
