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
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Catalog, type CatalogOptions } from '../../src/catalog/catalog.ts';
import { CatalogDatabase } from '../../src/catalog/database.ts';
import { CardStore, keysOf } from '../../src/known/card-store.ts';
import { cardIdReader } from '../../src/service/service-description.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../src/storage/sqlite/cards.ts';
import { openFile } from '../../src/storage/sqlite/file.ts';
import { sqliteMemberHistory } from '../../src/storage/sqlite/member-history.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { ERROR, INFO, logLines, WARN } from '../support/log-lines.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectSaid, table } from '../table.ts';

const ORIGIN = 'http://cards.test /cards/{id}';
type Member = Omit<Parameters<Catalog['shown']>[0], 'cardIds' | 'isPrivate'>;
const ALICE: Member = { memberId: 'alice', guildId: 'guild' };
const CHARIZARD = {
  ...{ id: 'base1-4', name: 'Charizard', game: 'Pokémon', number: '4/102' },
  set: { id: 'base1', name: 'Base' },
};
const CHARIZARD_LINE = {
  ...{ text: 'Charizard', name: 'Charizard', typed: '1 Charizard', count: 1, times: 1 },
  mayBeHeading: false,
};
const LONG_MS = 50_000;
const LEVELS: Record<number, string> = { [INFO]: 'info', [WARN]: 'warn', [ERROR]: 'error' };

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

/**
 * Plays steps with `; ` between them, of the catalog that was opened last: `open`, `open anonymous`, which keeps nothing of members,
 * `close`, `kill`; `learn a1`, `deny a1 b1`, `shown alice a1`, `… abroad` or `… nowhere`; `forget alice`. Of its file: `import list a1
 * b1`, `sql …`, `locked learn a1`: while another connection writes, `hold` and `free`: for longer, `block` and `unblock` its
 * place, `delete`. Of the cards that are kept: `cache a1`, `garble`. `warned`: as soon as the log says so first; `soon a1`: as soon as
 * that is found.
 *
 * @returns what the others told, with ` / ` between: `find text`, `find text as bob`, where `-` is nothing typed; `log`, `cards`, `wal`,
 *   `members`, `aside`; `last alice` looked up
 */
async function says(script: string): Promise<string> {
  const file = join(folder, 'catalog.sqlite');
  const list = (found: readonly string[]) => found.join(' ') || 'none';
  const catalog = () => opened.at(-1) ?? openCatalog();
  const history = sqliteMemberHistory(folder, log, () => catalog().write());
  const members = () => inFile((open) => open.prepare("SELECT who FROM asked WHERE who GLOB '@*'").all());
  const find = (text: string, who: Member) => ids(catalog(), text === '-' ? '' : text, who);
  let holder: DatabaseSync | undefined;
  const steps: Readonly<Record<string, (what: string, ...words: string[]) => unknown>> = {
    open: (how) => void openCatalog({ keepsMembers: how !== 'anonymous' }),
    close: () => catalog().close(),
    kill: () => void opened.pop(),
    learn: (id) => catalog().learn({ ...CHARIZARD, id }),
    deny: (...denied) => void denied.map((id) => catalog().deny(id, false)),
    shown(memberId, id = '', where = '') {
      const away = where && { isInstalled: false };
      const guildId = where === 'nowhere' ? undefined : 'guild';
      catalog().shown({ cardIds: [id], isPrivate: false, memberId, guildId, ...away });
    },
    forget: (memberId) => history.forget(memberId),
    last: async (memberId) => list((await history.lastCards(memberId)) ?? []),
    import(name, ...imported) {
      const cards = imported.map((id) => ({ id, name: 'Charizard' }));
      inCatalog((open) => open.upsert(cards, `${name}.csv`));
    },
    sql: (...words) => inFile((open) => open.exec(words.join(' '))),
    locked: (verb, id) =>
      inFile((open) => {
        open.exec('BEGIN IMMEDIATE');
        if (verb === 'learn') catalog().learn({ ...CHARIZARD, id });
        else catalog().write();
      }),
    hold() {
      holder = new DatabaseSync(file);
      holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    },
    free: () => holder?.close(),
    block() {
      renameSync(file, `${file}.moved`);
      mkdirSync(file); // cannot be opened
    },
    unblock: () => rmdirSync(file),
    delete: () => rmSync(file),
    cache: (id) => cached(ORIGIN, id),
    garble: () => writeFileSync(join(folder, 'cards.sqlite'), 'this is no database'.repeat(100)),
    warned: () => expect.poll(() => lines[0]).toMatchObject({ level: WARN }),
    soon: (...found) => expect.poll(() => find('charizard', ALICE)).toEqual(found),
    find: async (text, _, memberId = 'alice') => list(await find(text.replaceAll('_', ' '), { ...ALICE, memberId })),
    log: () => lines.map(({ level, source, msg }) => `${LEVELS[level]} ${source ?? msg}`).join(', '),
    cards: () => String(inCatalog((open) => open.index.stats().cards)),
    wal: () => String(statSync(`${file}-wal`).size),
    members: () => expect.poll(members).toEqual([]),
    aside: () => list(readdirSync(folder).filter((name) => name.includes('corrupt'))),
  };
  const said: string[] = [];
  for (const step of script.split('; ')) {
    const [verb = '', what = '', ...words] = step.split(' ');
    const told = await (steps[verb] ?? expect.fail(`no step: ${step}`))(what, ...words);
    if (typeof told === 'string') said.push(told);
  }
  return said.join(' / ');
}

