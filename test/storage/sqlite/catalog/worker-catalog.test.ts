import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CardStore } from '../../../../src/known/card-store.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../../../src/storage/sqlite/cards.ts';
import { CatalogDatabase } from '../../../../src/storage/sqlite/catalog/database.ts';
import { WorkerCatalog, type WorkerCatalogOptions } from '../../../../src/storage/sqlite/catalog/worker-catalog.ts';
import { openFile } from '../../../../src/storage/sqlite/file.ts';
import { keysOf } from '../../../../src/storage/state.ts';
import { ERROR, INFO, logLines, WARN } from '../../../support/log-lines.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const ORIGIN = 'http://cards.test /cards/{id}';
type Member = Omit<Parameters<WorkerCatalog['shown']>[0], 'cardIds' | 'isPrivate'>;
const ALICE: Member = { memberId: 'alice', guildId: 'guild' };
const BOB: Member = { memberId: 'bob', guildId: 'guild' };
const CHARIZARD = {
  ...{ id: 'base1-4', name: 'Charizard', game: 'Pokémon', number: '4/102' },
  set: { id: 'base1', name: 'Base' },
};
const LONG_MS = 50_000;

let folder: string;
const opened: WorkerCatalog[] = [];
let { log, lines } = logLines();
beforeEach(() => {
  folder = temporaryFolder();
  ({ log, lines } = logLines());
  CatalogDatabase.open(folder, log).close(); // without a file there is nothing to search in
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function openCatalog(more: Partial<WorkerCatalogOptions> = {}): WorkerCatalog {
  const catalog = new WorkerCatalog({ dataDir: folder, keepsMembers: true, cardKeys: keysOf(ORIGIN), log, ...more });
  opened.push(catalog);
  return catalog;
}

/** With the worker that its first search has begun. */
async function withWorker(...found: string[]): Promise<{ catalog: WorkerCatalog; worker: Worker }> {
  const started = once(process, 'worker');
  const catalog = openCatalog();
  await finds(catalog, ...found);
  const [worker] = await started;
  return { catalog, worker };
}

function importCharizard(): void {
  inCatalog((file) => file.upsert([{ id: 'base1-4', name: 'Charizard' }], 'cards.csv'));
}

async function ids(catalog: WorkerCatalog, text: string, who = ALICE): Promise<string[]> {
  return (await catalog.search(text, who, Date.now() + LONG_MS)).map(({ id }) => id);
}

/** That "charizard" finds these cards at once, in this order. */
async function finds(catalog: WorkerCatalog, ...found: string[]): Promise<void> {
  expect(await ids(catalog, 'charizard')).toEqual(found);
}

async function findsSoon(catalog: WorkerCatalog, ...found: string[]): Promise<void> {
  await expect.poll(() => ids(catalog, 'charizard')).toEqual(found);
}

/** Tells the catalogue that a member was shown these cards, or the usual one. */
function asked(catalog: WorkerCatalog, who: Member, ...cardIds: string[]): void {
  catalog.shown({ cardIds: cardIds.length > 0 ? cardIds : ['base1-4'], isPrivate: false, ...who });
}

/** Stops time for what waits, until the test ends or goes on. */
function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('the catalog', () => {
  it('writes at the end what was learned just before', async () => {
    const { catalog } = await withWorker();
    catalog.learn(CHARIZARD);
    await catalog.close();
    expect(inCatalog((file) => file.index.stats().cards)).toBe(1);
  });

  it('answers at once as long as there is nothing to search in, and finds what is learned then', async () => {
    const dataDir = join(folder, 'new');
    mkdirSync(dataDir);
    stopTimers(); // the worker does not begin by itself meanwhile
    const catalog = openCatalog({ dataDir });
    expect(await catalog.resolve('charizard', ALICE)).toEqual({ kind: 'id' });
    await finds(catalog);
    expect(readdirSync(dataDir)).toEqual([]);
    vi.useRealTimers();
    catalog.learn(CHARIZARD);
    await finds(catalog, 'base1-4');
  });

  it('offers what was asked for in a foreign place to the member alone, and puts it before nothing for others', async () => {
    const catalog = openCatalog();
    for (const id of ['b2', 'a1']) catalog.learn({ ...CHARIZARD, id });
    for (const guildId of ['guild', undefined]) asked(catalog, { ...ALICE, guildId, isInstalled: false }, 'b2');
    expect(await ids(catalog, '')).toEqual(['b2']);
    expect(await ids(catalog, '', BOB)).toEqual([]);
    expect(await ids(catalog, 'charizard', BOB)).toEqual(['a1', 'b2']);
  });

  it('keeps nothing about members when it may not, and deletes what it kept before', async () => {
    const kept = openCatalog();
    kept.learn(CHARIZARD);
    asked(kept, ALICE);
    expect(await ids(kept, '')).toEqual(['base1-4']);
    await kept.close();
    const catalog = openCatalog({ keepsMembers: false });
    asked(catalog, BOB);
    expect(await ids(catalog, '', BOB)).toEqual(['base1-4']); // by the server
    const members = () => inFile((file) => file.prepare('SELECT member FROM asked_by_member').all());
    await expect.poll(members).toEqual([]);
  });

  it('withdraws an import of which five cards were denied and none confirmed until one is, with a line in the log each', async () => {
    const cards = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id: `${id}1`, name: 'Charizard' }));
    inCatalog((file) => file.upsert(cards, 'foreign.csv'));
    inCatalog((file) => file.upsert([{ id: 'x1', name: 'Charizard' }], 'ours.csv'));
    const catalog = openCatalog();
    for (const { id } of cards.slice(0, 5)) catalog.deny(id, false);
    await findsSoon(catalog, 'x1');
    expect(lines).toMatchObject([{ level: WARN, source: 'foreign.csv' }]);
    catalog.learn({ ...CHARIZARD, id: 'f1' });
    await findsSoon(catalog, 'f1', 'x1');
    expect(lines.slice(1)).toMatchObject([{ level: INFO, source: 'foreign.csv' }]);
  });

  it('learns what the cache holds, of this service alone', async () => {
    await cached(ORIGIN, 'base1-4');
    await cached('http://other.test /cards/{id}', 'base2-4');
    const catalog = openCatalog();
    await findsSoon(catalog, 'base1-4');
  });
});

