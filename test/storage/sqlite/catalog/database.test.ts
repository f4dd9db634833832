import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CatalogDatabase } from '../../../../src/storage/sqlite/catalog/database.ts';
import { logLines } from '../../../support/log-lines.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { table } from '../../../table.ts';

const CHARIZARD = { id: 'base1-4', name: 'Charizard', set: 'Base', number: '4/102', game: 'Pokémon' };
const HO_OH = { id: 'neo3-7', name: 'Ho-Oh' };

let folder: string;
let catalog: CatalogDatabase;
const { log, lines } = logLines();
beforeEach(() => {
  folder = temporaryFolder();
  catalog = CatalogDatabase.open(folder, log);
});
afterEach(() => {
  catalog.close();
});

describe('the catalog', () => {
  it('keeps what it was given, and can be read by its owner only', () => {
    expect(catalog.upsert([CHARIZARD, HO_OH], 'cards.csv')).toHaveLength(2);
    catalog.close();
    catalog = CatalogDatabase.open(folder, log);
    expect([...catalog.index.rows()]).toEqual([CHARIZARD, HO_OH]);
    expect(catalog.index.stats()).toMatchObject({ confirmed: 0, imports: [{ source: 'cards.csv', unconfirmed: 2 }] });
    expect(statSync(catalog.file).mode & 0o777).toBe(0o600);
    expect(lines).toEqual([]);
  });

  it('is not changed by the same rows', () => {
    catalog.upsert([CHARIZARD], 'cards.csv');
    expect(catalog.upsert([CHARIZARD], 'cards.csv')).toHaveLength(0);
    expect(catalog.upsert([CHARIZARD], undefined)).toHaveLength(1);
    expect(catalog.upsert([CHARIZARD], undefined)).toHaveLength(0);
  });

  it('believes the service rather than a file', () => {
    catalog.upsert([{ ...CHARIZARD, name: 'Glurak' }], 'cards.csv');
    catalog.upsert([CHARIZARD], undefined);
    catalog.upsert([{ ...CHARIZARD, name: 'Dracaufeu' }], 'other.csv');
    expect([...catalog.index.rows()]).toMatchObject([{ name: 'Charizard' }]);
    expect(catalog.index.stats()).toMatchObject({ cards: 1, confirmed: 1 });
    expect(catalog.upsert([{ ...CHARIZARD, name: 'Dracaufeu' }], 'other.csv')).toHaveLength(0);
  });

  const CARDS = Array.from({ length: 8 }, (_, at) => ({ id: `neo3-${at}`, name: 'Ho-Oh' }));
  const offered = () => catalog.index.withNameKey('hooh').map(({ card }) => card.id);
  /** Of the cards by number: `june 0-7` imports them from a file, `ok 5` confirms, `no 0-4` denies them. */
  const play = (steps: string) => {
    for (const [, what = '', from, to] of steps.matchAll(/(\w+) (\d)(?:-(\d))?/g)) {
      const cards = CARDS.slice(Number(from), Number(to ?? from) + 1);
      if (what === 'no') for (const { id } of cards) catalog.deny(id, false);
      else if (what === 'ok') catalog.upsert(cards, undefined);
      else {
        catalog.beginImport(what);
        catalog.upsert(cards, what);
      }
    }
  };

  it.each(table`
    nothing of it without a confirmation | june 0-7, no 0-4 |
    it once one of its cards is confirmed | june 0-7, no 0-4, ok 5 | 5 6 7
    it where one was confirmed before it | ok 5, june 0-7, no 0-4 | 5 6 7
    it where one was confirmed under the name of another file | may 0-7, ok 5, june 0-7, no 0-4 | 5 6 7
    it where one was confirmed of the import before the last, too | june 0-7, may 5, ok 5, no 0-4 | 5 6 7
    of it what another import names | may 6-7, june 0-6, no 0-4 | 6 7
    nothing of it where the service took the confirmation back | ok 5, no 5, june 0-7, no 0-4 |
  `)('offers after five denials of an import %s: %s', (_, steps, numbers) => {
    play(steps);
    expect(offered()).toEqual(numbers.split(' ').flatMap((number) => (number ? [`neo3-${number}`] : [])));
  });

  it('hides what it withdraws, until the service confirms one of its cards', () => {
    play('june 0-7, no 0-4');
    expect([[...catalog.index.rows()], catalog.index.withIdKey('neo37')]).toEqual([[], []]);
    const imports = [{ unconfirmed: 3, isWithdrawn: true }];
    expect(catalog.index.stats()).toMatchObject({ cards: 0, names: 0, imports });
    play('ok 5');
    expect(catalog.index.stats()).toMatchObject({ imports: [{ unconfirmed: 2, isWithdrawn: false }] });
  });

  it('does not know words that only withdrawn cards have together', () => {
    play('june 0-7, no 0-4');
    catalog.upsert([CHARIZARD], 'more.csv');
    const begins = (word: string) => [{ word, begins: false }];
    expect(catalog.index.hasWords([begins('ho')])).toBe(false);
    expect(catalog.index.hasWords([begins('charizard'), begins('base')])).toBe(true);
  });

  it('finds no card by no words', () => {
    catalog.upsert([CHARIZARD], 'cards.csv');
    const { index } = catalog;
    const found = [index.withWords([]), index.allWithWords([]), index.hasWords([]), index.countWithWords([])];
    expect(found).toEqual([[], [], false, 0]);
  });

  it('offers of a withdrawn import that is imported again what its file has now', () => {
    play('june 0-7, no 0-4');
    catalog.beginImport('june');
    expect(catalog.upsert([...CARDS.slice(0, 7), { id: 'neo3/7', name: 'Ho-Oh' }], 'june')).toHaveLength(3);
    expect(offered()).toEqual(['neo3-5', 'neo3-6', 'neo3/7']);
    play('ok 5');
    expect(offered()).not.toContain('neo3-7');
  });

  it('finds a mistyped name whose first transaction was rolled back', () => {
    const broken = () =>
      catalog.inTransaction(() => {
        catalog.upsert([CHARIZARD], undefined);
        throw new Error('disk full');
      });
    expect(broken).toThrow('disk full');
    catalog.upsert([CHARIZARD], undefined);
    expect(catalog.index.vocabulary().meantBy('charizrad')).toMatchObject([{ word: 'charizard' }]);
  });

  it('opens without reading through its index of words, and notices broken tables', () => {
    catalog.upsert([CHARIZARD, HO_OH], undefined);
    const { log: ofThis, lines: told } = logLines();
    const reopened = (damage: (file: DatabaseSync) => void) => {
      catalog.close();
      const file = new DatabaseSync(catalog.file, { defensive: false });
      damage(file);
      file.close();
      catalog = CatalogDatabase.open(folder, ofThis);
      return told.length;
    };
    expect(reopened((file) => file.exec('DELETE FROM card_words_data WHERE id > 10'))).toBe(0);
    const garbled = (file: DatabaseSync) => {
      const { page } = file.prepare("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'cards'").get() ?? {};
      file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      const end = Number(page) * 4_096;
      writeFileSync(catalog.file, readFileSync(catalog.file).fill(0xff, end - 4_096, end));
    };
    expect(reopened(garbled)).toBe(1);
  });

  it('that two find corrupt at the same moment is moved aside once', () => {
    const { log: ofThis, lines: told } = logLines();
    const [one, other] = [CatalogDatabase.open(folder, ofThis), CatalogDatabase.open(folder, ofThis)];
    const corruption = new Error('malformed');
    one.discard(corruption);
    CatalogDatabase.open(folder, ofThis).close();
    other.discard(corruption);
    expect(readdirSync(folder).filter((name) => /corrupt-.*Z$/.test(name))).toHaveLength(1);
    expect(catalog.isReplaced()).toBe(true);
    expect(told).toHaveLength(1);
  });

  it('keeps what only a file says of a card when the service confirms it, and takes it later', () => {
    const said = { also: ['Glurak', 'ドラゴン'], released: '1999-01-09' };
    catalog.upsert([{ ...CHARIZARD, ...said }], 'cards.csv');
    catalog.upsert([{ ...CHARIZARD, set: 'Base Set' }, HO_OH], undefined);
    expect([...catalog.index.rows()][0]).toMatchObject({ set: 'Base Set', ...said });
    expect(catalog.upsert([{ ...HO_OH, ...said }], 'cards.csv')).toHaveLength(1);
    expect(catalog.upsert([{ ...HO_OH, ...said }], 'cards.csv')).toHaveLength(0);
    expect([...catalog.index.rows()][1]).toMatchObject({ ...HO_OH, ...said });
    expect(catalog.index.withWords([[{ word: 'glurak', begins: false }]])).toHaveLength(2);
  });

  it('finds by the beginning of a name where a word ends first, then words by their cards, then other names of these words', () => {
    const names = [
      ...['Quibbard', 'Quibbard', 'Quibbard', 'Quibbard Rex', 'Quibbard Rex', 'Quibzap', 'Quib Rex'],
      ...Array<string>(4).fill('Quibmander'),
    ];
    catalog.upsert(
      names.map((name, at) => ({ id: `q-${at}`, name })),
      'cards.csv',
    );
    const found = catalog.index.withNameBeginning('quib').map(({ card }) => card.name);
    expect([...new Set(found)]).toEqual(['Quib Rex', 'Quibbard', 'Quibmander', 'Quibzap', 'Quibbard Rex']);
  });

  it('finds the newest cards of a name, and of names whose words are begun first those with most cards', () => {
    const released = ['2001-05-01', '2020-01-01', '1999-01-09'];
    catalog.upsert(
      [
        ...released.map((date, at) => ({ id: `kram-${at}`, name: 'Kram Dud', released: date })),
        { id: 'kra-1', name: 'Kra Dun' },
      ],
      'cards.csv',
    );
    expect(catalog.index.withNameKey('kramdud', 1).map(({ card }) => card.id)).toEqual(['kram-1']);
    expect(catalog.index.withWordsBegun('kr du').map(({ card }) => card.id)).toEqual(['kram-1', 'kram-0', 'kra-1']);
  });

  it('counts what it has', () => {
    catalog.upsert([CHARIZARD, { ...CHARIZARD, id: 'base4-4' }, HO_OH], 'cards.csv');
    catalog.upsert([CHARIZARD], undefined);
    const { bytes, ...counts } = catalog.index.stats();
    expect(counts).toEqual({
      ...{ cards: 3, confirmed: 1, denied: 0, names: 2 },
      imports: [{ source: 'cards.csv', unconfirmed: 2, isWithdrawn: false }],
    });
    expect(bytes).toBeGreaterThan(1_000);
  });
});
