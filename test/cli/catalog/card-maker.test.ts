import { describe, expect, it } from 'vitest';
import { CardMaker, type Mapping } from '../../../src/cli/catalog/card-maker.ts';
import { Unusable } from '../../../src/cli/catalog/source-row.ts';

const GROUP = { place: 'line 2', value: { groupId: '604', name: 'Base Set', total: 102 }, around: [] };
const JOINED = new Map([['groupId', new Map([['604', GROUP]])]]);

const ALONE = { fileName: '', joined: new Map() };

function made(value: object, mapping: Partial<Mapping> = {}, around: object[] = []) {
  try {
    const row = { place: 'line 2', value, around };
    return new CardMaker(mapping).cardOf(row, { fileName: 'base1', joined: JOINED });
  } catch (error) {
    return error instanceof Unusable ? error.message : String(error);
  }
}

describe('a card', () => {
  const ROW = { id: 'a', name: 'b', set: 'c', number: 'd', game: 'e' };
  const CASES: Record<string, [card: ReturnType<typeof made>, expected: object | string]> = {
    'has the fields of the same names': [made({ ...ROW, more: {} }), ROW],
    'needs an id and a name only': [made({ id: 7, name: ' b ', set: null, number: '' }), { id: '7', name: 'b' }],
    'has fields of other names': [made({ uuid: 'a', name: 'b' }, { map: { id: 'uuid' } }), { id: 'a', name: 'b' }],
    'has fields from within a field': [
      made({ ...ROW, set: { name: 'c' }, prints: [{ no: 3 }] }, { map: { set: 'set.name', number: 'prints.0.no' } }),
      { ...ROW, number: '3' },
    ],
    'has fields of columns with dots in their names': [
      made({ 'card.id': 'a', name: 'b' }, { map: { id: 'card.id' } }),
      { id: 'a', name: 'b' },
    ],
    'has fields of the objects around it': [
      made({ id: 'a', name: 'b' }, { map: { set: '../name', game: '../../name' } }, [{ name: 'c' }, { name: 'e' }]),
      { id: 'a', name: 'b', set: 'c', game: 'e' },
    ],
    'has fields made by a template': [
      made({ ...ROW, total: 102 }, { map: { number: '{number}/{total}', set: '{set} ({nothing})' } }),
      { id: 'a', name: 'b', number: 'd/102', game: 'e' },
    ],
    'has the parts of a template that it has values for': [
      made({ ...ROW, pitch: 3 }, { map: { name: '{name}[ ({pitch})]', number: '{number}[/{total}]' } }),
      { ...ROW, name: 'b (3)' },
    ],
    'has nothing of a template of which nothing is left': [
      made(ROW, { map: { set: '[{nothing}]', name: '[x] {name}' } }),
      { id: 'a', name: '[x] b', number: 'd', game: 'e' },
    ],
    'has every other name and word, once and without furigana': [
      made(
        { ...ROW, codes: ['X1', 'X1', {}], ja: '<ruby>湿<rt>しっ</rt></ruby><ruby>地<rt>ち</rt></ruby>' },
        { map: { also: ['codes', 'ja', 'nothing'] } },
      ),
      { ...ROW, also: ['X1', '湿地'] },
    ],
    'is read with HTML entities decoded once, in all but its id': [
      made({ id: 'a&amp;b', name: 'Ace &amp; Newgate&#x27;s&nbsp;&amp;lt;', set: 'R&D &eacute;', also: ['&Uuml;ber'] }),
      { id: 'a&amp;b', name: "Ace & Newgate's &lt;", set: 'R&D é', also: ['Über'] },
    ],
    'has its own other names': [made({ ...ROW, also: 'f\ng', released: true }), { ...ROW, also: ['f', 'g'] }],
    'has a day of release': [
      made({ ...ROW, at: '2023-02-24T00:00:00.000Z' }, { map: { released: 'at' } }),
      { ...ROW, released: '2023-02-24' },
    ],
    'has the name of its file without endings': [made(ROW, { map: { set: '@file' } }), { ...ROW, set: 'base1' }],
    'has fields of the joined row': [
      made({ ...ROW, groupId: 604 }, { map: { set: 'groupId.name', number: '{number}/{groupId.total}' } }),
      { ...ROW, set: 'Base Set', number: 'd/102' },
    ],
    'lacks the fields of a joined row that is not there': [
      made({ id: 'a', name: 'b', groupId: 1 }, { map: { set: 'groupId.name' } }),
      { id: 'a', name: 'b' },
    ],
    'has an id made of fields of the file, or else of its own': [
      made({ ...ROW, code: 'x', number: undefined, no: 4 }, { idTemplate: '{code}-{number}', map: { number: 'no' } }),
      { ...ROW, id: 'x-4', number: '4' },
    ],
    'is of the given game when it names none': [
      made({ id: 'a', name: 'b' }, { game: 'Magic' }),
      { id: 'a', name: 'b', game: 'Magic' },
    ],
    'is of its own game': [made(ROW, { game: 'Magic' }), ROW],
    'needs an id': [made({ name: 'b' }), 'has no id'],
    'needs all parts of its id': [
      made({ name: 'b', set: 'c' }, { idTemplate: '{set}-{number}' }),
      'has no id: its number is empty',
    ],
    'needs a name': [made({ id: 'a', name: ' ' }), 'has no name'],
    'has no id with controls': [made({ id: 'a\u0007b', name: 'b' }), 'has an id with a control character'],
    'has no id of more than 100 characters': [
      made({ id: 'a'.repeat(101), name: 'b' }),
      'has an id of more than 100 characters',
    ],
    'has no id of dots': [made({ id: '..', name: 'b' }), 'has an id of dots only'],
    'has no half character in its id': [made({ id: 'a\ud800', name: 'b' }), 'has an id with half a character'],
    'is UTF-8': [made({ id: 'a', name: 'Flab\uFFFDb\uFFFD' }), 'is not UTF-8'],
    'has fields of text': [
      made({ ...ROW, set: { name: 'c' } }),
      'has a field set with values within: name one, as in set.name',
    ],
    'has no truth values': [made({ ...ROW, number: true }), 'has a field number that is neither text nor a number'],
    'has no number that JSON has rounded': [
      made({ id: 2 ** 60, name: 'b' }),
      'has a field id that is too large a number: write it in quotes',
    ],
    'has no text of more than 1 MB': [
      made({ id: 'a', name: 'b'.repeat(1024 * 1024 + 1) }),
      'has a field name that is longer than 1 MB',
    ],
    'has no half character at the end of a name that is cut': [
      made({ id: 'a', name: `${'b'.repeat(299)}😀` }),
      { id: 'a', name: 'b'.repeat(299) },
    ],
    'is of no game when that has no name': [made({ id: 'a', name: 'b' }, { game: ' ' }), { id: 'a', name: 'b' }],
    'is of a game without controls': [
      made({ id: 'a', name: 'b' }, { game: 'A\n\u001bB' }),
      { id: 'a', name: 'b', game: 'A B' },
    ],
    'has nothing of the prototype of objects': [
      made({ id: 'a', name: 'b' }, { map: { set: 'constructor.name' } }),
      { id: 'a', name: 'b' },
    ],
  };

  it.each(Object.entries(CASES))('%s', (_, [card, expected]) => {
    expect(card).toEqual(expected);
  });
});

