import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StateUnusable } from '../../model/errors.ts';
import { BUSY_CODE, filesAside, filesIn, sqliteCode } from './file.ts';

/**
 * Deletes what the files of a `DATA_DIR` hold about a member or a server: rows, in copies too, with the pages that they
 * leave, and whole files that were put aside. Rewrites every database file, which takes twice its size and some seconds
 * a gigabyte.
 *
 * @throws StateUnusable when a bot uses one of them, or it cannot be written
 */
export function forgetInFiles(dataDir: string, id: string): void {
  let file = dataDir;
  try {
    const aside = filesAside(dataDir);
    for (file of filesIn(dataDir, /\.sqlite$/)) clean(file, id);
    for (file of aside) rmSync(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StateUnusable(
      sqliteCode(error) === BUSY_CODE
        ? `${file} is in use by a bot. Stop it, and run this again.`
        : `${file} cannot be cleaned (${why}). Run this as the bot runs, or delete a file that you don't need.`,
      { cause: error },
    );
  }
}

/** A catalog's own processes write for a fraction of this. */
const BUSY_TIMEOUT_MS = 5_000;
/** Every table with a condition for its rows: an id of Discord is too long to be part of anything else. */
const TABLES = `
  SELECT t.name, group_concat(format('instr("%w", ?1) > 0', c.name), ' OR ') AS holds
  FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
  WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name`;

/** A card may hold an id, because a member may type anything as a card's id; it is requested again. */
function clean(file: string, id: string): void {
  using database = new DatabaseSync(file);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; BEGIN IMMEDIATE`);
  const tables = database.prepare(TABLES).all();
  for (const { name, holds } of tables) database.prepare(`DELETE FROM "${name}" WHERE ${holds}`).run(id);
  // FTS5 keeps the words of deleted rows until it merges its segments.
  if (tables.some(({ name }) => name === 'words'))
    database.exec(`
      DELETE FROM card_words WHERE rowid NOT IN (SELECT row FROM cards);
      INSERT INTO card_words (card_words) VALUES ('optimize')`);
  database.exec('COMMIT; VACUUM');
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
  if (busy !== 0) throw Object.assign(new Error('a bot reads it'), { errcode: BUSY_CODE });
}
