import fc from 'fast-check';
import { beforeAll, expect, it, vi } from 'vitest';
import type { CatalogDatabase } from '../../src/catalog/database.ts';
import { atOnce } from '../../src/catalog/list.ts';
import { mentions, printed, printings, resolve } from '../../src/catalog/meaning.ts';
import { search } from '../../src/catalog/search.ts';
import { formOf } from '../../src/catalog/text.ts';
import { anyCharacter } from '../support/any-character.ts';
import { cardsOf, openCatalog, WHO } from '../support/open-catalog.ts';
import { table } from '../table.ts';

const CARDS = cardsOf(table`
  base1-4 | Charizard | Base
  base4-4 | Charizard | Base Set 2
  xy2-11 | Charizard-EX | Flashfire
  neo3-7 | Ho-Oh | Neo Revelation
  Ab-1 | Upper
  aB-1 | Lower
  unh-3 | The Ultimate Nightmare of Wizards of the Coast® Customer Service
`);
/** Cards with names of their own. */
const numbered = (count: number, name: string, set?: string) =>
  Array.from({ length: count }, (_, at) => ({ id: `set${at}-${at}`, name: `${name} ${at}`, set }));

let young: CatalogDatabase;
let old: CatalogDatabase;
beforeAll(() => {
  [young, old] = [openCatalog(CARDS, 'cards.csv'), openCatalog(CARDS, 'cards.csv')];
  young.upsert(numbered(99, 'Nobody'), undefined);
  old.upsert(numbered(100, 'Nobody'), undefined);
});

/** In short: the kind and the ids. */
function meant({ index }: CatalogDatabase, text: string): string {
  const resolution = resolve(index, text, WHO);
  if (resolution.kind === 'id') return 'id';
  if (resolution.kind === 'one') return `one ${resolution.card.id}`;
  if (resolution.kind === 'unsearched') return resolution.kind;
  const cards = resolution.kind === 'several' ? resolution.cards : resolution.similar;
  return [resolution.kind, ...cards.map(({ id }) => id)].join(' ');
}

it.each([
  ...table`
    base1-4 | id
    BASE1-4 | one base1-4
    base1 4 | one base1-4 | one base1-4
    base1_4 | one base1-4
    AB-1 | several Ab-1 aB-1
    Ab-1 | id
    ab-9 | | id
    hooh | one neo3-7 | one neo3-7
    Ho Oh | one neo3-7
    charizard | several base1-4 base4-4 | several base1-4 base4-4
    flash9-99 | id | id
    flashfire charizard | several xy2-11
    ho | one neo3-7
    service ultimate | one unh-3
    the ultimate nightmare of wizards of the coast customer service | | one unh-3
    4/102 | none set4-4 base1-4 base4-4 | none set4-4 base1-4 base4-4
    base9-999 | id | id
    charizar | several base1-4 base4-4 xy2-11 | several base1-4 base4-4 xy2-11
    charizrad | none base1-4 base4-4 xy2-11 | none base1-4 base4-4 xy2-11
    charizard jungle | none base1-4 base4-4 xy2-11 | none base1-4 base4-4 xy2-11
    charizadr jungle | | none base1-4 base4-4 xy2-11
    nothing at all | none | none
    "' NEAR(zz) -- | none
    base14 | several base1-4
  `,
  [' base1-4 ', 'id'],
  ['\ud800', 'none'],
  ['x'.repeat(6_000), 'none'],
])(
  'what a text means: %j is %s once forms of ids are known, and %s while fewer than 100 ids are confirmed',
  (text = '', later, first) => {
    if (later) expect(meant(old, text)).toBe(later);
    if (first) expect(meant(young, text)).toBe(first);
  },
);

it.each(table`
  nothing at all | id
  charizard jungle | id
  4/102 | id
  charizard 2 | id
  charizrad | none base1-4 base4-4 xy2-11
  charizard set | several base4-4
`)(
  'what a text means: %j is %s while nothing tells of ids: few are confirmed, and no list is imported',
  (text = '', expected) => expect(meant(openCatalog(CARDS), text)).toBe(expected),
);

