import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cardReader, type Joined, type Mapping, readJoined } from '../../../src/cli/catalog/card.ts';
import { rowsOf } from '../../../src/cli/catalog/rows.ts';

const MEGABYTE = 1024 * 1024;

/** So that lines, characters and magic numbers are cut in two. */
function inPieces(text: string | Buffer): Readable {
  const bytes = Buffer.from(text);
  const size = bytes.length < 10_000 ? 1 : 60_000;
  const pieces = function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  return Readable.from(pieces());
}

/** What a file becomes: cards, or the place of a row and why it is none; the last may be why reading ended. */
async function cardsIn(
  text: string | Buffer | object,
  mapping: Mapping = {},
  joined: readonly Joined[] = [],
): Promise<unknown[]> {
  const found: unknown[] = [];
  try {
    const bytes = typeof text === 'string' || Buffer.isBuffer(text) ? text : JSON.stringify(text);
    const isWhole = JSON.stringify(mapping).includes('../');
    const { isTable, rows } = await rowsOf(inPieces(bytes), mapping.rows, isWhole);
    const cardOf = cardReader(mapping, joined, 'base1', isTable);
    for await (const row of rows) {
      try {
        found.push(cardOf(row));
      } catch (error) {
        found.push(`${row.place} ${error instanceof Error ? error.message : error}`);
      }
    }
  } catch (error) {
    found.push(error instanceof Error ? `${error.name}: ${error.message}` : error);
  }
  return found;
}

const CARD = { id: 'base1-4', name: 'Flabébé' };
const FORMS = {
  CSV: 'id,name\nbase1-4,Flabébé\n',
  'CSV without a last line break': 'id,name\nbase1-4,Flabébé',
  'CSV with a byte order mark': '\uFEFFid,name\r\nbase1-4,Flabébé\r\n',
  'CSV with the delimiter in a line of its own': 'sep=;\r\nid;name\r\nbase1-4;Flabébé\r\n',
  'CSV with rows of delimiters only': 'id,name\nbase1-4,Flabébé\n,\n',
  'CSV with semicolons': 'id;name\nbase1-4;Flabébé\n',
  'CSV with tabs, and other capitals': 'Id\tNAME\nbase1-4\tFlabébé\n',
  'CSV with quotes and empty lines': '\n"id", name \n\n"base1-4","Flabébé"\n\n',
  'a JSON array': JSON.stringify([CARD], null, 2),
  'a JSON array with a byte order mark': `\uFEFF${JSON.stringify([CARD])}`,
  'JSON Lines': `${JSON.stringify(CARD)}\n\n`,
  'JSON Lines with a list in the only one': JSON.stringify({ ...CARD, sets: [{ name: 'a' }] }),
  'a card alone, over several lines': JSON.stringify({ ...CARD, sets: [{ name: 'a' }] }, null, 2),
};

it.each(Object.entries(FORMS))('%s is read, gzipped too', async (_, text) => {
  expect(await cardsIn(text)).toEqual([CARD]);
  expect(await cardsIn(gzipSync(text))).toEqual([CARD]);
});

const card = (id: string, name: string) => ({ id, name });
const [A, B] = [card('1', 'a'), card('2', 'b')];
const SETS = { meta: { data: 1 }, data: { A: { name: 'Alpha', cards: [A, B] }, B: { cards: [] } } };

