import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/storage/sqlite/database.ts';
import { DatabaseTooNew } from '../../../src/storage/sqlite/schema-version.ts';
import { logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOTES = 'CREATE TABLE IF NOT EXISTS notes (note TEXT);';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'state.sqlite');
});

/** Opens the file as the bot of that version does, runs statements, and closes it. @returns its notes */
function withVersion(version: number | undefined, { move = '', run = '' } = {}): unknown[] {
  const earlierTables = move === '' ? [] : [{ name: 'earlier', move }];
  const options = { ...logLines(), schema: NOTES, earlierTables, exclusive: true, lossMeans: '' };
  const database = openDatabase(file, { ...options, ...(version !== undefined && { version }) });
  try {
    database.exec(run);
    return database
      .prepare('SELECT note FROM notes')
      .all()
      .map(({ note }) => note);
  } finally {
    database.close();
  }
}

describe('a file with a schema version', () => {
  it('of a newer version is refused with a sentence, and left as it is', () => {
    withVersion(2, { run: "INSERT INTO notes VALUES ('kept')" });
    expect(() => withVersion(1)).toThrow(DatabaseTooNew);
    expect(() => withVersion(1)).toThrow(
      `${file} was written by a newer version of this bot (its schema is 2, this version knows up to 1). Start that version again.`,
    );
    expect(withVersion(2)).toEqual(['kept']);
  });

  it('is copied before a newer version migrates it; the copy lets the older version go on', () => {
    withVersion(1, { run: "INSERT INTO notes VALUES ('before')" });
    withVersion(2, { run: "INSERT INTO notes VALUES ('after')" });
    const copy = join(folder, 'backups', 'state-schema-1.sqlite');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(() => withVersion(1)).toThrow(`or stop the bot and put ${copy} in its place.`);
    renameSync(copy, file);
    expect(withVersion(1)).toEqual(['before']);
  });

  it('is copied once more when it is migrated once more', () => {
    withVersion(1);
    withVersion(2);
    rmSync(file);
    withVersion(1, { run: "INSERT INTO notes VALUES ('second')" });
    withVersion(2);
    renameSync(join(folder, 'backups', 'state-schema-1.sqlite'), file);
    expect(withVersion(1)).toEqual(['second']);
  });

  it('that has none is the oldest', () => {
    withVersion(undefined, { run: "INSERT INTO notes VALUES ('old')" });
    expect(withVersion(1)).toEqual(['old']);
    expect(readdirSync(join(folder, 'backups'))).toEqual(['state-schema-0.sqlite']);
  });

  it('is not copied when it is new, or of this version already', () => {
    withVersion(1);
    withVersion(1);
    expect(readdirSync(folder)).not.toContain('backups');
  });

  it('is migrated as a whole or not at all', () => {
    withVersion(1, { run: "CREATE TABLE earlier (note TEXT); INSERT INTO earlier VALUES ('moved')" });
    const broken = { move: 'INSERT INTO notes SELECT note FROM earlier; INSERT INTO missing VALUES (1)' };
    expect(() => withVersion(2, broken)).toThrow('no such table: missing');
    expect(withVersion(1)).toEqual([]);
    expect(withVersion(2, { move: 'INSERT INTO notes SELECT note FROM earlier' })).toEqual(['moved']);
  });
});