it('has fields of columns in other capitals', () => {
  const columns = new Map(['Id', 'Name', 'Set'].map((name) => [name.toLowerCase(), name]));
  const value = { Id: 'a', Name: 'b', Set: '604' };
  const group = { place: 'line 2', value: { Name: 'Base' }, around: [], columns: new Map([['name', 'Name']]) };
  const joined = new Map([['set', new Map([['604', group]])]]);
  const row = { place: 'line 2', value, columns };
  expect(new CardMaker({ map: { set: 'set.name' } }).cardOf(row, { fileName: 'a', joined })).toEqual({
    id: 'a',
    name: 'b',
    set: 'Base',
  });
});

it('names what of its mapping was in no card', () => {
  const cardMaker = new CardMaker({ map: { id: 'id', set: '../nmae', number: 'no', also: ['x', 'y'] } });
  for (const value of [
    { id: 1, name: 'b' },
    { id: 2, name: 'c', no: 3, y: 'z' },
  ])
    cardMaker.cardOf({ place: 'card 1', value, around: [{ name: 'Alpha' }] }, ALONE);
  expect(cardMaker.unfound()).toEqual(['set=../nmae', 'also=x']);
});

it.each<[Mapping, string]>([
  [{}, 'needs the columns `id` and `name`; it has code, set. Use `--map id=code,name=COLUMN`'],
  [
    { map: { id: 'code', name: 'title' } },
    'needs the column `title`; it has code, set. Correct --map or --id-template',
  ],
  [
    { map: { name: 'set', number: 'code' }, idTemplate: '{code}-{number}-{x}' },
    'needs the column `x`; it has code, set. Correct --map or --id-template',
  ],
  [
    { map: { name: 'set' }, idTemplate: '{code}-{number}' },
    'needs the column `number`; it has code, set. Use `--map number=COLUMN`',
  ],
])('names the columns that cards need and a file does not have (%j)', (mapping, says) => {
  const columns = new Map(['code', 'set'].map((name) => [name, name]));
  expect(() => new CardMaker(mapping).checkColumns(columns)).toThrow(says);
});
