import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { copyDaily } from '../../../src/storage/sqlite/daily-copies.ts';
import { openFile } from '../../../src/storage/sqlite/file.ts';
import { ROWS_SCHEMA } from '../../../src/storage/sqlite/rows.ts';
import { DAY_MS } from '../../../src/time.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import { ERROR, logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;
const SCHEMA = `CREATE TABLE IF NOT EXISTS notes (note TEXT); ${ROWS_SCHEMA}`;

beforeEach(() => fakeTimers({ now: NOON_MS, toFake: ['Date', 'setInterval', 'clearInterval'] }));

function running() {
  const dataDir = temporaryFolder();
  const { log, lines } = logLines();
  const { database } = openFile(join(dataDir, 'state.sqlite'), { log, schema: SCHEMA });
  const end = copyDaily(database, dataDir, log);
  onTestFinished(() => {
    end();
    database.close();
  });
  const folder = join(dataDir, 'backups');
  return {
    database,
    dataDir,
    folder,
    lines,
    names: () => readdirSync(folder).sort(),
    /** On that day, counted from the start. */
    copied(day: number) {
      vi.setSystemTime(NOON_MS + day * DAY_MS);
      vi.advanceTimersByTime(MINUTE_MS);
      return join(folder, `state-${new Date().toISOString().slice(0, 10)}.sqlite`);
    },
  };
}

function notesIn(file: string): unknown[] {
  using copy = new DatabaseSync(file, { readOnly: true });
  const notes = copy.prepare('SELECT note FROM notes').all();
  return notes.map(({ note }) => note);
}

it('the daily copy of state.sqlite is made once a day while the bot has the file, and the newest three are kept', () => {
  const { database, copied, folder, names } = running();
  mkdirSync(folder);
  for (const name of ['notes.txt', 'state-old.sqlite']) writeFileSync(join(folder, name), 'of somebody else');
  for (let day = 0; day < 5; day++) {
    database.prepare('INSERT INTO notes VALUES (?)').run(`day ${day}`);
    const copy = copied(day);
    database.prepare('INSERT INTO notes VALUES (?)').run('after the copy');
    copied(day);
    expect(notesIn(copy).at(-1)).toBe(`day ${day}`);
  }
  const days = ['state-2026-11-22.sqlite', 'state-2026-11-23.sqlite', 'state-2026-11-24.sqlite'];
  expect(names()).toEqual(['notes.txt', ...days, 'state-old.sqlite']);
});

it('the daily copy of state.sqlite is one file that only its owner can read, without what is worthless in a copy', () => {
  const { database, copied, folder, names } = running();
  for (const part of ['replies:texts', 'lists:interaction-token']) {
    database.exec(
      `INSERT INTO parts VALUES ('${part}', 9e15); INSERT INTO rows VALUES ('${part}', 'x', 'interaction-token')`,
    );
  }
  const copy = copied(0);
  expect(names()).toHaveLength(1);
  expect([statSync(folder).mode & 0o777, statSync(copy).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readFileSync(copy).includes('interaction-token')).toBe(false);
});

it('the daily copy of state.sqlite that fails is one error in the log, and made as soon as it can be', () => {
  const { database, lines, copied, folder } = running();
  database.exec('INSERT INTO notes VALUES (1); ALTER TABLE parts RENAME TO moved');
  vi.advanceTimersByTime(3 * MINUTE_MS);
  expect(readdirSync(folder)).toEqual([]);
  database.exec('ALTER TABLE moved RENAME TO parts');
  const copy = copied(0);
  expect(notesIn(copy)).toHaveLength(1);
  expect(lines.filter(({ level }) => level === ERROR)).toMatchObject([
    { msg: 'the daily copy of state.sqlite failed: it is tried again every minute' },
  ]);
});

it('what a kill left of a copy is gone after the next start, and nothing else', () => {
  const { folder, dataDir, database, lines } = running();
  mkdirSync(folder);
  for (const name of ['state.unfinished', 'state-2026-11-19.sqlite']) writeFileSync(join(folder, name), 'half');
  copyDaily(database, dataDir, logLines().log)();
  expect(readdirSync(folder)).toEqual(['state-2026-11-19.sqlite']);
  expect(lines).toEqual([]);
});