it.each(table`
  the catalog writes at the end what was learned just before | learn base1-4; close; cards | 1
  it has nothing of an import in the write-ahead log once that has ended | open; import cards base1-4; wal | 0
  it offers what was asked for in a foreign place to the member alone, and puts it before nothing for others | learn b2; learn a1; shown alice b2 abroad; shown alice b2 nowhere; find -; find - as bob; find charizard as bob | b2 / none / a1 b2
  it keeps nothing about members when it may not, but of servers, and deletes what it kept before | learn base1-4; shown alice base1-4; find -; close; open anonymous; shown bob base1-4; find - as bob; members | base1-4 / base1-4
  it has written what a member asked for before that is read or deleted, or never does | shown alice base1-4; last alice; forget alice; shown alice base1-4; locked write; close; last alice | base1-4 / none
  it withdraws an import of which five cards were denied and none confirmed until one is, with a line in the log each | import foreign a1 b1 c1 d1 e1 f1; import ours x1; deny a1 b1 c1 d1 e1; soon x1; log; learn f1; soon f1 x1; log | warn foreign.csv / warn foreign.csv, info foreign.csv
  what a process that was killed had not written is found after the next start, if the cache has it | find charizard; cache base1-4; locked learn base1-4; kill; cards; open; soon base1-4 | none / 0
  a cache that cannot be read costs no card of the catalog, with one line in the log | garble; import cards base1-4; find charizard; warned; find charizard; log; aside | base1-4 / base1-4 / warn saved cards cannot be read for search: each is found by its name once it is looked up again / none
  an index that turns out to be corrupt is replaced, and filled from the cache, with one line in the log | cache base1-4; soon base1-4; sql UPDATE card_words_data SET block = x'00ff00ff00ff00ff'; find base_charizard; soon base1-4; log | none / error database file is corrupt and was moved aside: cards are learned again from what the service answered; files have to be imported again
  a file that was deleted is begun anew, and filled from the cache, and the log says so once | cache base1-4; soon base1-4; delete; soon base1-4; log | error the catalog was replaced or deleted while the bot runs: its lists may have to be imported again
  a file in whose place another stands is used as soon as that can be opened | find charizard; block; find charizard; find charizard; unblock; import cards base1-4; find charizard | none / none / none / base1-4
  what could not be written at first is written later, all of it or nothing | find charizard; sql CREATE TRIGGER full BEFORE INSERT ON forms BEGIN SELECT RAISE(ABORT, 'disk full');END; learn base1-4; warned; find charizard; sql DROP TRIGGER full; soon base1-4; find charizrad | none / none / base1-4
  what is learned while the file cannot be opened is there soon after it can | hold; learn base1-4; find charizard; warned; free; soon base1-4 | none
`)('%s', expectSaid(says));