describe('the worker', () => {
  /** How many began while the test ran. */
  function countWorkers(): () => Promise<number> {
    let count = 0;
    const onWorker = () => void count++;
    process.on('worker', onWorker);
    onTestFinished(() => void process.off('worker', onWorker));
    return async () => {
      await setImmediate(); // Node tells of a worker a moment later
      return count;
    };
  }

  it('begins half a minute after the start, although something was learned before', async () => {
    stopTimers();
    const begun = countWorkers();
    openCatalog().learn(CHARIZARD);
    vi.advanceTimersByTime(30_000 - 1);
    expect(await begun()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(await begun()).toBe(1);
    vi.useRealTimers();
  });

  it('deletes what was moved aside in DATA_DIR and last written more than 35 days ago', async () => {
    const old = join(folder, 'state.sqlite.v2-old');
    writeFileSync(old, '');
    utimesSync(old, 0, 0);
    await finds(openCatalog());
    await expect.poll(() => existsSync(old)).toBe(false);
  });
});

describe('what is learned', () => {
  it('while there is no worker is kept, the newest 1,000', async () => {
    const catalog = openCatalog();
    for (let at = 0; at < 1_001; at++) catalog.learn({ ...CHARIZARD, id: `base-${at}` });
    expect(await ids(catalog, 'base-0')).not.toContain('base-0');
    expect(inCatalog((file) => file.index.stats().cards)).toBe(1_000);
  });
});

describe('what goes wrong', () => {
  it('a worker that dies is started again', async () => {
    importCharizard();
    const { catalog, worker } = await withWorker('base1-4');
    vi.spyOn(worker, 'postMessage').mockReturnValue(undefined); // it would have answered
    const waiting = ids(catalog, 'charizard');
    await worker.terminate();
    expect(await waiting).toEqual([]);
    await findsSoon(catalog, 'base1-4');
  });

  it('a cache that cannot be read costs no card of the catalog, with one line in the log', async () => {
    writeFileSync(join(folder, 'cards.sqlite'), 'this is no database'.repeat(100));
    importCharizard();
    const catalog = openCatalog();
    await finds(catalog, 'base1-4');
    await expect.poll(() => lines).toMatchObject([{ level: WARN, msg: expect.stringContaining('saved cards') }]);
    await finds(catalog, 'base1-4');
    expect(readdirSync(folder).filter((name) => name.includes('corrupt'))).toEqual([]);
  });

  it('an index that turns out to be corrupt is replaced, and filled from the cache, with one line in the log', async () => {
    await cached(ORIGIN, 'base1-4');
    const catalog = openCatalog();
    await findsSoon(catalog, 'base1-4');
    inFile((file) => file.exec("UPDATE card_words_data SET block = x'00ff00ff00ff00ff'"));
    await expect.poll(() => ids(catalog, 'base charizard')).toEqual(['base1-4']);
    expect(lines).toMatchObject([{ level: ERROR, msg: expect.stringContaining('corrupt') }]);
  });

  it('a file that was deleted is begun anew, and filled from the cache, and the log says so once', async () => {
    await cached(ORIGIN, 'base1-4');
    const catalog = openCatalog();
    await findsSoon(catalog, 'base1-4');
    rmSync(join(folder, 'catalog.sqlite'));
    await findsSoon(catalog, 'base1-4');
    expect(lines).toMatchObject([{ level: ERROR, msg: expect.stringContaining('deleted while the bot runs') }]);
  });

  it('a file in whose place another stands is used as soon as that can be opened', async () => {
    const catalog = openCatalog();
    await finds(catalog);
    const file = join(folder, 'catalog.sqlite');
    renameSync(file, `${file}.moved`);
    mkdirSync(file); // cannot be opened
    for (let time = 0; time < 2; time++) await finds(catalog);
    rmdirSync(file);
    importCharizard();
    await finds(catalog, 'base1-4');
  });

  it('a folder that cannot be used is told once, and finds nothing: only what has a digit is then taken for an id', async () => {
    writeFileSync(join(folder, 'file'), '');
    const catalog = openCatalog({ dataDir: join(folder, 'file') });
    catalog.learn(CHARIZARD);
    await finds(catalog);
    expect(await catalog.resolve('charizard', ALICE)).toEqual({ kind: 'unsearched' });
    const line = {
      text: 'Tarn',
      name: 'Tarn',
      typed: '1 Tarn',
      count: 1,
      isCounted: true,
      times: 1,
      mayBeHeading: false,
    };
    expect(await catalog.resolveLines([line], ALICE)).toEqual([{ cards: [], isUnsearched: true }]);
    expect(await catalog.resolve('base1-4', ALICE)).toEqual({ kind: 'id' });
    expect(await catalog.mentions('charizard', ALICE)).toBe(undefined);
    await expect.poll(() => lines).toMatchObject([{ level: WARN, msg: expect.stringContaining('catalog failed') }]);
  });

  it('what could not be written at first is written later, all of it or nothing', async () => {
    const catalog = openCatalog();
    await finds(catalog);
    const file = new DatabaseSync(join(folder, 'catalog.sqlite'));
    file.exec("CREATE TRIGGER full BEFORE INSERT ON asked_in_server BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    catalog.learn(CHARIZARD);
    asked(catalog, ALICE);
    await expect.poll(() => lines[0]).toMatchObject({ level: WARN });
    await finds(catalog);
    file.exec('DROP TRIGGER full');
    file.close();
    await findsSoon(catalog, 'base1-4');
    expect(await ids(catalog, 'charizrad')).toEqual(['base1-4']); // words that were taken back are known again
  });

  it('what is learned while the file cannot be opened is there soon after it can', async () => {
    const file = new DatabaseSync(join(folder, 'catalog.sqlite'));
    file.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    const catalog = openCatalog();
    catalog.learn(CHARIZARD);
    await finds(catalog);
    await expect.poll(() => lines[0]).toMatchObject({ level: WARN });
    file.close();
    await findsSoon(catalog, 'base1-4');
  });
});

async function cached(origin: string, id: string): Promise<void> {
  const { database } = openFile(join(folder, 'cards.sqlite'), { log, schema: CARDS_SCHEMA, lossMeans: '' });
  const store = new CardStore({
    log,
    store: new SqliteStore(database),
    memoryBytes: 1_000,
    keepMs: 1e9,
    keyPrefix: keysOf(origin),
  });
  await store.set(id, { card: { ...CHARIZARD, id }, fetchedAtMs: Date.now() });
  await store.close();
}

function inFile<T>(work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(join(folder, 'catalog.sqlite'), { defensive: false }); // so that it can be broken
  try {
    return work(file);
  } finally {
    file.close();
  }
}

function inCatalog<T>(work: (file: CatalogDatabase) => T): T {
  const file = CatalogDatabase.open(folder, log);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
