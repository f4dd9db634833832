import { globSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_CODE, sqliteCode } from '../../storage/sqlite/database.ts';
import { filesAside } from '../../storage/sqlite/old-files.ts';
import { CliFailure } from '../context.ts';

/** A catalog's own processes write for a fraction of this. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Deletes what the files of a `DATA_DIR` hold about a member or a server: rows, in copies too, with the pages that they leave,
 * and whole files that were moved aside. Rewrites every database file, which takes twice its size and some seconds a gigabyte.
 *
 * @throws CliFailure
 */
export function forgetInFiles(dataDir: string, id: string): void {
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory())
    throw new CliFailure(`There is no folder ${dataDir}. Set DATA_DIR to the bot's.`);
  try {
    for (const name of globSync('**/*.sqlite', { cwd: dataDir })) clean(join(dataDir, name), id);
    for (const file of filesAside(dataDir)) rmSync(file);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CliFailure(`This user cannot clean ${dataDir} (${error.message}). Run this as the user of the bot.`);
  }
}

function clean(file: string, id: string): void {
  try {
    using database = new DatabaseSync(file);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; BEGIN IMMEDIATE`);
    deleteRows(database, id);
    database.exec('COMMIT; VACUUM');
    const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
    if (busy !== 0) throw Object.assign(new Error('a bot reads it'), { errcode: BUSY_CODE });
  } catch (error) {
    throw new CliFailure(whyNot(file, error), { cause: error });
  }
}

/**
 * Deletes the rows of all tables that hold the id: an id of Discord is too long to be part of anything else. A card may have
 * it, because a member may type anything as a card's id; it is requested again.
 */
function deleteRows(database: DatabaseSync, id: string): void {
  const tables = database
    .prepare(
      `SELECT t.name, group_concat(format('instr("%w", ?1) > 0', c.name), ' OR ') AS holds
        FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
        WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name`,
    )
    .all();
  if (tables.some(({ name }) => name === 'words')) {
    const cards = tables.find(({ name }) => name === 'cards')?.holds;
    database.prepare(`DELETE FROM card_words WHERE rowid IN (SELECT row FROM cards WHERE ${cards})`).run(id);
    // FTS5 keeps the words of deleted rows until it merges its segments.
    database.exec("INSERT INTO card_words (card_words) VALUES ('optimize')");
  }
  for (const { name, holds } of tables) database.prepare(`DELETE FROM "${name}" WHERE ${holds}`).run(id);
}

function whyNot(file: string, error: unknown): string {
  if (sqliteCode(error) === BUSY_CODE) return `${file} is in use by a bot. Stop it, and run this again.`;
  const why = error instanceof Error ? error.message : String(error);
  return `${file} cannot be cleaned (${why}). Delete it if you don't need it, and run this again.`;
}
