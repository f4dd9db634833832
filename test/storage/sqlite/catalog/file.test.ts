import { mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { CatalogFile } from '../../../../src/storage/sqlite/catalog/file.ts';
import { logLines } from '../../../support/log-lines.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const CHARIZARD = { id: 'base1-4', name: 'Charizard' };

function openFile() {
  const folder = temporaryFolder();
  const failures: unknown[] = [];
  let replaced = 0;
  const { log, lines } = logLines();
  const file = new CatalogFile({
    dataDir: folder,
    log,
    onSucceeded: () => {},
    onFailed: (err) => failures.push(err),
    onReplaced: () => replaced++,
  });
  onTestFinished(() => {
    file.close(() => {});
  });
  const path = join(folder, 'catalog.sqlite');
  return { file, path, failures, lines, replacedTimes: () => replaced };
}

it('a catalog that another process has replaced is opened as soon as that works', () => {
  const { file, path, failures, replacedTimes } = openFile();
  renameSync(path, `${path}.moved`);
  mkdirSync(path); // what stands there cannot be opened
  for (let time = 0; time < 2; time++) expect(file.attempt(({ index }) => index)).toBeUndefined();
  rmdirSync(path);
  expect(file.attempt((catalog) => catalog.upsert([CHARIZARD], undefined))).toEqual([CHARIZARD]);
  expect([failures.length, replacedTimes()]).toEqual([2, 1]);
});

it('a catalog that was deleted is begun anew, and the log says so once', () => {
  const { file, path, lines, replacedTimes } = openFile();
  rmSync(path);
  for (let time = 0; time < 2; time++) expect(file.attempt(({ index }) => index.stats().cards)).toBe(0);
  expect([lines.length, replacedTimes()]).toEqual([1, 1]);
  expect(lines[0]?.msg).toContain('deleted while the bot runs');
});

it('a corrupt catalog that cannot be moved aside yet is, at the next attempt', () => {
  const { file, path, failures, replacedTimes } = openFile();
  const corrupt = () => {
    throw Object.assign(new Error('malformed'), { errcode: 11 });
  };
  const mover = new DatabaseSync(`${path}.lock`);
  mover.exec('BEGIN EXCLUSIVE');
  expect(file.attempt(corrupt)).toBeUndefined();
  mover.close();
  expect([failures.length, replacedTimes()]).toEqual([1, 0]);
  file.attempt(corrupt);
  expect(file.attempt((catalog) => catalog.index.stats().cards)).toBe(0);
  expect(failures).toHaveLength(1);
});
