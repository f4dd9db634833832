import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_CODE, sqliteCode, statementsOf } from '../../storage/sqlite/database.ts';
import { CliFailure } from '../context.ts';

/** The cards of a busy bot fill half a gigabyte, so files are read in parts. */
const CHUNK_BYTES = 1_048_576;

/** A catalog's own processes write for a fraction of this. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Deletes what the files of a `DATA_DIR` hold about a member or a server, so that the id is in none of them: neither in a
 * row nor in a free page, a write-ahead log, a copy, or a damaged file that was moved aside.
 *
 * @returns the files that held it
 * @throws CliFailure
 */
export function forgetInFiles(dataDir: string, id: string): string[] {
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory())
    throw new CliFailure(`There is no folder ${dataDir}. Set DATA_DIR to the bot's.`);
  try {
    return forgetInFolder(dataDir, id);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CliFailure(`This user cannot clean ${dataDir} (${error.message}). Run this as the user of the bot.`);
  }
}

function forgetInFolder(dataDir: string, id: string): string[] {
  const held = filesWith(id, dataDir);
  for (const file of held.filter(isWorthless)) rmSync(file);
  const databases = held.filter((file) => !isWorthless(file)).map((file) => file.replace(/-wal$/, ''));
  for (const file of new Set(databases)) if (file.endsWith('.sqlite')) clean(file, id, dataDir);
  const left = filesWith(id, dataDir);
  if (left.length === 0) return held;
  throw new CliFailure(
    `The id is still in ${left.join(', ')}. Delete what is not a file of the bot, and run this again.`,
  );
}

/** Damaged files that were moved aside, and copies that were never finished. */
function isWorthless(file: string): boolean {
  return /\.corrupt-|\.unfinished/.test(file);
}

function clean(file: string, id: string, dataDir: string): void {
  try {
    using database = new DatabaseSync(file);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA secure_delete = ON; BEGIN IMMEDIATE`);
    deleteRows(database, id);
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
    // Pages that were freed before, when nothing erased them.
    const isLeft = filesWith(id, dataDir).some((left) => left.startsWith(file));
    if (isLeft) database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw new CliFailure(whyNot(file, error), { cause: error });
  }
}

/**
 * Deletes the rows of all tables that hold the id, also those of earlier versions: an id of Discord is too long to be part
 * of anything else. A card may have it, because a member may type anything as a card's id; it is requested again.
 */
function deleteRows(database: DatabaseSync, id: string): void {
  const sql = statementsOf(database);
  const tables = sql(
    `SELECT t.name, group_concat(format('instr("%w", ?1) > 0', c.name), ' OR ') AS holds
      FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
      WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name`,
  ).all();
  const isCatalog = tables.some(({ name }) => name === 'words');
  for (const { name, holds } of tables) {
    if (isCatalog && name === 'cards') {
      const ofCards = sql(`DELETE FROM card_words WHERE rowid IN (SELECT row FROM cards WHERE ${holds})`);
      // FTS5 keeps the words of a deleted row until it merges its segments.
      if (ofCards.run(id).changes > 0) database.exec("INSERT INTO card_words (card_words) VALUES ('optimize')");
    }
    sql(`DELETE FROM "${name}" WHERE ${holds}`).run(id);
  }
}

function whyNot(file: string, error: unknown): string {
  if (sqliteCode(error) === BUSY_CODE) return `${file} is in use by a bot. Stop it, and run this again.`;
  const why = error instanceof Error ? error.message : String(error);
  return `${file} cannot be cleaned (${why}). Delete it if you don't need it, and run this again.`;
}

/** The files in a folder and below it that hold this text anywhere, free pages and write-ahead logs included. */
export function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => existsSync(file) && holds(file, text)); // a bot that runs may have removed it since
}

function holds(file: string, text: string): boolean {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    // The text may begin at the end of one part and go on in the next.
    for (let length = readSync(descriptor, buffer), end = ''; length > 0; length = readSync(descriptor, buffer)) {
      const part = end + buffer.toString('latin1', 0, length);
      if (part.includes(text)) return true;
      end = part.slice(-text.length);
    }
    return false;
  } finally {
    closeSync(descriptor);
  }
}
