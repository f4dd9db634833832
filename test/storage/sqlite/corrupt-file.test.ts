import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import { inodeOf, moveCorruptAside } from '../../../src/storage/sqlite/corrupt-file.ts';
import { logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Notes whether another process could move the file at the moment when it is closed. */
class Watched extends DatabaseSync {
  lockAtClose = 'free';

  override close(): void {
    const other = new DatabaseSync(`${join(folder, 'file')}.lock`);
    try {
      other.exec('BEGIN EXCLUSIVE');
    } catch {
      this.lockAtClose = 'held';
    }
    other.close();
    super.close();
  }
}

// The last connection to a file deletes its write-ahead log by name: of the new file, if another has just moved the old one.
it('moves a corrupt file once, however many find it, and closes it only while no other process can move it', () => {
  const file = join(folder, 'file');
  const database = new Watched(file);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)');

  const found = { file, inode: inodeOf(file), database };
  const other = { ...found, database: new DatabaseSync(file) };
  const { log, lines } = logLines();
  moveCorruptAside(found, new Error('malformed'), { log, lossMeans: 'nothing' });

  expect(database.lockAtClose).toBe('held');
  expect(database.isOpen).toBe(false);
  new DatabaseSync(file).close(); // the new file, which stays where another found the old one as well
  moveCorruptAside(other, new Error('malformed'), { log, lossMeans: 'nothing' });
  expect(lines).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.startsWith('file.corrupt-'))).toHaveLength(1);
});
