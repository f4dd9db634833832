import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BACKUPS } from '../storage/sqlite/schema-version.ts';
import { STATE_VERSION } from '../storage/sqlite/sqlite-state.ts';
import { type Finding, right, wrong } from './finding.ts';

const CHECK = 'data directory';
const STATE_CHECK = 'state.sqlite';
/** The cache alone grows to 500 MB when half a million cards are looked up; less than this fills up within days. */
const LEAST_FREE_BYTES = 200_000_000;

/** Whether this user can keep files there, and nobody else can read them. Changes nothing. */
export function checkDataDirectory(dataDir: string): Finding[] {
  const folder = resolve(dataDir);
  if (!existsSync(folder)) return [checkMissing(folder)];
  const stats = statSync(folder);
  if (!stats.isDirectory()) return [wrong(CHECK, `${folder} is a file. Set DATA_DIR to a folder.`)];
  const faults = [...checkRights(folder, stats), ...checkSpace(folder)];
  return [...(faults.length > 0 ? faults : [right(CHECK, folder)]), ...checkFiles(folder), ...checkState(folder)];
}

/** The bot creates it. */
function checkMissing(folder: string): Finding {
  let parent = dirname(folder);
  while (!existsSync(parent)) parent = dirname(parent);
  return isUsable(parent)
    ? right(CHECK, `${folder} will be created`)
    : wrong(
        CHECK,
        `${folder} cannot be created, since this user may not write to ${parent}. Create it, or set DATA_DIR.`,
      );
}

function checkRights(folder: string, { uid, mode }: Stats): Finding[] {
  const user = process.getuid?.() ?? uid;
  if (!isUsable(folder)) {
    return [
      wrong(
        CHECK,
        `${folder} belongs to user ${uid}, and user ${user} may not write to it. Run: chown -R ${user} ${folder}`,
      ),
    ];
  }
  const owner =
    user === uid
      ? []
      : [
          wrong(
            CHECK,
            `${folder} belongs to user ${uid}, and the bot runs as user ${user}. Run: chown -R ${user} ${folder}`,
          ),
        ];
  return (mode & 0o022) === 0
    ? owner
    : [...owner, wrong(CHECK, `Other users may change files in ${folder}. Run: chmod 700 ${folder}`)];
}

function checkSpace(folder: string): Finding[] {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= LEAST_FREE_BYTES) return [];
  const megabytes = Math.floor(free / 1_000_000);
  return [
    wrong(
      CHECK,
      `Only ${megabytes} MB are free in ${folder}, and 200 should be. Free some, or set DATA_DIR to another disk.`,
    ),
  ];
}

/** They hold members' ids, and `state.sqlite` interaction tokens. */
function checkFiles(folder: string): Finding[] {
  return readdirSync(folder)
    .filter((name) => name.includes('.sqlite') && statSync(join(folder, name)).mode & 0o077)
    .map((name) => wrong(name, `Other users may read it. Run: chmod 600 ${join(folder, name)}`));
}

function checkState(folder: string): Finding[] {
  const file = join(folder, 'state.sqlite');
  if (!existsSync(file)) return [];
  const version = storedVersion(file);
  if (version === undefined) {
    const copies = join(folder, BACKUPS);
    return [
      wrong(STATE_CHECK, `It is no database. The bot will move it aside and begin a new one; copies are in ${copies}.`),
    ];
  }
  if (version <= STATE_VERSION) return [right(STATE_CHECK, `schema ${version}`)];
  return [
    wrong(
      STATE_CHECK,
      `A newer version of this bot has written it (schema ${version}, this version knows up to ${STATE_VERSION}). Start that version, or set DATA_DIR to another folder.`,
    ),
  ];
}

/**
 * Read without SQLite, because a running bot has locked the file. Format: https://sqlite.org/fileformat2.html#the_database_header
 *
 * @returns `undefined` for a file that is no database
 */
function storedVersion(file: string): number | undefined {
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, header);
    if (length === 0) return 0; // created, and not written yet
    return header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readInt32BE(60) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