it('a text may be an id again when the list that is imported is of another service', () => {
  const catalog = openCatalog(CARDS);
  for (let at = 5; at <= 10; at++) catalog.upsert([{ id: `M-${at}`, name: 'Imported' }], 'more.csv');
  expect(meant(catalog, '4/102')).toBe('none base1-4 base4-4');
  for (let at = 5; at <= 9; at++) catalog.deny(`M-${at}`, false);
  expect(meant(catalog, '4/102')).toBe('id');
});

it.each(table`
  TG77/102 | one p-0
  77/102 | several p-1 p-0
  promo | several p-2
  x1 | several p-3 p-4
`)(
  'what a text means is the only card with a printed number that has a letter, and no other number: %j is %s',
  (text = '', expected) => {
    const rows = table`
    p-0 | Gull | | TG77/102
    p-1 | Gull | | 77/102
    p-2 | Gull | | PROMO
    p-3 | Gull | | X1
    p-4 | Gull | | X1
  `;
    expect(meant(openCatalog(cardsOf(rows), 'cards.csv'), text)).toBe(expected);
  },
);

it.each(table`
  gull 4/102 | several s1-4 s2-4
  Gull TG1/TG30 | several s3-TG01
  gull 4/102 second | several s2-4
  gulll 4/102 | none s1-4 s2-4
  tern 4/99 | several s4-4
`)(
  'what a text means is a number without the size of the set that is printed behind it, where no card is known with both: %j',
  (text = '', expected = '') => {
    const rows = table`
      s1-4 | Gull | First | 4 | 2002-01-01
      s2-4 | Gull | Second | 4 | 2001-01-01
      s3-TG01 | Gull | Third | TG01
      s4-4 | Tern | Fourth | 4/99
      s5-4 | Tern | Fifth | 4
    `;
    const catalog = openCatalog(cardsOf(rows), 'cards.csv');
    expect(meant(catalog, text)).toBe(expected);
    expect(search(catalog.index, text, WHO).map(({ id }) => id)[0]).toBe(expected.split(' ')[1]);
  },
);

it.each(table`
  3f2504e0-4f89-41d3-9a0c-0305e82c3301 | 0b7c61f2-4f89-41d3-9a0c-5e6f7a8b9c0d | id
  M-1 | base1-4 | id
  M-1 | base1_4 | none
`)(
  'what a text means may be an id of a form that an imported list has, as %s, or of that of the example: %s is %s',
  (id, text = '', kind) => expect(meant(openCatalog(cardsOf([[id ?? '', 'Gull']]), 'cards.csv'), text)).toBe(kind),
);

it('what means many cards has a true count of more cards than are found', () => {
  const many = openCatalog(numbered(300, 'Gull', 'Jungle'), 'cards.csv');
  expect(resolve(old.index, 'nobody', WHO)).toMatchObject({ kind: 'several', total: 100 });
  for (const text of ['jungle', 'jungle gull'])
    expect(resolve(many.index, text, WHO)).toMatchObject({ kind: 'several', total: 300 });
});

it('any text is looked up without an error', () => {
  const part = fc.constantFrom(' ', ...'charizard base1-4 4/102 リザ " * AND NEAR( : ^ % \0'.split(' '));
  const text = fc.array(fc.oneof(part, fc.string({ unit: anyCharacter, maxLength: 20 })), { maxLength: 6 });
  fc.assert(
    fc.property(text, (parts) => {
      const typed = parts.join('');
      meant(old, typed);
      return search(old.index, typed, WHO).length <= 25;
    }),
  );
});

it.each(table`
  base1-4 | a9-9
  XY12-104a | a9-9a
  OP01-001 | a9-9
  ex10-! | a9-!
  4/102 | 9/9
  Flabébé | a
  リザードン | a
  3f2504e0-4f89 | 9a9a9-9a9
   |
`)('the form of an id %j is %j', (id = '', form) => expect(formOf(id)).toBe(form));

it.each(table`
  base1-4 | 0 | base4-4 gym-1 base2-4 | 3 of Ember Drake
  BASE1 4 | 0 | base4-4 gym-1 base2-4 | 3 of Ember Drake
  xy2-11 | 0 | | 0 of Ember Drake EX
  nameless-1 | 0 | nameless-2 | 1 of !
  unknown | 0 | | 0 of undefined
`)('other printings of %s are the other cards of its name, those that are gone last', (id = '', page, ids, total) => {
  const { cards, ...found } = printings(names().index, id, { page: Number(page), isOthers: true });
  expect([cards.map((card) => card.id).join(' '), `${found.total} of ${found.name}`]).toEqual([ids, total]);
});

