import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import { deleteFilesAside } from '../../../src/storage/sqlite/file.ts';
import { DAY_MS } from '../../../src/time.ts';
import { INFO } from '../../support/log-lines.ts';
import { openedServices } from '../../support/opened-services.ts';
import { startRedis } from '../../support/redis.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FILES = ['state.sqlite', 'cards.sqlite', 'catalog.sqlite', 'names-other/catalog.sqlite'];
const ALICE = { memberId: 'alice', guildId: 'guild' };

let dataDir: string;
beforeEach(() => {
  dataDir = temporaryFolder();
});

/** A start of the bot, a request, and its end. @returns what is counted then, and what its log says of files */
async function started(inRedis = false) {
  const redis = inRedis ? await startRedis() : undefined;
  const ofRedis = redis && { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix };
  const { services, lines, close } = await openedServices({ DATA_DIR: dataDir, ...ofRedis });
  services.ledger.spent(ALICE);
  const { requests } = await services.ledger.memberToday('alice');
  await close();
  return { requests, lines: lines.filter(({ file }) => file !== undefined) };
}

/** As a later version of the bot has left it. */
function write(name: string): DatabaseSync {
  const file = join(dataDir, name);
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA user_version = 99; CREATE TABLE notes (note TEXT)');
  return database;
}

it.each([false, true])(
  'at a start what another version has written is renamed, and named in a line each (over Redis: %s)',
  async (inRedis) => {
    const copy = 'before-update/state.sqlite'; // an operator's own
    for (const name of [...FILES, copy]) write(name).close();
    const { lines } = await started(inRedis);
    const named = FILES.map((name) => join(dataDir, name));
    const renamed = named.map((file) => ({ level: INFO, file, movedTo: `${file}.v99-old` }));
    expect(lines.sort((a, b) => named.indexOf(String(a.file)) - named.indexOf(String(b.file)))).toMatchObject(renamed);
    expect(renamed.filter(({ movedTo }) => !existsSync(movedTo))).toEqual([]);
    expect(existsSync(join(dataDir, copy))).toBe(true);
  },
);

it('at a start what this version has written is read, and so is nothing but that', async () => {
  await started();
  expect(await started()).toEqual({ requests: 2, lines: [] });
  new DatabaseSync(join(dataDir, 'state.sqlite')).exec('PRAGMA user_version = 3');
  expect(await started()).toMatchObject({ requests: 1, lines: [{ movedTo: join(dataDir, 'state.sqlite.v3-old') }] });
});

it('at a start a file of another version that its process still has is renamed once that has ended', async () => {
  const other = write('state.sqlite');
  other.exec("PRAGMA locking_mode = EXCLUSIVE; INSERT INTO notes VALUES ('last')");
  const start = started();
  setImmediate(() => other.close());
  const { lines } = await start;
  expect(lines.at(-1)).toMatchObject({ movedTo: join(dataDir, 'state.sqlite.v99-old') });
  using old = new DatabaseSync(join(dataDir, 'state.sqlite.v99-old'));
  expect(old.prepare('SELECT note FROM notes').all()).toEqual([{ note: 'last' }]);
});

it('at a start a file that another process is just making is no old one', async () => {
  using database = new DatabaseSync(join(dataDir, 'catalog.sqlite'));
  database.exec('PRAGMA journal_mode = WAL');
  expect((await started(true)).lines).toEqual([]);
});

it('what was moved aside is deleted 35 days after it was last written, and so is a daily copy, but nothing else', () => {
  const names = [
    'state.sqlite.v2-old',
    'state.sqlite.corrupt-2026-10-17T10-00-00.000Z-wal',
    'names-a/catalog.sqlite.v1-old',
    'backups/state-2026-01-01.sqlite',
  ];
  const others = ['state.sqlite', 'notes.corrupt-2020-01-01T00', 'backups/notes.txt'];
  for (const name of [...names, ...others]) {
    mkdirSync(join(dataDir, dirname(name)), { recursive: true });
    writeFileSync(join(dataDir, name), name);
    utimesSync(join(dataDir, name), 0, 0);
  }
  const left = () => [...names, ...others].filter((name) => existsSync(join(dataDir, name)));
  deleteFilesAside(dataDir, 35 * DAY_MS);
  expect(left()).toEqual([...names, ...others]);
  deleteFilesAside(dataDir, 35 * DAY_MS + 1);
  expect(left()).toEqual(others);
  deleteFilesAside(join(dataDir, 'missing'), Date.now());
});