it.each<[string, text: string, cards: unknown[], rows?: string]>([
  [
    'keeps delimiters, quotes and line breaks of a quoted field',
    'id,name\n1,"Kozilek, the ""Great""\nDistortion"\n2,b\n',
    [card('1', 'Kozilek, the "Great" Distortion'), B],
  ],
  [
    'names a record by its first line',
    'id,name\n1,"a\nb\nc",x\n2,b\n',
    ['line 2 has 3 fields, where the first line names 2', B],
  ],
  [
    'refuses a quote within a field',
    'id,name\n1,5" tall\n2,b\n',
    ['line 2 has a quote within a field that is not written twice', B],
  ],
  [
    'has its second line for a header when the first has a stray quote',
    'id,na"me\nid,name\n2,b\n',
    ['line 1 has a quote within a field that is not written twice', B],
  ],
  [
    'loses what is between two stray quotes, and goes on',
    'id,name\n1,"a\n3,"c"\n2,b\n',
    ['line 2 has a quote within a field that is not written twice', B],
  ],
  [
    'loses the rest to a quote that is never closed',
    'id,name\n1,a\n2,"b\n3,c\n',
    [A, 'line 3 opens a quote that is not closed'],
  ],
  [
    'skips lines that are no object',
    '{"id":1,"name":"a"}\n{"id":\n[1]\n"id"\n{"id":2,"name":"b"}\n',
    [A, 'line 2 is not JSON', 'line 3 is not an object', 'line 4 is not an object', B],
  ],
  ['keeps what looks like a line break', '{"id":1,"name":"a","also":"a\u2028b"}', [{ ...A, also: ['a b'] }]],
  ['skips elements that are no object', '[1, {"id":1,"name":"a"}]', ['card 1 is not an object', A]],
  ['is read as far as it goes', '[{"id":1,"name":"a"},', [A, 'Unusable: is not JSON after card 1']],
  ['is read as far as it goes without its end', '[{"id":1,"name":"a"}', [A, 'Unusable: is not JSON after card 1']],
  ['is not read when it is no JSON', '[{"id" 1}]', ['Unusable: is not JSON']],
  ['has whatever its texts are', '[{"id":1,"name":"[{,\\"\\\\"}]', [card('1', '[{,"\\')]],
  ['has cards below every member', JSON.stringify(SETS), [A, B], 'data.*.cards'],
  ['has cards below one', JSON.stringify(SETS, null, 1), [A, B], 'data.A.cards'],
  ['has members for cards', JSON.stringify({ data: { x: A, y: B } }), [A, B], 'data'],
  [
    'has no cards in values',
    JSON.stringify(SETS),
    ['card 1 is not an object', 'card 2 is not an object'],
    'data.*.cards.*.id',
  ],
  ['may have no cards there', JSON.stringify(SETS), [], 'cards'],
])('a file %s', async (_, text, cards, rows) => {
  expect(await cardsIn(text, rows === undefined ? {} : { rows })).toEqual(cards);
});

it('any number of cards is read, and of a gzip file that is cut off all that is there', async () => {
  const lines = Array.from({ length: 20_000 }, (_, id) => JSON.stringify({ id, name: `${Math.sin(id)}` }));
  const whole = gzipSync(`${lines.join('\n')}\n`);
  const cards = await cardsIn(whole.subarray(0, whole.length / 2));
  expect(cards.length).toBeGreaterThan(5_000);
  expect(cards.at(-1)).toBe('Unusable: is cut off: its gzip data ends too early');
});

const PACKED = 'is packed in a way that is not gzip: unpack it first';

it.each<[string, bytes: string | Buffer, why: string]>([
  ['nothing', '', 'is empty'],
  ['white space', ' \n\n', 'is empty'],
  ['an empty gzip file', gzipSync(''), 'is empty'],
  ['a ZIP archive', Buffer.from('504b030414000000', 'hex'), PACKED],
  ['a bzip2 archive', 'BZh91AY&SY', PACKED],
  ['an xz archive', Buffer.from('fd377a585a000004', 'hex'), PACKED],
  ['UTF-16', Buffer.from('\uFEFFid,name\n1,a', 'utf16le'), 'is UTF-16: save it as UTF-8'],
  ['a web page', '<!doctype html>', 'looks like a web page or XML'],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'is neither CSV, JSON nor JSON Lines'],
  [
    'a Git LFS pointer',
    'version https://git-lfs.github.com/spec/v1\n',
    'is a Git LFS pointer: get the file itself with `git lfs pull`',
  ],
  ['a YAML list', '- id: x\n  name: Drake\n', 'looks like YAML: convert it to JSON'],
  ['a YAML document', '---\nid: x\nname: Drake\n', 'looks like YAML: convert it to JSON'],
  ['a YAML card', 'id: x\nname: Drake\n', 'looks like YAML: convert it to JSON'],
  [
    'a line that does not end',
    `id,name\n${'x'.repeat(33 * MEGABYTE)}`,
    'has more than 32 MB without a card: see docs/catalogues.md',
  ],
  ['a damaged gzip file', gzipSync('id,name\n').fill(0xff, 10, 14), 'is damaged: its gzip data is not valid'],
])('a file that cannot be read (%s) is one sentence', async (_, bytes, why) => {
  expect(await cardsIn(bytes)).toEqual([`Unusable: ${why}`]);
});

