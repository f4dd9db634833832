import { execSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import {
  DatabaseUnusable,
  type FileOptions,
  type OpenFile,
  openExclusively,
  openFile,
  putDamagedAside,
  watchFile,
} from '../../../src/storage/sqlite/file.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import { ERROR, logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { table } from '../../table.ts';

const SCHEMA = 'CREATE TABLE IF NOT EXISTS notes (note TEXT NOT NULL);';
const WORDS = 'CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (word);';
const PAGE_BYTES = 4_096;
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  for (const database of opened.splice(0)) if (database.isOpen) database.close();
});

const opened: DatabaseSync[] = [];

function options(): FileOptions & { lines: ReturnType<typeof logLines>['lines'] } {
  return { ...logLines(), schema: SCHEMA, lossMeans: 'notes are lost' };
}

function open(file: string, more: Partial<FileOptions> = {}): DatabaseSync {
  return kept(openFile(file, { ...options(), ...more }));
}

async function openAlone(file: string, timeoutMs = 0, signal?: AbortSignal): Promise<DatabaseSync> {
  const { log } = options();
  return kept(await openExclusively(file, { log, schema: SCHEMA }, timeoutMs, signal));
}

function kept({ database }: OpenFile): DatabaseSync {
  opened.push(database);
  return database;
}

function notes(database: DatabaseSync): unknown[] {
  return database
    .prepare('SELECT note FROM notes')
    .all()
    .map(({ note }) => note);
}

it.each([true, false])(
  'a database is made with its folder, kept, and read by its owner only (exclusive: %s)',
  async (isExclusive) => {
    const inside = join(folder, 'new', 'deep');
    const file = join(inside, 'state.sqlite');
    const opens = () => (isExclusive ? openAlone(file) : open(file));
    (await opens()).exec("INSERT INTO notes VALUES ('kept')");
    const modes = readdirSync(inside).map((name) => statSync(join(inside, name)).mode & 0o777);
    expect([...new Set(modes), statSync(inside).mode & 0o777]).toEqual([0o600, 0o700]);
    opened.pop()?.close();
    expect(notes(await opens())).toEqual(['kept']);
  },
);

it.each([true, false])(
  'a database that others could read is its owner’s alone (exclusive: %s)',
  async (isExclusive) => {
    const file = join(folder, 'state.sqlite');
    writeFileSync(file, '', { mode: 0o644 });
    (isExclusive ? await openAlone(file) : open(file)).exec("INSERT INTO notes VALUES ('secret')");
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  },
);

it('a file that is no database is put aside as it was, or refused with what to do where it must not be lost', async () => {
  const [cards = '', state = ''] = ['cards.sqlite', 'state.sqlite'].map((name) => join(folder, name));
  for (const file of [cards, state]) writeFileSync(file, 'this is no database'.repeat(100));
  expect(notes(open(cards))).toEqual([]);
  const moved = readdirSync(folder).find((name) => name.includes('.corrupt-')) ?? '';
  expect(readFileSync(join(folder, moved), 'utf8')).toContain('this is no database');
  await expect(openAlone(state)).rejects.toThrow(/Put the newest of backups\//);
});

it('a database that is damaged is put aside once, by whichever process is first', () => {
  const { lines, ...rest } = options();
  const file = join(folder, 'cards.sqlite');
  for (const found of [0, 1].map(() => openFile(file, rest))) {
    putDamagedAside(found, new Error('malformed'), rest);
    open(file, rest).exec("INSERT INTO notes VALUES ('new')");
  }
  const movedTo = expect.stringContaining('cards.sqlite.corrupt-');
  expect(lines).toMatchObject([{ level: ERROR, msg: expect.stringContaining('notes are lost'), file, movedTo }]);
  expect(notes(open(file))).toHaveLength(2);
});

it('a database with an index of words is replaced where a table beside that is garbled, and not where the index is', () => {
  const file = join(folder, 'catalog.sqlite');
  const { lines, ...rest } = { ...options(), schema: `${SCHEMA} ${WORDS}` };
  const reopen = () => openFile(file, rest).database;
  reopen().close();
  const damaging = new DatabaseSync(file, { defensive: false });
  damaging.exec('DELETE FROM words_data');
  damaging.close();
  reopen().close();
  expect(lines).toEqual([]);
  writeFileSync(file, readFileSync(file).fill(0xff, PAGE_BYTES, 2 * PAGE_BYTES)); // the first table
  reopen().close();
  expect(lines).toHaveLength(1);
});

it.each(['file/state.sqlite', 'folder', 'loop/state.sqlite'])(
  'a database at %s is refused with what to do',
  async (path) => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    symlinkSync('loop', join(folder, 'loop'));
    expect(() => open(join(folder, path))).toThrow(DatabaseUnusable);
    const sentence =
      /cannot be used \(.+\)\. Set DATA_DIR to a folder that this user may write to, or run as root: chown -R \d+ \S+$/;
    await expect(openAlone(join(folder, path))).rejects.toThrow(sentence);
    expect(readdirSync(folder).sort()).toEqual(['file', 'folder', 'loop']);
  },
);

