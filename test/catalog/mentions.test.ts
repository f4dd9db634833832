import { expect, it, vi } from 'vitest';
import { mentions } from '../../src/catalog/mentions.ts';
import { openCatalog } from '../support/open-catalog.ts';

it('a text names cards by ids of a confirmed form, however few, and by exact names, the longest first', () => {
  const catalog = openCatalog();
  catalog.upsert([{ id: 'base1-4', name: 'Ember Drake' }], undefined);
  const listed = ['Drake', 'Gull', 'Gull', 'Wick, Who Waits', 'Drake Egg'].map((name, at) => ({
    id: `list-${at}`,
    name,
  }));
  catalog.upsert(listed, 'cards.csv');
  const found = (text: string) => mentions(catalog.index, text);

  expect(found('I have **base1-4**, (neo3-12)! and version 2.0 of it')).toEqual({
    ids: ['base1-4', 'neo3-12'],
    ambiguous: [],
  });
  expect(found('BASE1-4 and LIST_3').ids).toEqual(['base1-4', 'list-3']);
  expect(found('ember drake egg').ids).toEqual(['base1-4']); // a word is of one name
  expect(found('ember drake or just Drake?')).toEqual({ ids: ['base1-4', 'list-0'], ambiguous: [] });
  const gulls = ['list-1', 'list-2'].map((id) => ({ id, name: 'Gull' }));
  expect(found('wick who waits; a gull')).toEqual({
    ids: ['list-3'],
    ambiguous: [{ text: 'gull', cards: gulls, total: 2 }],
  });
  expect(found('a gull: list-2, of two')).toEqual({ ids: ['list-2'], ambiguous: [] });
  expect(found('nothing to see at 10:30')).toEqual({ ids: [], ambiguous: [] });
  const many = Array.from({ length: 600 }, (_, at) => `base1-${at}`);
  expect(found(many.join(' ')).ids).toEqual(many.slice(0, 10));
});

it('where ids are plain numbers, a number is one when it is known, or long and as long as confirmed ids', () => {
  const catalog = openCatalog();
  const confirmed = ['9', '207', '81234', '81235'].map((id) => ({ id, name: `Card ${id}` }));
  catalog.upsert(confirmed, undefined);
  catalog.upsert([{ id: '4711', name: 'Dragon Number 9' }], 'cards.csv');
  const ids = (text: string) => mentions(catalog.index, text).ids;

  expect(ids('I pay 20 (２０, ٢٠) for 3 of those, or 150 in 2024 for the lot (room 5, call 555123456)')).toEqual([]);
  expect(ids('Have 207, (81234), 81236 and 4711!')).toEqual(['207', '81234', '81236', '4711']);
  expect(ids('Dragon Number 9, then 9')).toEqual(['4711', '9']);
  expect(ids('1234')).toEqual([]);
  catalog.upsert([{ id: '5000', name: 'Card 5000' }], undefined);
  expect(ids('1234 and 123')).toEqual(['1234']);
});

it('a word without a digit is an id only when it is known, although a confirmed id has none', () => {
  const catalog = openCatalog([{ id: 'promo', name: 'Gull' }]);
  expect(mentions(catalog.index, 'my promo drake').ids).toEqual(['promo']);
});

it('ten names of several cards are said at most', () => {
  const names = Array.from({ length: 11 }, (_, at) => `Gull${'abcdefghijk'[at]}`);
  const catalog = openCatalog(names.flatMap((name) => [1, 2].map((at) => ({ id: `${name}-${at}`, name }))));
  expect(mentions(catalog.index, names.join(' ')).ambiguous).toHaveLength(10);
});

it('a long message costs at most one look at the names for each length of a name at each word', () => {
  const { index } = openCatalog();
  const looks = vi.spyOn(index, 'withNameKey');
  mentions(index, Array.from({ length: 900 }, (_, at) => `word${at}`).join(' '));
  expect(looks.mock.calls.length).toBeLessThanOrEqual(8 * 500);
});
