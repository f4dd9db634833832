import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { resolve } from '../../src/catalog/resolution.ts';
import { search } from '../../src/catalog/search.ts';
import { formOf } from '../../src/catalog/words.ts';
import type { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { anyCharacter } from '../support/any-character.ts';
import { openCatalog } from '../support/open-catalog.ts';

const WHO = { memberId: 'alice', guildId: 'guild' };
const CARDS = [
  { id: 'base1-4', name: 'Charizard', set: 'Base' },
  { id: 'base4-4', name: 'Charizard', set: 'Base Set 2' },
  { id: 'xy2-11', name: 'Charizard-EX', set: 'Flashfire' },
  { id: 'neo3-7', name: 'Ho-Oh', set: 'Neo Revelation' },
  { id: 'Ab-1', name: 'Upper' },
  { id: 'aB-1', name: 'Lower' },
  { id: 'unh-3', name: 'The Ultimate Nightmare of Wizards of the Coast® Customer Service' },
];
const confirmed = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `set${at}-${at}`, name: `Nobody ${at}` }));

let young: CatalogDatabase;
let old: CatalogDatabase;
beforeAll(() => {
  [young, old] = [openCatalog(CARDS, 'cards.csv'), openCatalog(CARDS, 'cards.csv')];
  young.upsert(confirmed(99), undefined);
  old.upsert(confirmed(100), undefined);
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

describe('what a text means', () => {
  it.each([
    ['base1-4', 'id'],
    [' base1-4 ', 'id'],
    ['BASE1-4', 'one base1-4'],
    ['base1 4', 'one base1-4'],
    ['base1_4', 'one base1-4'],
    ['AB-1', 'several Ab-1 aB-1'],
    ['Ab-1', 'id'],
    ['hooh', 'one neo3-7'],
    ['Ho Oh', 'one neo3-7'],
    ['charizard', 'several base1-4 base4-4'],
    ['flash9-99', 'id'],
    ['flashfire charizard', 'several xy2-11'],
    ['ho', 'one neo3-7'],
    ['service ultimate', 'one unh-3'],
    ['4/102', 'none set4-4 base1-4 base4-4'],
    ['base9-999', 'id'],
    ['charizar', 'several base1-4 base4-4 xy2-11'],
    ['charizrad', 'none base1-4 base4-4 xy2-11'],
    ['charizard jungle', 'none base1-4 base4-4 xy2-11'],
    ['nothing at all', 'none'],
    ['"\' NEAR(zz) --', 'none'],
    ['base14', 'several base1-4'],
    ['\ud800', 'none'],
    ['x'.repeat(6_000), 'none'],
  ])('%j is %s once forms of ids are known', (text, kind) => expect(meant(old, text)).toBe(kind));

  it.each([
    ['base1 4', 'one base1-4'],
    ['hooh', 'one neo3-7'],
    ['charizard', 'several base1-4 base4-4'],
    ['the ultimate nightmare of wizards of the coast customer service', 'one unh-3'],
    ['charizar', 'several base1-4 base4-4 xy2-11'],
    ['charizrad', 'none base1-4 base4-4 xy2-11'],
    ['nothing at all', 'none'],
    ['charizard jungle', 'none base1-4 base4-4 xy2-11'],
    ['4/102', 'none set4-4 base1-4 base4-4'],
    ['ab-9', 'id'],
    ['base9-999', 'id'],
    ['charizadr jungle', 'none base1-4 base4-4 xy2-11'],
    ['flash9-99', 'id'],
  ])('%j is %s while fewer than 100 ids are confirmed', (text, kind) => expect(meant(young, text)).toBe(kind));

  it('may be an id while nothing tells of ids: few are confirmed, and no list is imported', () => {
    const catalog = openCatalog(CARDS);
    for (const text of ['nothing at all', 'charizard jungle', '4/102', 'charizard 2'])
      expect(meant(catalog, text)).toBe('id');
    for (const text of ['charizrad', 'charizard set']) expect(meant(catalog, text)).toMatch(/^(?:none|several) base/);
    catalog.upsert([{ id: 'M-1', name: 'Imported' }], 'more.csv');
    expect(meant(catalog, '4/102')).toBe('none base1-4 base4-4');
    for (let at = 1; at <= 5; at++) catalog.upsert([{ id: `M-${at}`, name: 'Imported' }], 'more.csv');
    for (let at = 1; at <= 5; at++) catalog.deny(`M-${at}`, false); // the list is of another service
    expect(meant(catalog, '4/102')).toBe('id');
  });

  it('is the only card with a printed number that has a letter, and no other number', () => {
    const numbers = ['TG77/102', '77/102', 'PROMO', 'X1', 'X1'];
    const { index } = openCatalog(
      numbers.map((number, at) => ({ id: `p-${at}`, name: 'Gull', number })),
      'cards.csv',
    );
    const kinds = ['TG77/102', '77/102', 'promo', 'x1'].map((text) => resolve(index, text, WHO).kind);
    expect(kinds).toEqual(['one', 'several', 'several', 'several']);
  });

  it.each([
    ['gull 4/102', 'several s1-4 s2-4'],
    ['Gull TG1/TG30', 'several s3-TG01'],
    ['gull 4/102 second', 'several s2-4'],
    ['gulll 4/102', 'none s1-4 s2-4'],
    ['tern 4/99', 'several s4-4'],
  ])(
    'is a number without the size of the set that is printed behind it, where no card is known with both: %j',
    (text, expected) => {
      const catalog = openCatalog(
        [
          { id: 's1-4', name: 'Gull', number: '4', set: 'First', released: '2002-01-01' },
          { id: 's2-4', name: 'Gull', number: '4', set: 'Second', released: '2001-01-01' },
          { id: 's3-TG01', name: 'Gull', number: 'TG01', set: 'Third' },
          { id: 's4-4', name: 'Tern', number: '4/99', set: 'Fourth' },
          { id: 's5-4', name: 'Tern', number: '4', set: 'Fifth' },
        ],
        'cards.csv',
      );
      expect(meant(catalog, text)).toBe(expected);
      expect(search(catalog.index, text, WHO).map(({ id }) => id)[0]).toBe(expected.split(' ')[1]);
    },
  );

  it('may be an id of the form that an imported list has, also of UUIDs', () => {
    const catalog = openCatalog([{ id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', name: 'Gull' }], 'cards.csv');
    expect(meant(catalog, '0b7c61f2-4f89-41d3-9a0c-5e6f7a8b9c0d')).toBe('id');
  });

  it('has a true count of more cards than are found', () => {
    const many = openCatalog(
      Array.from({ length: 300 }, (_, at) => ({ id: `j-${at}`, name: `Gull ${at}`, set: 'Jungle' })),
      'cards.csv',
    );
    expect(resolve(old.index, 'nobody', WHO)).toMatchObject({ kind: 'several', total: 100 });
    for (const text of ['jungle', 'jungle gull'])
      expect(resolve(many.index, text, WHO)).toMatchObject({ kind: 'several', total: 300 });
  });

  it('of the form of the example is an id, also where all known ids have other forms', () => {
    const catalog = openCatalog([{ id: 'M-1', name: 'Imported' }], 'cards.csv');
    expect(['base1-4', 'base1_4'].map((text) => meant(catalog, text))).toEqual(['id', 'none']);
  });

  it('is found for any text without an error', () => {
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
});

it.each([
  ['base1-4', 'a9-9'],
  ['XY12-104a', 'a9-9a'],
  ['OP01-001', 'a9-9'],
  ['ex10-!', 'a9-!'],
  ['4/102', '9/9'],
  ['Flabébé', 'a'],
  ['リザードン', 'a'],
  ['3f2504e0-4f89', '9a9a9-9a9'],
  ['', ''],
])('the form of an id %j is %j', (id, form) => expect(formOf(id)).toBe(form));
