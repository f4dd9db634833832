import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cardReader, type Joined, type Mapping, readJoined } from '../../../src/cli/catalog/card.ts';
import { rowsOf, Unusable } from '../../../src/cli/catalog/files.ts';
import { table } from '../../table.ts';

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

const why = (error: unknown) => (error instanceof Unusable ? error.message : String(error));

/** What a file becomes: cards, or the place of a row and why it is none; the last may be why reading ended. */
async function cardsIn(file: string | Buffer | object, mapping: Mapping = {}, joined: readonly Joined[] = []) {
  const found: unknown[] = [];
  try {
    const bytes = typeof file === 'string' || Buffer.isBuffer(file) ? file : JSON.stringify(file);
    const isWhole = JSON.stringify(mapping).includes('../');
    const { isTable, rows } = await rowsOf(inPieces(bytes), mapping.rows, isWhole);
    const cardOf = cardReader(mapping, joined, 'base1', isTable);
    for await (const row of rows) {
      try {
        found.push(cardOf(row));
      } catch (error) {
        found.push(`${row.place} ${why(error)}`);
      }
    }
  } catch (error) {
    found.push(why(error));
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

const [A, B] = [
  { id: '1', name: 'a' },
  { id: '2', name: 'b' },
];
const SETS = { meta: { data: 1 }, data: { A: { name: 'Alpha', cards: [A, B] }, B: { cards: [] } } };

/** Of JSON with `A` and `B` for those cards, and `SETS` for that document. */
const withCards = (text: string) =>
  text.replaceAll(/\b(?:A|B|SETS)\b(?!")/g, (name) => JSON.stringify({ A, B, SETS }[name]));

it.each(table`
  keeps delimiters, quotes and line breaks of a quoted field | id,name\n1,"Kozilek, the ""Great""\nDistortion"\n2,b | {"id":"1","name":"Kozilek, the \"Great\" Distortion"} & B
  names a record by its first line | id,name\n1,"a\nb\nc",x\n2,b | line 2 has 3 fields, where the first line names 2 & B
  refuses a quote within a field | id,name\n1,5" tall\n2,b | line 2 has a quote within a field that is not written twice & B
  has its second line for a header when the first has a stray quote | id,na"me\nid,name\n2,b | line 1 has a quote within a field that is not written twice & B
  loses what is between two stray quotes, and goes on | id,name\n1,"a\n3,"c"\n2,b | line 2 has a quote within a field that is not written twice & B
  loses the rest to a quote that is never closed | id,name\n1,a\n2,"b\n3,c\n | A & line 3 opens a quote that is not closed
  skips lines that are no object | A\n{"id":\n[1]\n"id"\nB | A & line 2 is not JSON & line 3 is not an object & line 4 is not an object & B
  keeps what looks like a line break | {"id":1,"name":"a","also":"a\u2028b"} | {"id":"1","name":"a","also":["a b"]}
  skips elements that are no object | [1, A] | card 1 is not an object & A
  is read as far as it goes | [A, | A & is not JSON after card 1
  is read as far as it goes without its end | [A | A & is not JSON after card 1
  is not read when it is no JSON | [{"id" 1}] | is not JSON
  has whatever its texts are | [{"id":1,"name":"[{,\"\\"}] | {"id":"1","name":"[{,\"\\"}
  has cards below every member | SETS | A & B | data.*.cards
  has cards below one | SETS | A & B | data.A.cards
  has members for cards | {"data":{"x":A,"y":B}} | A & B | data
  has no cards in values | SETS | card 1 is not an object & card 2 is not an object | data.*.cards.*.id
  may have no cards there | SETS | | cards
`)('a file %s', async (_, text = '', cards = '', rows?: string) => {
  const found = await cardsIn(withCards(text.replaceAll('\\n', '\n').replaceAll('\\u2028', '\u2028')), { rows });
  const expected = cards.split(' & ').filter(Boolean);
  expect(found).toEqual(expected.map((each) => (/^[AB{]/.test(each) ? JSON.parse(withCards(each)) : each)));
});

it('any number of cards is read, and of a gzip file that is cut off all that is there', async () => {
  const lines = Array.from({ length: 20_000 }, (_, id) => JSON.stringify({ id, name: `${Math.sin(id)}` }));
  const whole = gzipSync(`${lines.join('\n')}\n`);
  const cards = await cardsIn(whole.subarray(0, whole.length / 2));
  expect(cards.length).toBeGreaterThan(5_000);
  expect(cards.at(-1)).toBe('is cut off: its gzip data ends too early');
});

const PACKED = 'is packed in a way that is not gzip: unpack it first';

it.each<[string, bytes: string | Buffer, says: string]>([
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
])('a file that cannot be read (%s) is one sentence', async (_, bytes, says) => {
  expect(await cardsIn(bytes)).toEqual([says]);
});

describe('what is around the cards', () => {
  it.each(table`
    found after them, in the document | cards | ../after.en | {"name":"Alpha","cards":[B],"after":{"en":"A"}} | A
    found beside them, where they are members | * | ../x | {"a":B,"x":"A"} | A | card 2 is not an object
    found far around them | data.A.cards | ../../../name | {"data":{"A":{"cards":[B]}},"name":"All"} | All
    found before them | data.*.cards | ../name | {"data":{"A":{"name":"Alpha","cards":[B]}}} | Alpha
    no card itself, where cards are the members of an object | data | ../../name | {"data":{"a":B},"name":"All"} | All
  `)('is %s', async (_, rows, set, document = '', expected, ...others) => {
    expect(await cardsIn(withCards(document), { rows, map: { set } })).toEqual([{ ...B, set: expected }, ...others]);
  });

  it('is read of 32 MB, and of more where the path leads through every member', async () => {
    const cards = Array.from({ length: 33 }, () => ({ ...B, text: 'x'.repeat(MEGABYTE) }));
    const large = JSON.stringify({ cards });
    expect(await cardsIn(large, { rows: 'cards', map: { set: '../set' } })).toEqual([expect.stringContaining('32 MB')]);
    expect(await cardsIn(large, { rows: 'cards' })).toHaveLength(33);
    const halves = JSON.stringify(['A', 'B'].map((set) => ({ set, cards: cards.slice(16) })));
    const found = await cardsIn(halves, { rows: '*.cards', map: { set: '../set' } });
    expect(found.slice(16, 18)).toMatchObject([{ set: 'A' }, { set: 'B' }]);
  });
});

describe('a joined file', () => {
  const setsIn = (text: string, join: { rows?: string; key?: string }) =>
    readJoined({ field: 'set', name: 'sets', bytes: () => inPieces(text), ...join });
  it.each(table`
    by their id | [{"id":"a","name":"Alpha"},{"id":"b","name":"Beta"}] | {} | a
    by the key that is named | [{"code":1,"name":"Alpha"},{"code":2,"name":"Beta"}] | {"key":"code"} | 1
    under a path | {"data":{"x":{"code":1,"name":"Alpha"},"y":{"code":2,"name":"Beta"}}} | {"rows":"data.*","key":"code"} | 1
    in JSON Lines | {"id":"a","name":"Alpha"}\n{"id":"b","name":"Beta"} | {} | a
    by a column in other capitals | Code,Name\n1,Alpha\n2,Beta | {"key":"code"} | 1
  `)('has its rows %s', async (_, text = '', join = '', value = '') => {
    const joined = await setsIn(text.replaceAll('\\n', '\n'), JSON.parse(join));
    const mapping = { map: { set: 'set.name', number: '{set.name}/{set}' } };
    const found = { ...B, set: 'Alpha', number: `Alpha/${value}` };
    expect(await cardsIn(`id,name,SET\n2,b,${value}\n`, mapping, [joined])).toEqual([found]);
    const [known, unknown] = [Number(value) || value, 'none'].map((set) => ({ ...B, set }));
    expect(await cardsIn([known, unknown], mapping, [joined])).toEqual([found, B]);
  });

  it('is named where a part of an id is empty', async () => {
    const joined = await setsIn('id,code\n1,bs\n', {});
    const mapping = { idTemplate: '{set.code}-{no[0]}' };
    expect(await cardsIn('name,set,no[0]\nc,2,8\nc,1,\n', mapping, [joined])).toEqual([
      'line 2 has no id: its set.code is empty',
      'line 3 has no id: its no[0] is empty',
    ]);
  });

  it.each(table`
    [{"name":"Alpha"}] | {} | has no row with set or id
    [{"id":1}] | {"key":"code"} | has no row with code
  `)('needs a row with the key (%s)', async (text = '', join = '', says) => {
    await expect(setsIn(text, JSON.parse(join))).rejects.toThrow(says);
  });
});

const ROW = { id: 'a', name: 'b', set: 'c', number: 'd', game: 'e' };

it.each(table`
  has the fields of the same names | {"more":{}} | |
  needs an id and a name only | {"id":7,"name":" b\n\tGX ","set":null,"number":"","also":[" "]} | | {"id":"7","name":"b GX","set":"absent","number":"absent"}
  has fields from within a field | {"set":{"name":"c"},"prints":[{"no":3}]} | {"map":{"set":"set.name","number":"prints.0.no"}} | {"number":"3"}
  has fields made by a template | {"total":102} | {"map":{"number":"{number}/{total}","set":"{set} ({nothing})"}} | {"number":"d/102","set":"absent"}
  has the parts of a template that it has values for | {"pitch":3} | {"map":{"name":"{name}[ ({pitch})]","number":"{number}[/{total}]"}} | {"name":"b (3)"}
  has nothing of a template of which nothing is left | | {"map":{"set":"[{nothing}]","name":"[x] {name}"}} | {"name":"[x] b","set":"absent"}
  has every other name and word, once and without furigana | {"codes":["X1","X1",{}],"JA":"<ruby>湿<rt>しっ</rt></ruby><ruby>地<rt>ち</rt></ruby>"} | {"map":{"also":["codes","JA","nothing"]}} | {"also":["X1","湿地"]}
  is read with HTML entities decoded once, in all but its id | {"id":"a&amp;b","name":"Ace &amp; Newgate&#x27;s&nbsp;&amp;lt;","set":"R&D &eacute;","also":["&Uuml;ber"]} | | {"id":"a&amp;b","name":"Ace & Newgate's &lt;","set":"R&D é","also":["Über"]}
  has its own other names | {"also":"f\ng","released":true} | | {"also":["f","g"]}
  has its other names in lines, each once, without controls | {"also":[" f ","","f","g\t\u0007h"]} | | {"also":["f","g h"]}
  has an id made of fields of the file, or else of its own | {"code":"x","number":"absent","no":4} | {"idTemplate":"{code}-{number}","map":{"number":"no"}} | {"id":"x-4","number":"4"}
  is of the given game when it names none | {"game":"absent"} | {"game":"A\n\u001bB"} | {"game":"A B"}
  is of its own game | | {"game":"Magic"} |
  is of no game when that has no name | {"game":"absent"} | {"game":" "} | {"game":"absent"}
  is without blanks around its id | {"id":" a "} | |
  needs an id | {"id":"absent"} | | has no id
  needs a name | {"name":" "} | | has no name
  needs all parts of its id | {"number":"absent"} | {"idTemplate":"{set}-{number}"} | has no id: its number is empty
  has no id that a spreadsheet has rounded | {"id":"8,96311E+07"} | | has an id that a spreadsheet has rounded: export the list again with ids as text
  has no id of dots | {"id":".."} | | has an id of dots only
  has no half character in its id | {"id":"a\ud800"} | | has an id with half a character
  has no control character in its id | {"id":"a\u0007b"} | | has an id with a control character
  has no id of over 100 characters | {"id":"${'a'.repeat(101)}"} | | has an id of more than 100 characters
  is UTF-8 | {"name":"Flab\ufffdb\ufffd"} | | is not UTF-8
  is UTF-8 in its other names | {"also":"Dra\ud800"} | | is not UTF-8
  has fields of text | {"set":{"name":"c"}} | | has a field set that is no text: name one within it, as in set.name
  has no truth values | {"number":true} | | has a field number that is no text: name one within it, as in number.name
  has no number that JSON has rounded | {"id":1152921504606846976} | | has a field id that is too large a number: write it in quotes
  has a name of at most 300 characters | {"name":"${'b'.repeat(400)}"} | | {"name":"${'b'.repeat(300)}"}
  has no half character at the end of a name that is cut | {"name":"${'b'.repeat(299)}😀"} | | {"name":"${'b'.repeat(299)}"}
  has nothing of the prototype of objects | | {"map":{"set":"constructor.name"}} | {"set":"absent"}
  has a date with slashes | {"released":"1999/01/09"} | | {"released":"1999-01-09"}
  has a date without zeros | {"released":"1999/1/9"} | | {"released":"1999-01-09"}
  has the date of a time | {"released":"2023-02-24T00:00:00.000Z"} | | {"released":"2023-02-24"}
  has a month | {"released":"2016-7"} | | {"released":"2016-07"}
  has a year | {"released":"2016"} | | {"released":"2016"}
  has no date in words | {"released":"16 July 2016"} | |
  has no date of digits alone | {"released":"20160714"} | |
`)('a card %s: %s', async (_, row, mapping, expected) => {
  const of = (cell: string | undefined) => {
    const fields = Object.entries({ ...ROW, ...JSON.parse(cell || '{}') });
    return Object.fromEntries(fields.filter(([, value]) => value !== 'absent'));
  };
  const found = await cardsIn([of(row)], JSON.parse(mapping || '{}'));
  expect(found).toEqual([/^\w/.test(expected ?? '') ? `card 1 ${expected}` : of(expected)]);
});

it('a column may have dots and brackets in its name', async () => {
  const mapping = { map: { id: 'card.id', name: '{Name [EN]}' } };
  expect(await cardsIn('card.id,Name [EN]\na,b\n', mapping)).toEqual([{ id: 'a', name: 'b' }]);
});
