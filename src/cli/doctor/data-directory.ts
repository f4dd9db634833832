import { accessSync, constants, existsSync, readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OFFERED } from '../../storage/sqlite/catalog/schema.ts';
import { type Finding, right, wrong } from './finding.ts';

const CHECK = 'data directory';
/** The cache alone grows to 500 MB when half a million cards are looked up; less than this fills up within days. */
const LEAST_FREE_BYTES = 200_000_000;

/** Whether this user can keep files there, and other users cannot read them. Changes nothing. */
export function checkDataDirectory(dataDir: string): Finding[] {
  const folder = resolve(dataDir);
  if (!existsSync(folder)) return [checkMissing(folder)];
  const stats = statSync(folder);
  if (!stats.isDirectory()) return [wrong(CHECK, `${folder} is a file. Set DATA_DIR to a folder.`)];
  const rights = checkRights(folder, stats);
  if (!isUsable(folder)) return rights; // nothing in it can be looked at
  const faults = [...rights, ...checkSpace(folder)];
  return [...(faults.length > 0 ? faults : [right(CHECK, folder)]), ...checkFiles(folder)];
}

/** The bot creates it. */
function checkMissing(folder: string): Finding {
  let parent = dirname(folder);
  while (!existsSync(parent)) parent = dirname(parent);
  if (statSync(parent).isDirectory() && isUsable(parent)) return right(CHECK, `${folder} will be created`);
  const why = `${folder} cannot be created, since ${parent} is no folder that this user can write to.`;
  return wrong(CHECK, `${why} Create it, or set DATA_DIR.`);
}

/** Whether the bot can write there, and nobody else. */
function checkRights(folder: string, { uid, mode }: Stats): Finding[] {
  const user = userId(uid);
  const owner = `${folder} belongs to user ${uid}, and`;
  const takeOver = `Run as root: chown -R ${user} ${folder}`;
  if (!isUsable(folder)) return [wrong(CHECK, `${owner} user ${user} cannot write to it. ${takeOver}`)];
  const others = `Other users can change files in ${folder}. Run: chmod 700 ${folder}`;
  return [
    // An operator may run the doctor as root, and the bot as somebody else.
    ...(user === uid || user === ROOT ? [] : [wrong(CHECK, `${owner} the bot runs as user ${user}. ${takeOver}`)]),
    ...(mode & 0o022 ? [wrong(CHECK, others)] : []),
  ];
}

const ROOT = 0;

/** The user id of this process; the owner's on a system without such ids. */
function userId(ownerId: number): number {
  return process.getuid?.() ?? ownerId;
}

function checkSpace(folder: string): Finding[] {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= LEAST_FREE_BYTES) return [];
  const why = `Only ${Math.floor(free / 1_000_000)} MB are free in ${folder}, and 200 should be.`;
  return [wrong(CHECK, `${why} Free some, or set DATA_DIR to another disk.`)];
}

/** They hold members' ids, and `state.sqlite` interaction tokens. */
function checkFiles(folder: string): Finding[] {
  return readdirSync(folder)
    .filter((name) => name.includes('.sqlite'))
    .flatMap((name) => {
      const file = join(folder, name);
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return []; // a bot that runs has removed it since
      if (!isAllowed(file, constants.R_OK | constants.W_OK)) {
        const user = userId(stats.uid);
        return wrong(name, `User ${user} cannot read and write it. Run as root: chown -h ${user} ${file}`);
      }
      return stats.mode & 0o077 ? wrong(name, `Other users can read it. Run: chmod 600 ${file}`) : [];
    });
}

function isUsable(folder: string): boolean {
  return isAllowed(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Whether this Node's SQLite can search: one that is built by a distribution may lack it. In memory, in a millisecond. */
export function checkSqlite(): Finding[] {
  using database = new DatabaseSync(':memory:');
  try {
    database.exec('CREATE VIRTUAL TABLE words USING fts5 (word)');
    return [];
  } catch {
    const cure = 'It lacks FTS5, so cards cannot be found by name. Run the bot by npm start, with the Node of npm ci.';
    return [wrong(`SQLite of Node ${process.version}`, cure)];
  }
}

export const NAMES = 'names';

/** Whether the bot knows a card. Changes nothing. */
export function knowsNames(dataDir: string): boolean {
  const file = join(dataDir, 'catalog.sqlite');
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
    using database = new DatabaseSync(file, { readOnly: true });
    return database.prepare(`SELECT 1 FROM cards WHERE ${OFFERED} LIMIT 1`).get() !== undefined;
  } catch {
    return true; // it is of another version, or others have said that it cannot be read
  }
}
