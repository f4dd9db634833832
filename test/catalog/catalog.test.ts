import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Catalog, type CatalogOptions } from '../../src/catalog/catalog.ts';
import { CatalogDatabase } from '../../src/catalog/database.ts';
import { CardStore } from '../../src/known/card-store.ts';
import { cardIdReader } from '../../src/model/card-id.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../src/storage/sqlite/cards.ts';
import { openFile } from '../../src/storage/sqlite/file.ts';
import { sqliteMemberHistory } from '../../src/storage/sqlite/member-history.ts';
import { keysOf } from '../../src/storage/state.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { ERROR, INFO, logLines, WARN } from '../support/log-lines.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { table } from '../table.ts';

const ORIGIN = 'http://cards.test /cards/{id}';
type Member = Omit<Parameters<Catalog['shown']>[0], 'cardIds' | 'isPrivate'>;
const ALICE: Member = { memberId: 'alice', guildId: 'guild' };
const BOB: Member = { memberId: 'bob', guildId: 'guild' };
const CHARIZARD = {
  ...{ id: 'base1-4', name: 'Charizard', game: 'Pokémon', number: '4/102' },
  set: { id: 'base1', name: 'Base' },
};
const CHARIZARD_LINE = {
  ...{ text: 'Charizard', name: 'Charizard', typed: '1 Charizard', count: 1, times: 1 },
  mayBeHeading: false,
};
const LONG_MS = 50_000;

