import { expect, it } from 'vitest';
import { Path, Source } from '../../src/service/field-source.ts';
import { table } from '../table.ts';

const CARD = {
  name: 'Ember Drake',
  number: 4,
  total: null,
  language: '',
  set: { name: 'First Light', 'code.old': 'x' },
  faces: [{ image: 'a' }, { image: 'b' }],
  variants: [
    { condition: 'Near Mint', printing: 'Foil', price: 3 },
    { condition: 'Near Mint', printing: 'Normal', price: 2 },
    { condition: 'Played', printing: 'Normal', price: 1 },
  ],
  slabs: [{ grading: 'PSA 10', price: 9 }, { grading: null, price: 8 }, { grading: '', price: 7 }, { price: 6 }],
  printings: { normal: { price: 7 }, holofoil: { price: 9 } },
  rating: 4.5,
};

it.each(table`
  name | ["Ember Drake"]
  set.name | ["First Light"]
  faces.1.image | ["b"]
  faces.*.image | ["a", "b"]
  printings.*.price | [9, 7]
  variants[condition=Near Mint].price | [3, 2]
  variants[condition=Near Mint][printing=Normal].price | [2]
  variants[price=1].printing | ["Normal"]
  variants[condition=Mint].price | []
  variants[rating=4.5] | []
  slabs[!grading].price | [8, 7, 6]
  slabs[!grading][price=6].price | [6]
  total | []
  language | []
  faces.2.image | []
  name.length | []
  __proto__.constructor | []
  constructor.name | []
  faces.length | [2]
`)('a path %j leads to %s', (path = '', values = '') => {
  expect(new Path(path).foundIn(CARD).map(({ value }) => value)).toEqual(JSON.parse(values));
});

it('a path that is empty leads to the whole', () => {
  expect(new Path('').valueIn(CARD)).toBe(CARD);
});

it.each(['a..b', '.a', 'a.', 'a[b]', 'a[b=c', 'a[!]', '[a=b]', 'a*', '*b', '{a', '=a', 'header:a', 'Header:a'])(
  'a path is not %j',
  (path) => {
    expect(() => new Path(path)).toThrow(SyntaxError);
  },
);

it('a path visits no more than ten thousand values', () => {
  const wide = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => [1]));
  expect(new Path('*.*.*').foundIn(wide).length).toBe(10_000);
});

const headers = new Headers({ 'X-Limit': ' 100 ', 'X-Twice': '30, 30', 'X-Two': '30, 40' });
it.each(table`
  ["number"] | 4
  ["set"] |
  ["total", "set", "rating"] | 4.5
  ["{name} ({number})"] | Ember Drake (4)
  ["{number}[/{total}]"] | 4
  ["{number}/{total}"] |
  ["{number}/{total}", "number"] | 4
  ["=All printings"] | All printings
  ["header:x-limit"] | 100
  ["header:x-remaining"] |
  ["header:x-twice"] | 30
  ["header:x-two"] | 30, 40
  ["faces.*.image"] | a
  ["variants.1.condition"] |
`)('a source %s yields %j', (source = '', text) => {
  const none = new Set(['Near Mint']);
  expect(new Source(JSON.parse(source)).textIn({ value: CARD, headers, none }) ?? '').toBe(text);
});

it('a source yields every text of all its ways', () => {
  expect(new Source(['number', 'faces.*.image']).textsIn({ value: CARD })).toEqual(['4', 'a', 'b']);
});

it.each(['header:a b', '{a[b=c]}', '{a..b}', '{header:a}'])('a source is not %j', (source) => {
  expect(() => new Source(source)).toThrow(SyntaxError);
});