it('a database that another uses is refused after the timeout, and waited for until the caller aborts, or it is free', async () => {
  const file = join(folder, 'state.sqlite');
  const other = await openAlone(file);
  const refused = openAlone(file);
  await expect(refused).rejects.toThrow(DatabaseUnusable);
  await expect(refused).rejects.toThrow('Stop that process, or give this one another DATA_DIR.');
  const stopping = new AbortController();
  const stopped = openAlone(file, 60_000, stopping.signal);
  stopping.abort(new Error('stopping'));
  await expect(stopped).rejects.toThrow('stopping');
  const waited = openAlone(file, 60_000);
  other.close();
  await waited;
});

it('a full disk is told as one', () => {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
  expect(new DatabaseUnusable('state.sqlite', full).message).toContain('Free some space');
  const readOnly = Object.assign(new Error('EROFS'), { code: 'EROFS' });
  expect(new DatabaseUnusable('state.sqlite', readOnly).message).toContain('Mount it so that it can be written');
  expect(new DatabaseUnusable('state.sqlite', new Error('EACCES')).message).toContain('may write to');
});

it('a lock on an open database is an error at once, because waiting would block this thread', () => {
  const file = join(folder, 'cards.sqlite');
  const database = open(file);
  open(file).exec('BEGIN IMMEDIATE');
  expect(() => database.exec("INSERT INTO notes VALUES ('late')")).toThrow('database is locked');
  expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 0 });
});

it('in a folder that takes no files is refused with what to do, at once and not in a loop', () => {
  const program = `
    import { openFile } from ${JSON.stringify(import.meta.resolve('../../../src/storage/sqlite/file.ts'))};
    for (const folder of process.argv.slice(1)) {
      try { openFile(folder + '/state.sqlite', { schema: '', lossMeans: '' }); }
      catch (error) { console.log(error.name + ': ' + error.message); }
    }`;
  const refused = { '/proc/nope': 'mkdir', '/proc/nope/deep': 'mkdir', '/proc/self/fd': 'open' };
  const { stdout, signal } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program, ...Object.keys(refused)],
    {
      encoding: 'utf8',
      timeout: 10_000, // only a loop takes so long
    },
  );
  expect(signal).toBeNull();
  expect(stdout.trim().split('\n')).toEqual(
    Object.entries(refused).map(([at, by]) => expect.stringMatching(`^DatabaseUnusable: ${at}/state.*, ${by} `)),
  );
});

it.each(table`
  nothing happens | : |
  it is written | echo more > open |
  another file is deleted | rm other |
  it is deleted | rm open | open
  another takes its place | mv other open | open
  its write-ahead log is deleted | rm open-wal | open-wal
  its folder is deleted | rm -r "$PWD" | open
`)('when %s, an open file is reported as it should', (_, happens = '', lost = '') => {
  fakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  for (const name of ['open', 'open-wal', 'other']) writeFileSync(join(folder, name), name);
  const told: string[] = [];
  onTestFinished(watchFile(join(folder, 'open'), (reason) => told.push(reason)));
  vi.advanceTimersByTime(60_000);
  execSync(happens, { cwd: folder });
  vi.advanceTimersByTime(120_000);
  expect(told).toEqual(lost ? [`${join(folder, lost)} was deleted or replaced while the bot runs`] : []);
});