it('the catalog learns what the cache holds, of this service alone, and passes over what is no card', async () => {
  await cached(ORIGIN, 'base1-1');
  const cache = new DatabaseSync(join(folder, 'cards.sqlite'));
  for (const odd of ['{', 'null', '{"expires":1}', '{"value":{"card":{"name":"x"}}}', '{"value":{"card":{"id":7}}}'])
    cache.prepare('INSERT INTO cards SELECT key || ?1, ?1, expires_at FROM cards LIMIT 1').run(odd);
  cache.exec("DELETE FROM cards WHERE key LIKE '%base1-1'");
  cache.close();
  await cached(ORIGIN, 'base1-4');
  await cached('http://other.test /cards/{id}', 'base2-4');
  const catalog = openCatalog();
  await expect.poll(() => ids(catalog, 'charizard')).toEqual(['base1-4']);
});

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
`)('questions: %s: of %s, %s are answered, in this order', async (_, asked, order) => {
  importCharizard();
  fakeTimers({ toFake: ['Date'] }); // none is late on a busy machine
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
])(
  'questions of what a text means are given up after a second and a half: after %i ms the answer is %s',
  async (ms, kind) => {
    importCharizard();
    fakeTimers({ toFake: ['Date'] });
    const meant = openCatalog().resolve('charizard', ALICE);
    vi.setSystemTime(Date.now() + ms);
    expect((await meant).kind).toBe(kind);
  },
);

it('questions come in between the lines of a long list', async () => {
  importCharizard();
  const catalog = openCatalog();
  let isDone = false;
  const list = asks.lines(catalog).then(() => {
    isDone = true;
  });
  expect(await ids(catalog, 'charizard')).toEqual(['base1-4']);
  expect(await ids(catalog, 'charizard')).toEqual(['base1-4']);
  expect(isDone).toBe(false);
  await list;
});

it('a line of a pasted list means no card whose id the service cannot have, and ids as it writes them', async () => {
  const cards = ['0042', 'OP01-025'].map((id) => ({ id, name: `Card ${id}` }));
  inCatalog((file) => file.upsert(cards, 'cards.csv'));
  const lines = cards.map(({ name }) => ({ ...CHARIZARD_LINE, text: name, name }));
  const meant = await openCatalog({ readCardId: cardIdReader({ ids: 'digits' }) }).resolveLines(lines);
  expect(meant.map((line) => line.cards.map(({ id }) => id))).toEqual([['42'], []]);
});

it('deletes what was moved aside in DATA_DIR and last written more than 35 days ago', async () => {
  const old = join(folder, 'state.sqlite.v2-old');
  writeFileSync(old, '');
  utimesSync(old, 0, 0);
  openCatalog();
  await expect.poll(() => existsSync(old)).toBe(false);
});

it('a folder that cannot be used is told once, and finds nothing: only what has a digit is then taken for an id', async () => {
  writeFileSync(join(folder, 'file'), '');
  const catalog = openCatalog({ dataDir: join(folder, 'file') });
  catalog.learn(CHARIZARD);
  expect(await ids(catalog, 'charizard')).toEqual([]);
  expect(await catalog.resolve('charizard', ALICE)).toEqual({ kind: 'unsearched' });
  expect(await catalog.resolveLines([CHARIZARD_LINE])).toEqual([{ cards: [], isUnsearched: true }]);
  expect(await catalog.resolve('base1-4', ALICE)).toEqual({ kind: 'id' });
  expect(await catalog.mentions('charizard')).toBe(undefined);
  await expect.poll(() => lines).toMatchObject([{ level: WARN, msg: expect.stringContaining('catalog failed') }]);
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
  database.close();
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