it.each(table`
  0 | others | many-0 25 0 259
  1 | others | many-26 25 1 259
  1 | all | many-25 25 1 260
  10 | all | many-250 10 10 260
  10 | others | many-251 9 10 259
  99 | others | many-251 9 10 259
`)('page %s of a name has 25 cards, and says how many there are: %s', (page, which, expected) => {
  const wanted = { page: Number(page), isOthers: which === 'others' };
  const { cards, ...found } = printings(names().index, 'many-1', wanted);
  expect([cards[0]?.id, cards.length, found.page, found.total].join(' ')).toBe(expected);
  expect(found.name).toBe('Copper Gull');
});

function names() {
  const rows = table`
    base1-4 | Ember Drake
    base2-4 | Ember Drake
    base4-4 | Ember Drake
    gym-1 | EMBER-DRAKE
    xy2-11 | Ember Drake EX
    nameless-1 | !
    nameless-2 | !
  `;
  const many = Array.from({ length: 260 }, (_, at) => ({ id: `many-${at}`, name: 'Copper Gull' }));
  const catalog = openCatalog([...cardsOf(rows), ...many]);
  catalog.deny('base2-4', true);
  return catalog;
}

/** Ids, and what means several. */
const said = ({ index }: CatalogDatabase, text: string) => {
  const { ids, ambiguous } = atOnce(mentions(index, text));
  const several = ambiguous.map(({ text, cards, total }) => `${text}: ${cards.map(({ id }) => id).join()} of ${total}`);
  return [...ids, ...several].join(' ');
};

it.each(table`
  I have **base1-4**, (neo3-12)! and version 2.0 of it | base1-4 neo3-12
  BASE1-4 and LIST_3 | base1-4 list-3
  ember drake egg | base1-4
  ember drake or just Drake? | base1-4 list-0
  wick who waits; a gull | list-3 gull: list-1,list-2 of 2
  a gull: list-2, of two | list-2
  nothing to see at 10:30 |
`)(
  'a message names cards by ids of a confirmed form, however few, and by exact names, the longest: %j',
  (text = '', expected) => {
    const catalog = openCatalog([{ id: 'base1-4', name: 'Ember Drake' }]);
    const listed = ['Drake', 'Gull', 'Gull', 'Wick, Who Waits', 'Drake Egg'];
    catalog.upsert(cardsOf(listed.map((name, at) => [`list-${at}`, name])), 'cards.csv');
    expect(said(catalog, text)).toBe(expected);
  },
);

it.each(table`
  I pay 20 (２０, ٢٠) for 3 of those, or 150 in 2024 for the lot (room 5, call 555123456) |
  Have 207, (81234), 81236 and 4711! | 207 81234 81236 4711
  Dragon Number 9, then 9 | 4711 9
  1234 |
  1234 and 123 | 1234 | 5000
`)(
  'a message has a plain number for an id where it is known, or long and as long as confirmed ids: %j',
  (text = '', expected, more) => {
    const ids = ['9', '207', '81234', '81235', ...(more ? [more] : [])];
    const catalog = openCatalog(cardsOf(ids.map((id) => [id, `Card ${id}`])));
    catalog.upsert([{ id: '4711', name: 'Dragon Number 9' }], 'cards.csv');
    expect(said(catalog, text)).toBe(expected);
  },
);

it('a message has a word without a digit for an id only when it is known, although a confirmed id has none', () => {
  expect(said(openCatalog([{ id: 'promo', name: 'Gull' }]), 'my promo drake')).toBe('promo');
});

it('a message says ten ids, and ten names of several cards, at most', () => {
  const many = Array.from({ length: 600 }, (_, at) => `base1-${at}`);
  expect(said(openCatalog(CARDS), many.join(' '))).toBe(many.slice(0, 10).join(' '));
  const gulls = [...'abcdefghijk'].map((end) => `Gull${end}`);
  const { index } = openCatalog(gulls.flatMap((name) => [1, 2].map((at) => ({ id: `${name}-${at}`, name }))));
  expect(atOnce(mentions(index, gulls.join(' '))).ambiguous).toHaveLength(10);
});

