import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
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

const SCHEMA = 'CREATE TABLE IF NOT EXISTS notes (note TEXT NOT NULL);';
const WORDS = 'CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (word);';
const PAGE_BYTES = 4_096;
const HOLDER = `
  import { DatabaseSync } from 'node:sqlite';
  import { openExclusively } from ${JSON.stringify(import.meta.resolve('../../../src/storage/sqlite/file.ts'))};
  globalThis.held = await openExclusively(process.argv[1], { schema: ${JSON.stringify(SCHEMA)} }, 0);
  process.stdin.resume().on('end', () => process.exit(0));
  console.log('open');
`;

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

/** Another process that holds the file until it is let go, or killed. */
async function otherProcess(file: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    async leave(how: 'end' | 'kill') {
      if (how === 'end') child.stdin.end();
      else child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('a database', () => {
  it('is created with its folder, and keeps what was written', () => {
    const file = join(folder, 'new', 'deep', 'state.sqlite');
    open(file).exec("INSERT INTO notes VALUES ('kept')");
    opened.pop()?.close();
    expect(notes(open(file))).toEqual(['kept']);
  });

  it.each([true, false])('can be read by its owner only, side files too (exclusive: %s)', async (isExclusive) => {
    const file = join(folder, 'state.sqlite');
    writeFileSync(file, '', { mode: 0o644 });
    (isExclusive ? await openAlone(file) : open(file)).exec("INSERT INTO notes VALUES ('secret')");
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  it('makes a folder that only its owner may enter', () => {
    open(join(folder, 'data', 'state.sqlite'));
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
  });

  it('that is damaged is put aside with an error in the log, and replaced by a new one', () => {
    const file = join(folder, 'cards.sqlite');
    writeFileSync(file, 'this is no database'.repeat(100));
    const { lines, ...rest } = options();
    const database = open(file, rest);
    expect(notes(database)).toEqual([]);
    const movedTo = join(folder, readdirSync(folder).find((name) => name.includes('.corrupt-')) ?? '');
    expect(readFileSync(movedTo, 'utf8')).toContain('this is no database');
    const msg = 'database file is corrupt and was moved aside: notes are lost';
    expect(lines).toMatchObject([{ level: ERROR, msg, movedTo, file }]);
  });

  it('that is damaged is put aside once, by whichever process is first', () => {
    const { lines, ...rest } = options();
    const file = join(folder, 'cards.sqlite');
    for (const found of [0, 1].map(() => openFile(file, rest))) {
      putDamagedAside(found, new Error('malformed'), rest);
      open(file, rest).exec("INSERT INTO notes VALUES ('new')");
    }
    expect(lines).toHaveLength(1);
    expect(notes(open(file))).toHaveLength(2);
  });

  it('that is damaged and must not be lost is refused with what to do, and left where it is', async () => {
    const file = join(folder, 'state.sqlite');
    writeFileSync(file, 'this is no database'.repeat(100));
    await expect(openAlone(file)).rejects.toThrow(/state\.sqlite cannot be used \(.+\)\. Put the newest of backups\//);
    expect(readFileSync(file, 'utf8')).toContain('this is no database');
  });

  it('with an index of words is replaced where a table beside that is garbled, and not where the index is', () => {
    const file = join(folder, 'catalog.sqlite');
    const { log, lines, ...rest } = options();
    const reopen = () => openFile(file, { ...rest, log, schema: `${SCHEMA} ${WORDS}` }).database;
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

  it.each([
    ['below a file', (): string => join(folder, 'file', 'state.sqlite')],
    ['where a folder is', (): string => join(folder, 'folder')],
  ])('%s is refused with what to do', async (_, path) => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    expect(() => open(path())).toThrow(DatabaseUnusable);
    const sentence =
      /cannot be used \(.+\)\. Set DATA_DIR to a folder that this user may write to, or run as root: chown -R \d+ \S+$/;
    await expect(openAlone(path())).rejects.toThrow(sentence);
    expect(readdirSync(folder).sort()).toEqual(['file', 'folder']);
  });
});

it('a path that cannot even be looked at is told as one, with what to do', () => {
  symlinkSync('loop', join(folder, 'loop'));
  expect(() => openFile(join(folder, 'loop', 'state.sqlite'), options())).toThrow(DatabaseUnusable);
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
  const folders = ['/proc/nope', '/proc/nope/deep', '/proc/self/fd'];
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program, ...folders], {
    encoding: 'utf8',
    timeout: 10_000, // only a loop takes so long
  });
  expect(signal).toBeNull();
  expect(stdout.trim().split('\n')).toEqual(
    folders.map((at) => expect.stringMatching(`^DatabaseUnusable: ${at}/state`)),
  );
});

describe('a database that another process uses', () => {
  it('is refused after the timeout, and opened once the other process has ended', async () => {
    const file = join(folder, 'state.sqlite');
    const other = await otherProcess(file);
    const refused = openAlone(file);
    await expect(refused).rejects.toThrow(DatabaseUnusable);
    await expect(refused).rejects.toThrow('Stop that process, or give this one another DATA_DIR.');
    const waited = openAlone(file, 60_000);
    await other.leave('end');
    await waited;
  });

  it('is free when the other process was killed, with everything that it wrote', async () => {
    const file = join(folder, 'state.sqlite');
    open(file).exec("INSERT INTO notes VALUES ('kept')");
    opened.pop()?.close();
    const other = await otherProcess(file);
    await other.leave('kill');
    expect(notes(await openAlone(file))).toEqual(['kept']);
  });

  it('is waited for only until the caller aborts', async () => {
    const file = join(folder, 'state.sqlite');
    await openAlone(file);
    const stopping = new AbortController();
    const waited = openAlone(file, 60_000, stopping.signal);
    stopping.abort(new Error('stopping'));
    await expect(waited).rejects.toThrow('stopping');
  });
});

it.each<[string, () => unknown, string | undefined]>([
  ['nothing happens', () => {}, undefined],
  ['it is written', () => writeFileSync(join(folder, 'open'), 'more'), undefined],
  ['another file is deleted', () => rmSync(join(folder, 'other')), undefined],
  ['it is deleted', () => rmSync(join(folder, 'open')), 'open'],
  ['another takes its place', () => renameSync(join(folder, 'other'), join(folder, 'open')), 'open'],
  ['its write-ahead log is deleted', () => rmSync(join(folder, 'open-wal')), 'open-wal'],
  ['its folder is deleted', () => rmSync(folder, { recursive: true }), 'open'],
])('when %s, an open file is reported as it should', (_, happens, lost) => {
  fakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  for (const name of ['open', 'open-wal', 'other']) writeFileSync(join(folder, name), name);
  const told: string[] = [];
  onTestFinished(watchFile(join(folder, 'open'), (reason) => told.push(reason)));
  vi.advanceTimersByTime(60_000);
  happens();
  vi.advanceTimersByTime(120_000);
  expect(told).toEqual(lost === undefined ? [] : [`${join(folder, lost)} was deleted or replaced while the bot runs`]);
});
