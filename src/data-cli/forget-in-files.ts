import { existsSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_CODE, sqliteCode } from '../storage/sqlite/database.ts';
import { filesWith } from './traces.ts';

/** A file cannot be cleaned; the message says why and what to do. */
export class NotForgotten extends Error {
  override name = 'NotForgotten';
}

/** Which rows of which tables are about a member: `?1` is their id. Also of earlier versions, in copies of their files. */
const ABOUT_MEMBER: Readonly<Record<string, string>> = {
  bookings: 'member = ?1',
  deletion_requests: 'member = ?1',
  asked_by_member: 'member = ?1',
  // JSON, which may be damaged; a member's id is too long to be part of anything else.
  deferred_replies: 'instr(reply, ?1) > 0',
  debts: 'instr(debt, ?1) > 0',
};

/** A member may type anything as a card's id, a mention for instance. What is lost is requested again. */
const TYPED_AS_CARD = 'instr(key, ?1) > 0 OR instr(value, ?1) > 0';

/** A catalog's own processes write for a fraction of this. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Deletes what the files of a `DATA_DIR` hold about a member, so that the id is in none of them: neither in a row nor in a
 * free page, a write-ahead log, a copy, or a damaged file that was moved aside.
 *
 * @returns the files that held it
 * @throws NotForgotten
 */
export function forgetInFiles(dataDir: string, memberId: string): string[] {
  if (!existsSync(dataDir)) throw new NotForgotten(`There is no folder ${dataDir}. Set DATA_DIR to the bot's.`);
  const held = filesWith(memberId, dataDir);
  for (const file of held.filter(isWorthless)) rmSync(file);
  const databases = held.filter((file) => !isWorthless(file)).map((file) => file.replace(/-wal$/, ''));
  for (const file of new Set(databases)) if (file.endsWith('.sqlite')) clean(file, memberId, dataDir);
  const left = filesWith(memberId, dataDir);
  if (left.length === 0) return held;
  throw new NotForgotten(
    `The member's id is still in ${left.join(', ')}. Delete what is not a file of the bot, and run this again.`,
  );
}

/** Damaged files that were moved aside, and copies that were never finished. */
function isWorthless(file: string): boolean {
  return /\.corrupt-|\.unfinished/.test(file);
}

function clean(file: string, memberId: string, dataDir: string): void {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA secure_delete = ON; BEGIN IMMEDIATE`);
    for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
      const isCardCache = name === 'cards' && basename(file) === 'cards.sqlite';
      const condition = isCardCache ? TYPED_AS_CARD : ABOUT_MEMBER[String(name)];
      if (condition) database.prepare(`DELETE FROM ${name} WHERE ${condition}`).run(memberId);
    }
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
    // Pages that were freed before, when nothing erased them.
    const isLeft = filesWith(memberId, dataDir).some((left) => left.startsWith(file));
    if (isLeft) database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw new NotForgotten(whyNot(file, error), { cause: error });
  } finally {
    database?.close();
  }
}

function whyNot(file: string, error: unknown): string {
  if (sqliteCode(error) === BUSY_CODE) return `${file} is in use by a bot. Stop it, and run this again.`;
  const why = error instanceof Error ? error.message : String(error);
  return `${file} cannot be cleaned (${why}). Delete it if you don't need it, and run this again.`;
}
