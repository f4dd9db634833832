import { rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { readStorageConfig } from '../config/config.ts';
import { BUSY_CODE, filesAside, filesIn, sqliteCode } from '../storage/sqlite/file.ts';
import { type CliContext, CliFailure, discordId, type Subcommand } from './context.ts';

const HELP = `
An id is what Discord copies: right-click a member or the name of a server, Copy User ID or Copy Server ID.

Needs only DATA_DIR and, if the bot uses it, REDIS_URL, in the environment or in .env. Without REDIS_URL the bot must be
stopped. With it, run this once on each machine that has a DATA_DIR; the bots can keep running.

Exit codes: 0 nothing is left · 1 failure`;

/** `npm run data` */
export const subcommand: Subcommand = (command, context) => {
  command
    .addHelpText('after', HELP)
    .command('forget')
    .description('delete everything that is kept about a member or a server, also in copies')
    .argument('<id>', 'of the member or the server', discordId)
    .action((id) => forget(id, context));
};

/** @throws ConfigError, CliFailure, StateUnusable */
async function forget(id: string, { env, stdout }: CliContext): Promise<void> {
  const { dataDir, redis } = readStorageConfig(env);
  const isThere = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory();
  if (redis) {
    const { forgetInRedis } = await import('../storage/redis/forget.ts');
    await forgetInRedis(redis, id);
    stdout.write(`Redis holds nothing about ${id} any more.\n`);
  } else if (!isThere) throw new CliFailure(`There is no folder ${dataDir}. Set DATA_DIR to the bot's.`);
  if (isThere) forgetInFiles(dataDir, id);
  stdout.write(
    isThere
      ? `No file in ${dataDir} holds anything about ${id} any more.\n`
      : `There is no folder ${dataDir}: run this on each machine that has a DATA_DIR, too.\n`,
  );
}

/**
 * Deletes what the files of a `DATA_DIR` hold about a member or a server: rows, in copies too, with the pages that they
 * leave, and whole files that were put aside. Rewrites every database file, which takes twice its size and some seconds
 * a gigabyte.
 */
function forgetInFiles(dataDir: string, id: string): void {
  let file = dataDir;
  try {
    const aside = filesAside(dataDir);
    for (file of filesIn(dataDir, /\.sqlite$/)) clean(file, id);
    for (file of aside) rmSync(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliFailure(
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