describe('what is around the cards', () => {
  const SET = { name: 'Alpha', cards: [B], after: { en: 'A' } };

  it.each([
    ['cards', '../after.en', SET, 'A'],
    ['*', '../x', { a: B, x: 'A' }, 'A'],
    ['data.A.cards', '../../../name', { data: { A: SET }, name: 'All' }, 'All'],
    ['data.*.cards', '../name', { data: { A: SET } }, 'Alpha'],
  ])('is found wherever they are (%s, %s), before them and after', async (rows, set, document, expected) => {
    expect((await cardsIn(document, { rows, map: { set } }))[0]).toEqual({ ...B, set: expected });
  });

  it('is no card itself where cards are the members of an object', async () => {
    const mapping = { rows: 'data', map: { set: '../../name' } };
    expect(await cardsIn({ data: { a: B }, name: 'All' }, mapping)).toEqual([{ ...B, set: 'All' }]);
  });

  it('is read of 32 MB, and of more where the path leads through every member', async () => {
    const cards = Array.from({ length: 33 }, () => ({ ...B, text: 'x'.repeat(MEGABYTE) }));
    const large = JSON.stringify({ cards });
    expect(await cardsIn(large, { rows: 'cards', map: { set: '../set' } })).toEqual([expect.stringContaining('32 MB')]);
    expect(await cardsIn(large, { rows: 'cards' })).toHaveLength(33);
  });
});

describe('a joined file', () => {
  const setsIn = (text: string, join: { rows?: string; key?: string }) =>
    readJoined({ field: 'set', name: 'sets', bytes: () => inPieces(text), ...join });
  const ROWS = [
    { id: 'a', code: 1, name: 'Alpha' },
    { id: 'b', code: 2, name: 'Beta' },
  ];

  it.each<[string, text: string, join: { rows?: string; key?: string }, value: string]>([
    ['by their id', JSON.stringify(ROWS), {}, 'a'],
    ['by the key that is named', JSON.stringify(ROWS), { key: 'code' }, '1'],
    ['under a path', JSON.stringify({ data: { x: ROWS[0], y: ROWS[1] } }), { rows: 'data.*', key: 'code' }, '1'],
    ['in JSON Lines', ROWS.map((row) => JSON.stringify(row)).join('\n'), {}, 'a'],
    ['by a column in other capitals', 'Code,Name\n1,Alpha\n2,Beta', { key: 'code' }, '1'],
  ])('has its rows %s', async (_, text, join, value) => {
    const joined = await setsIn(text, join);
    const mapping = { map: { set: 'set.name', number: '{set.name}/{set}' } };
    const found = { ...B, set: 'Alpha', number: `Alpha/${value}` };
    expect(await cardsIn(`id,name,SET\n2,b,${value}\n`, mapping, [joined])).toEqual([found]);
    const [known, unknown] = [Number(value) || value, 'none'].map((set) => ({ ...B, set }));
    expect(await cardsIn([known, unknown], mapping, [joined])).toEqual([found, B]);
  });

  it.each([
    ['[{"name":"Alpha"}]', {}, 'has no row with set or id'],
    ['[{"id":1}]', { key: 'code' }, 'has no row with code'],
  ])('needs a row with the key (%s)', async (text, join, why) => {
    await expect(setsIn(text, join)).rejects.toThrow(why);
  });
});

const ROW = { id: 'a', name: 'b', set: 'c', number: 'd', game: 'e' };
const AB = card('a', 'b');
const JA = '<ruby>湿<rt>しっ</rt></ruby><ruby>地<rt>ち</rt></ruby>';