let folder: string;
const opened: Catalog[] = [];
let { log, lines } = logLines();
beforeEach(() => {
  folder = temporaryFolder();
  ({ log, lines } = logLines());
  new CatalogDatabase(folder, log).close(); // without a file there is nothing to search in
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function openCatalog(more: Partial<CatalogOptions> = {}): Catalog {
  const options = { dataDir: folder, cardsDir: folder, cardKeys: keysOf(ORIGIN), keepsMembers: true };
  const catalog = new Catalog({ ...options, readCardId: cardIdReader({}), log, ...more });
  opened.push(catalog);
  return catalog;
}

function importCharizard(): void {
  inCatalog((file) => file.upsert([{ id: 'base1-4', name: 'Charizard' }], 'cards.csv'));
}

async function ids(catalog: Catalog, text: string, who = ALICE): Promise<string[]> {
  return (await catalog.search(text, who, Date.now() + LONG_MS)).map(({ id }) => id);
}

/** That "charizard" finds these cards at once, in this order. */
async function finds(catalog: Catalog, ...found: string[]): Promise<void> {
  expect(await ids(catalog, 'charizard')).toEqual(found);
}

async function findsSoon(catalog: Catalog, ...found: string[]): Promise<void> {
  await expect.poll(() => ids(catalog, 'charizard')).toEqual(found);
}

/** Tells the catalogue that a member was shown these cards, or the usual one. */
function asked(catalog: Catalog, who: Member, ...cardIds: string[]): void {
  catalog.shown({ cardIds: cardIds.length > 0 ? cardIds : ['base1-4'], isPrivate: false, ...who });
}

describe('the catalog', () => {
  it('writes at the end what was learned just before', async () => {
    const catalog = openCatalog();
    catalog.learn(CHARIZARD);
    await catalog.close();
    expect(inCatalog((file) => file.index.stats().cards)).toBe(1);
  });

  it('has nothing of an import in the write-ahead log once that has ended', () => {
    openCatalog();
    importCharizard();
    expect(statSync(join(folder, 'catalog.sqlite-wal')).size).toBe(0);
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
    const members = () => inFile((file) => file.prepare("SELECT who FROM asked WHERE who GLOB '@*'").all());
    await expect.poll(members).toEqual([]);
  });

  it('has written what a member asked for before that is read or deleted, or never does', async () => {
    const catalog = openCatalog();
    const history = sqliteMemberHistory(folder, log, () => catalog.write());
    asked(catalog, ALICE);
    expect(await history.lastCards('alice')).toEqual(['base1-4']);
    await history.forget('alice');
    asked(catalog, ALICE);
    inFile((file) => {
      file.exec('BEGIN IMMEDIATE');
      catalog.write();
    });
    await catalog.close();
    expect(await history.lastCards('alice')).toEqual([]);
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

  it('learns what the cache holds, of this service alone, and passes over what is no card', async () => {
    await cached(ORIGIN, 'base1-1');
    const cache = new DatabaseSync(join(folder, 'cards.sqlite'));
    for (const odd of ['{', 'null', '{"expires":1}', '{"value":{"card":{"name":"x"}}}', '{"value":{"card":{"id":7}}}'])
      cache.prepare('INSERT INTO cards SELECT key || ?1, ?1, expires_at FROM cards LIMIT 1').run(odd);
    cache.exec("DELETE FROM cards WHERE key LIKE '%base1-1'");
    cache.close();
    await cached(ORIGIN, 'base1-4');
    await cached('http://other.test /cards/{id}', 'base2-4');
    const catalog = openCatalog();
    await findsSoon(catalog, 'base1-4');
  });
});

describe('questions', () => {
  const asks = {
    search: (catalog: Catalog, who: Member) => ids(catalog, 'charizard', who),
    searchInList: async (catalog: Catalog, who: Member) =>
      (await catalog.searchInList('charizard', who, Date.now() + LONG_MS)).map(({ card }) => card.id),
    late: (catalog: Catalog, who: Member) => catalog.search('charizard', who, Date.now()),
    mentions: async (catalog: Catalog) => (await catalog.mentions('charizard'))?.ids ?? [],
    resolve: async (catalog: Catalog, who: Member) => [(await catalog.resolve('charizard', who)).kind],
    lines: async (catalog: Catalog) => {
      const lines = Array.from({ length: 25 }, () => CHARIZARD_LINE);
      return (await catalog.resolveLines(lines)).flatMap(({ cards }) => cards).slice(24);
    },
  };

  it.each(table`
    of one member the newest search alone | a search, a searchInList, b search, a search, a search | 3 5
    every text that is to be resolved | a resolve, a resolve, a search | 1 2 3
    what means something before searches | a search, b search, c resolve, d mentions | 3 4 1 2
    a long list after what is typed | b lines, c search, d resolve | 3 2 1
    nothing that is late | a late, b search | 2
  `)('%s: of %s, %s are answered, in this order', async (_, asked, order) => {
    importCharizard();
    const catalog = openCatalog();
    const answered: number[] = [];
    const all = asked.split(', ').map(async (each, at) => {
      const [memberId = '', kind] = each.split(' ');
      const found = await asks[kind as keyof typeof asks](catalog, { ...ALICE, memberId });
      if (found.length > 0) answered.push(at + 1);
    });
    await Promise.all(all);
    expect(answered.join(' ')).toBe(order);
  });

  it.each([
    [1_499, 'one'],
    [1_500, 'unsearched'],
  ])('of what a text means are given up after a second and a half: after %i ms the answer is %s', async (ms, kind) => {
    importCharizard();
    fakeTimers({ toFake: ['Date'] });
    const meant = openCatalog().resolve('charizard', ALICE);
    vi.setSystemTime(Date.now() + ms);
    expect((await meant).kind).toBe(kind);
  });

  it('come in between the lines of a long list', async () => {
    importCharizard();
    const catalog = openCatalog();
    let isDone = false;
    const list = asks.lines(catalog).then(() => {
      isDone = true;
    });
    await finds(catalog, 'base1-4');
    await finds(catalog, 'base1-4');
    expect(isDone).toBe(false);
    await list;
  });
});

describe('a service whose ids have a form', () => {
  const DIGITS = { readCardId: cardIdReader({ ids: 'digits' }) };

  it('a line of a pasted list means no card whose id the service cannot have, and ids as it writes them', async () => {
    const cards = ['0042', 'OP01-025'].map((id) => ({ id, name: `Card ${id}` }));
    inCatalog((file) => file.upsert(cards, 'cards.csv'));
    const lines = cards.map(({ name }) => ({ ...CHARIZARD_LINE, text: name, name }));
    const meant = await openCatalog(DIGITS).resolveLines(lines);
    expect(meant.map((line) => line.cards.map(({ id }) => id))).toEqual([['42'], []]);
  });
});

it('deletes what was moved aside in DATA_DIR and last written more than 35 days ago', async () => {
  const old = join(folder, 'state.sqlite.v2-old');
  writeFileSync(old, '');
  utimesSync(old, 0, 0);
  openCatalog();
  await expect.poll(() => existsSync(old)).toBe(false);
});

describe('what goes wrong', () => {
  it('what a process that was killed had not written is found after the next start, if the cache has it', async () => {
    const killed = openCatalog();
    await finds(killed);
    await cached(ORIGIN, 'base1-4');
    inFile((file) => {
      file.exec('BEGIN IMMEDIATE');
      killed.learn(CHARIZARD);
    });
    opened.pop(); // and is not closed
    inCatalog((file) => expect(file.index.stats().cards).toBe(0));
    await findsSoon(openCatalog(), 'base1-4');
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
    expect(await catalog.resolveLines([CHARIZARD_LINE])).toEqual([{ cards: [], isUnsearched: true }]);
    expect(await catalog.resolve('base1-4', ALICE)).toEqual({ kind: 'id' });
    expect(await catalog.mentions('charizard')).toBe(undefined);
    await expect.poll(() => lines).toMatchObject([{ level: WARN, msg: expect.stringContaining('catalog failed') }]);
  });

  it('what could not be written at first is written later, all of it or nothing', async () => {
    const catalog = openCatalog();
    await finds(catalog);
    const file = new DatabaseSync(join(folder, 'catalog.sqlite'));
    file.exec("CREATE TRIGGER full BEFORE INSERT ON forms BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    catalog.learn(CHARIZARD);
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
  using file = new DatabaseSync(join(folder, 'catalog.sqlite'), { defensive: false }); // so that it can be broken
  return work(file);
}

function inCatalog<T>(work: (file: CatalogDatabase) => T): T {
  const file = new CatalogDatabase(folder, log);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
