import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../model/operator-error.ts';
import { createOwnFile, makeFolder } from './own-files.ts';

/** The file was written by a newer version of the bot, whose rows this one might misread or lose. */
export class DatabaseTooNew extends OperatorError {
  override name = 'DatabaseTooNew';

  constructor(file: string, found: number, known: number, copy: string) {
    const goBack = existsSync(copy) ? `, or stop the bot and put ${copy} in its place` : '';
    super(
      `${file} was written by a newer version of this bot (its schema is ${found}, this version knows up to ${known}). ` +
        `Start that version again${goBack}.`,
    );
  }
}

/**
 * Compares the schema of a file with the one that the reader knows, and copies a file that is about to be migrated to
 * `backups/` beside it. The copy is one file that only its owner can read.
 *
 * @throws DatabaseTooNew
 */
export function prepareMigration(database: DatabaseSync, file: string, known: number): void {
  const found = schemaVersion(database);
  if (found > known) throw new DatabaseTooNew(file, found, known, migrationCopy(file, known));
  if (found === known || !hasTables(database)) return;
  const copy = migrationCopy(file, found);
  const unfinished = `${copy}.unfinished`;
  makeFolder(dirname(copy));
  rmSync(unfinished, { force: true });
  createOwnFile(unfinished);
  database.prepare('VACUUM INTO ?').run(unfinished);
  renameSync(unfinished, copy);
}

/** 0 in a file without one. */
export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** The folder of a data directory that holds copies of its databases. */
export const BACKUPS = 'backups';

/** Where a file of that schema was copied to before a newer version migrated it, such as `backups/state-schema-1.sqlite`. */
function migrationCopy(file: string, schema: number): string {
  return join(dirname(file), BACKUPS, basename(file).replace(/\.sqlite$/, `-schema-${schema}.sqlite`));
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}