it.each<[string, row: object, mapping: Mapping, card: object | string]>([
  ['has the fields of the same names', { ...ROW, more: {} }, {}, ROW],
  ['needs an id and a name only', { id: 7, name: ' b ', set: null, number: '' }, {}, { id: '7', name: 'b' }],
  [
    'has fields from within a field',
    { ...ROW, set: { name: 'c' }, prints: [{ no: 3 }] },
    { map: { set: 'set.name', number: 'prints.0.no' } },
    { ...ROW, number: '3' },
  ],
  [
    'has fields made by a template',
    { ...ROW, total: 102 },
    { map: { number: '{number}/{total}', set: '{set} ({nothing})' } },
    { ...AB, number: 'd/102', game: 'e' },
  ],
  [
    'has the parts of a template that it has values for',
    { ...ROW, pitch: 3 },
    { map: { name: '{name}[ ({pitch})]', number: '{number}[/{total}]' } },
    { ...ROW, name: 'b (3)' },
  ],
  [
    'has nothing of a template of which nothing is left',
    ROW,
    { map: { set: '[{nothing}]', name: '[x] {name}' } },
    { id: 'a', name: '[x] b', number: 'd', game: 'e' },
  ],
  [
    'has every other name and word, once and without furigana',
    { ...ROW, codes: ['X1', 'X1', {}], JA },
    { map: { also: ['codes', 'JA', 'nothing'] } },
    { ...ROW, also: ['X1', '湿地'] },
  ],
  [
    'is read with HTML entities decoded once, in all but its id',
    { id: 'a&amp;b', name: 'Ace &amp; Newgate&#x27;s&nbsp;&amp;lt;', set: 'R&D &eacute;', also: ['&Uuml;ber'] },
    {},
    { id: 'a&amp;b', name: "Ace & Newgate's &lt;", set: 'R&D é', also: ['Über'] },
  ],
  ['has its own other names', { ...ROW, also: 'f\ng', released: true }, {}, { ...ROW, also: ['f', 'g'] }],
  [
    'has an id made of fields of the file, or else of its own',
    { ...ROW, code: 'x', number: undefined, no: 4 },
    { idTemplate: '{code}-{number}', map: { number: 'no' } },
    { ...ROW, id: 'x-4', number: '4' },
  ],
  ['is of the given game when it names none', AB, { game: 'A\n\u001bB' }, { ...AB, game: 'A B' }],
  ['is of its own game', ROW, { game: 'Magic' }, ROW],
  ['is of no game when that has no name', AB, { game: ' ' }, AB],
  ['needs an id', { name: 'b' }, {}, 'has no id'],
  [
    'needs all parts of its id',
    { name: 'b', set: 'c' },
    { idTemplate: '{set}-{number}' },
    'has no id: its number is empty',
  ],
  [
    'has no id that a spreadsheet has rounded',
    { id: '8,96311E+07', name: 'b' },
    {},
    'has an id that a spreadsheet has rounded: export the list again with ids as text',
  ],
  ['has no id of dots', { id: '..', name: 'b' }, {}, 'has an id of dots only'],
  ['has no half character in its id', { id: 'a\ud800', name: 'b' }, {}, 'has an id with half a character'],
  ['is UTF-8', { id: 'a', name: 'Flab\uFFFDb\uFFFD' }, {}, 'is not UTF-8'],
  [
    'has fields of text',
    { ...ROW, set: { name: 'c' } },
    {},
    'has a field set that is no text: name one within it, as in set.name',
  ],
  [
    'has no truth values',
    { ...ROW, number: true },
    {},
    'has a field number that is no text: name one within it, as in number.name',
  ],
  [
    'has no number that JSON has rounded',
    { id: 2 ** 60, name: 'b' },
    {},
    'has a field id that is too large a number: write it in quotes',
  ],
  [
    'has no half character at the end of a name that is cut',
    { id: 'a', name: `${'b'.repeat(299)}😀` },
    {},
    { id: 'a', name: 'b'.repeat(299) },
  ],
  ['has nothing of the prototype of objects', AB, { map: { set: 'constructor.name' } }, AB],
])('a card %s', async (_, row, mapping, expected) => {
  expect(await cardsIn([row], mapping)).toEqual([typeof expected === 'string' ? `card 1 ${expected}` : expected]);
});

it('a column may have dots and brackets in its name', async () => {
  const mapping = { map: { id: 'card.id', name: '{Name [EN]}' } };
  expect(await cardsIn('card.id,Name [EN]\na,b\n', mapping)).toEqual([AB]);
});