it('a message that is long costs at most one look at the names for each length of a name at each word', () => {
  const { index } = openCatalog();
  const looks = vi.spyOn(index, 'withNameKey');
  atOnce(mentions(index, Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')));
  expect(looks.mock.calls.length).toBeLessThanOrEqual(8 * 500);
});

/** The printings of a name, in short: `id, set, number, code`. */
const DRAKES: Record<string, string> = {
  coded: 'h1, Commander 2021, 263, C21; h2, Commander 2013, 259, C13; h3, Alpha, , LEA',
  named: 'sv3-125, Obsidian Flames, 125/197; sv35-6, 151, 6/165; sv1-125, Scarlet & Violet, 125/198',
  byId: 'OP01-025, Romance Dawn, OP01-025; OP01-025_p1, Romance Dawn, OP01-025; c21-7',
};

it.each(table`
  coded | C21 | 263 | h1
  coded | c21 | | h1
  coded | Commander 2013 | 259 | h2
  coded | C21 | 259 |
  coded | C12 | 263 |
  coded | LEA | 12 | h3
  coded | CMD | 263 |
  named | OBF | 125 | sv3-125
  named | SVI | 125 | sv1-125
  named | SVI | 197 |
  named | S | 125 |
  named | MEW | 6 | sv35-6
  named | XYZ | 6 |
  named | Flames | 125 |
  named | Obs | 125 |
  named | Obsidian Flames Set | 125 | sv3-125
  named | 151 | 6 | sv35-6
  named | sv3 | 125 | sv3-125
  named | OBF | |
  named | BSD | 125 |
  x1, Obsidian Flames, 125; x2, Orbit Falls, 125 | OBF | 125 |
  sv3-9, Obsidian Flames, 125; sv4-9, Rift, 125 | sv3 | 125 | sv3-9
  x1, Salt [OP01], 25, Rare; x2, Salt [OP02], 25, Rare | OP01 | 25 | x1
  x1, Salt, OP01-025, OP01; x2, Salt, OP01-026, OP01 | OP01 | 25 | x1
  x1, Dominaria, 7, DOM; x2, Rift, 7, RFT | DAR | 7 | x1
  x1, Promos, 20, SVP; x2, Promos, 20, SWSHP | PR-SV | 20 | x1
  x1, Promos, 20, SVP; x2, Promos, 20, SWSHP | PR-SW | 20 | x2
  x1, Promos, 20, SMP; x2, Promos, 20, XYP | PR-SM | 20 | x1
  x1, Promos, 20, SMP; x2, Promos, 20, XYP | PR-XY | 20 | x2
  x1, Promos, 20, SMP; x2, Promos, 20, BWP | PR-BLW | 20 | x2
  byId | OP01-025 | | OP01-025
  byId | OP01 | 025 | OP01-025
  byId | C21 | 7 | c21-7
  x1, Ruins, !/28; x2, Ruins, ?/28 | Ruins | ?/28 | x2
  x1, Ruins, H6; x2, Ruins, 6/28; x3, Ruins, 16 | Ruins | 06 | x2
  x1, A, 6/28; x2, B, 6/30 | | 6/30 | x2
  x1, A, 6/28; x2, B | | 7 |
  x1 | C21 | 263 | x1
  x1, , 263 | C21 | 263 | x1
  x1, , 7 | C21 | 263 |
  x1 | 263 | |
  x1; x2 | C21 | 263 |
`)('of %s, set %j and number %j are %j', (cards = '', set, number, ids) => {
  const rows = (DRAKES[cards] ?? cards).split('; ').map((card) => card.split(', '));
  const printingsOf = cardsOf(
    rows.map(([id = '', ofSet = '', ofNumber = '', ...also]) => [id, 'Drake', ofSet, ofNumber, '', ...also]),
  );
  const found = printed(printingsOf, { name: 'Drake', set: set || undefined, number: number || undefined });
  expect(found.map(({ id }) => id).join(' ')).toBe(ids);
});
