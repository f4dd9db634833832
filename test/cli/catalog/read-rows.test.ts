import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openInput } from '../../../src/cli/catalog/input.ts';
import { type Join, readJoined, readRows } from '../../../src/cli/catalog/read-rows.ts';

const MEGABYTE = 1024 * 1024;

/** Each row as its value, or as its place and why it is refused; the last may be why reading ended. */
async function read(text: string | Buffer, rowsPath?: string): Promise<unknown[]> {
  const found: unknown[] = [];
  try {
    const input = await openInput('-', { folder: '', stdin: Readable.from(inPieces(Buffer.from(text))) });
    for await (const row of readRows(input, rowsPath))
      found.push(row.refused === undefined ? row.value : `${row.place} ${row.refused}`);
  } catch (error) {
    found.push(error instanceof Error ? `${error.name}: ${error.message}` : error);
  }
  return found;
}

/** So that lines, characters and magic numbers are cut in two. */
function* inPieces(bytes: Buffer): Generator<Buffer> {
  const size = bytes.length < 10_000 ? 1 : 60_000;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const TOO_MANY = 'has more than 1,000,000 values where one card or one set of them is expected';
const ROW = { id: 'base1-4', name: 'Flabébé' };
const FORMATS = {
  CSV: 'id,name\nbase1-4,Flabébé\n',
  'CSV without a last line break': 'id,name\nbase1-4,Flabébé',
  'CSV with a byte order mark': '\uFEFFid,name\r\nbase1-4,Flabébé\r\n',
  'CSV with the delimiter in a line of its own': 'sep=;\r\nid;name\r\nbase1-4;Flabébé\r\n',
  'CSV with rows of delimiters only': 'id,name\nbase1-4,Flabébé\n,\n',
  'CSV with semicolons': 'id;name\nbase1-4;Flabébé\n',
  'CSV with tabs': 'id\tname\nbase1-4\tFlabébé\n',
  'CSV with quotes and empty lines': '\n"id", name \n\n"base1-4","Flabébé"\n\n',
  'a JSON array': JSON.stringify([ROW], null, 2),
  'a JSON array with a byte order mark': `\uFEFF${JSON.stringify([ROW])}`,
  'JSON Lines': `${JSON.stringify(ROW)}\n\n`,
};

describe.each(Object.entries(FORMATS))('%s', (_, text) => {
  it('is read, gzipped too', async () => {
    expect(await read(text)).toEqual([ROW]);
    expect(await read(gzipSync(text))).toEqual([ROW]);
  });
});

describe('CSV', () => {
  const row = (id: string, name: string) => ({ id, name });
  const B = row('2', 'b');
  const STRAY = 'a quote within a field that does not begin with one';
  const unclosed = (line: number) => `line ${line} opens a quote that is not closed`;
  const GREAT = ['1,"Kozilek, the ""Great""\nDistortion"', row('1', 'Kozilek, the "Great"\nDistortion')] as const;

  it.each<[string, lines: string, rows: unknown[]]>([
    ['keeps delimiters, quotes and line breaks of a quoted field', `${GREAT[0]}\n2,b\n`, [GREAT[1], B]],
    [
      'names a record by its first line',
      '1,"a\nb\nc",x\n2,b\n',
      ['line 2 has 3 fields, where the first line names 2', B],
    ],
    ['refuses a quote within a field', '1,5" tall\n2,b\n', [`line 2 has ${STRAY}`, B]],
    ['loses one line to a quote that is never closed', '1,"a\n2,b\n3,c\n', [unclosed(2), B, row('3', 'c')]],
    ['loses only their lines to stray quotes', '1,"a\n2,b\n3,"c\n4,d\n', [unclosed(2), B, unclosed(4), row('4', 'd')]],
  ])('%s', async (_, lines, rows) => {
    expect(await read(`id,name\n${lines}`)).toEqual(rows);
  });

  it('has a header that can be read', async () => {
    const why = `Unusable: has no header that can be read: its first line has ${STRAY}`;
    expect(await read('id,na"me\n1,a\n')).toEqual([why]);
  });

  it('is the same whatever is parsed in one call', async () => {
    const records = Array.from({ length: 1_000 }, (_, index) => ({
      id: `${index}`,
      name: 'a\n"b'.slice(0, index % 5),
    }));
    const text = records.map(({ id, name }) => `${id},"${name.replaceAll('"', '""')}"\n`).join('');
    const bad = { 150: '150,"a', 151: '151,"b', 399: '399', 400: `400,${'x'.repeat(MEGABYTE)}` };
    expect(await read(`id,name\n${text}`)).toEqual(records);
    const lines = records.map(({ id }, index) => bad[index as keyof typeof bad] ?? `${id},""`);
    expect(await read(['id,name', ...lines].join('\n'))).toEqual(
      records.map(({ id }, index) => (index in bad ? expect.stringMatching(`^line ${index + 2} `) : { id, name: '' })),
    );
  });

  it('loses one line to a quote that is closed far below', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `${index},name`);
    const rows = await read(['id,name', '1,"a', ...lines, '2,"b', ''].join('\n'));
    expect(rows.filter((row) => typeof row === 'string')).toEqual([unclosed(2), unclosed(503)]);
    expect(rows).toHaveLength(502);
  });
});

describe('JSON Lines', () => {
  it('skips lines that are not an object', async () => {
    expect(await read('{"id":"1"}\n{"id":\n[1]\n"id"\n{"id":"2"}\n')).toEqual([
      { id: '1' },
      'line 2 is not JSON',
      'line 3 is not an object',
      'line 4 is not an object',
      { id: '2' },
    ]);
  });

  it('may be one line with a list in it', async () => {
    const row = { id: '1', sets: [{ name: 'a' }] };
    expect(await read(JSON.stringify(row))).toEqual([row]);
  });

  it('may hold what looks like a line break', async () => {
    const row = { id: '1', name: 'a\u2028b\u0085c' };
    expect(await read(JSON.stringify(row))).toEqual([row]);
  });
});

describe('a JSON document', () => {
  const SETS = { meta: { data: 1 }, data: { A: { name: 'Alpha', cards: [{ id: 1 }, { id: 2 }] }, B: { cards: [] } } };

  it.each([
    ['data.*.cards', [{ id: 1 }, { id: 2 }]],
    ['data.A.cards', [{ id: 1 }, { id: 2 }]],
    ['data', [SETS.data.A, SETS.data.B]],
    ['data.*.cards.*.id', ['card 1 is not an object', 'card 2 is not an object']],
    ['cards', []],
  ])('has its rows at %s', async (path, rows) => {
    expect(await read(JSON.stringify(SETS, null, 1), path)).toEqual(rows);
  });

  it('skips elements that are no object', async () => {
    expect(await read('[1, {"id":"1"}, null]')).toEqual([
      'card 1 is not an object',
      { id: '1' },
      'card 3 is not an object',
    ]);
  });

  it('is read as far as it goes when it is cut off', async () => {
    expect(await read('[{"id":"1"},')).toEqual([{ id: '1' }, 'Unusable: is not JSON after card 1']);
  });

  it.each(['[{"id" 1}]', '[{"id":"1"}] x', '[{"id":"1"}'])('is not read when it is %s', async (text) => {
    expect((await read(text)).at(-1)).toMatch(/^Unusable: is not JSON/);
  });
});

describe('what is around the cards', () => {
  const around = async (document: object, rowsPath: string, levels: number) => {
    const input = await openInput('-', { folder: '', stdin: Readable.from([Buffer.from(JSON.stringify(document))]) });
    const rows = await Array.fromAsync(readRows(input, rowsPath, levels));
    return rows.map(({ refused, around }) => refused ?? around);
  };
  const SET = { name: 'Alpha', cards: [1, { id: 2 }], after: { en: 'A' } };
  const DATA = { data: { A: SET }, name: 'All' };

  it.each([
    ['cards', 1, SET, [SET]],
    ['*', 1, { a: { id: 2 } }, [{ a: { id: 2 } }]],
    ['data.A.cards', 3, DATA, [SET, DATA.data, DATA]],
    ['data.*.cards', 1, DATA, [SET]],
    ['data.*.cards', 3, DATA, [SET, DATA.data, DATA]],
  ])('is found wherever they are (%s, %i), before them and after', async (path, levels, document, expected) => {
    expect((await around(document, path, levels)).at(-1)).toEqual(expected);
  });

  it('is read of 16 MB', async () => {
    const large = { more: 'x'.repeat(1000), cards: Array.from({ length: 17 }, () => ({ text: 'x'.repeat(MEGABYTE) })) };
    await expect(around(large, 'cards', 1)).rejects.toThrow('is larger than 16 MB');
    expect(await around(large, 'cards', 0)).toHaveLength(17);
  });
});

describe('a joined file', () => {
  const joined = async (text: string, join: Omit<Join, 'field' | 'file'> = {}) => {
    const input = await openInput('-', { folder: '', stdin: Readable.from([Buffer.from(text)]) });
    const rows = await readJoined({ field: 'set', file: 'sets', ...join }, input);
    return [...rows].map(([key, { value }]) => [key, Reflect.get(value, 'name')]);
  };
  const ROWS = [
    { id: 'a', code: 1, name: 'Alpha' },
    { id: 'b', code: 2, name: 'Beta' },
  ];

  it.each([
    ['by their id', JSON.stringify(ROWS), {}, 'a'],
    ['by the key that is named', JSON.stringify(ROWS), { key: 'code' }, '1'],
    ['by their names in an object', '{"x":{"name":"Alpha"},"y":{"name":"Beta"}}', {}, 'x'],
    ['by a key in an object', JSON.stringify({ x: ROWS[0], y: ROWS[1] }, null, 1), { key: 'code' }, '1'],
    ['under a path', JSON.stringify({ data: { x: ROWS[0], y: ROWS[1] } }), { rows: 'data.*', key: 'code' }, '1'],
    ['in JSON Lines', ROWS.map((row) => JSON.stringify(row)).join('\n'), {}, 'a'],
    ['by a column in other capitals', 'Code,name\n1,Alpha\n2,Beta', { key: 'code' }, '1'],
  ])('has its rows %s', async (_, text, join, key) => {
    const rows = await joined(text, join);
    expect(rows[0]).toEqual([key, 'Alpha']);
    expect(rows).toHaveLength(2);
  });

  it('needs a row with the key', async () => {
    await expect(joined('[{"name":"Alpha"}]')).rejects.toThrow('has no row with set or id');
    await expect(joined('[{"id":1}]', { key: 'code' })).rejects.toThrow('has no row with code');
  });
});

describe('a file that cannot be read', () => {
  const FILES: Record<string, [bytes: string | Buffer, why: string]> = {
    nothing: ['', 'is empty'],
    'white space': [' \n\n', 'is empty'],
    'an empty gzip file': [gzipSync(''), 'is empty'],
    'a ZIP archive': [Buffer.from('504b030414000000', 'hex'), 'is a ZIP archive: unpack it first'],
    'a bzip2 archive': [Buffer.from('BZh91AY&SY'), 'is a bzip2 archive: unpack it first'],
    'an xz archive': [Buffer.from('fd377a585a000004', 'hex'), 'is an xz archive: unpack it first'],
    'UTF-16': [Buffer.from('\uFEFFid,name\n1,a', 'utf16le'), 'is UTF-16: save it as UTF-8'],
    'a web page': ['<!doctype html>', 'looks like a web page or XML'],
    'a picture': [Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'is neither CSV, JSON nor JSON Lines'],
    'an object of 2 MB over several lines': [
      JSON.stringify({ data: [{ text: 'x'.repeat(2 * MEGABYTE) }] }, null, 2),
      'is one JSON object: say with --rows where its cards are, such as --rows data',
    ],
    'a Git LFS pointer': [
      'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n',
      'is a Git LFS pointer: get the file itself with `git lfs pull`',
    ],
    'a YAML list': ['- id: x\n  name: Drake\n', 'looks like YAML: convert it to JSON'],
    'a YAML document': ['---\nid: x\nname: Drake\n', 'looks like YAML: convert it to JSON'],
    'a YAML card': ['id: x\nname: Drake\n', 'looks like YAML: convert it to JSON'],
    'a header of 2 MB': [
      'x'.repeat(2 * MEGABYTE),
      'has no header that can be read: its first line is longer than 1 MB',
    ],
    'JSON that opens 3 MB of arrays': ['['.repeat(3 * MEGABYTE), 'is nested more than 100 deep'],
    'a line that does not end': [`id,name\n${'x'.repeat(65 * MEGABYTE)}`, 'has more than 64 MB without a line break'],
    'JSON with a deep card': [`[{"id":${'{"a":'.repeat(100)}1`, 'is nested more than 100 deep'],
    'a card with two million fields': [`[{${Array.from({ length: 2 * MEGABYTE }, (_, at) => `"${at}":1`)}}]`, TOO_MANY],
    'a card with a list of a million numbers': [`[{"id":[${'1,'.repeat(1_000_001)}1]}]`, TOO_MANY],
    'a damaged gzip file': [gzipSync('id,name\n').fill(0xff, 10, 14), 'is damaged: its gzip data is not valid'],
  };

  it.each(Object.entries(FILES))('(%s) is one sentence', async (_, [bytes, why]) => {
    expect(await read(bytes)).toEqual([`Unusable: ${why}`]);
  });
});

it('gives the rows of a gzip file that is cut off, and says so', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => JSON.stringify({ id: `${index}-${Math.sin(index)}` }));
  const whole = gzipSync(`${lines.join('\n')}\n`);
  const rows = await read(whole.subarray(0, whole.length / 2));
  expect(rows.length).toBeGreaterThan(5_000);
  expect(rows[0]).toEqual(JSON.parse(lines[0] ?? ''));
  expect(rows.at(-1)).toBe('Unusable: is cut off: its gzip data ends too early');
});

it('takes any number of cards, and whatever their texts are', async () => {
  const text = '[{,"\\'.repeat(1_000);
  const cards = Array.from({ length: 30 }, (_, id) => ({ id, text, list: [1, { deep: [text] }] }));
  expect(await read(JSON.stringify(cards))).toEqual(cards);
  const many = `{"a":[${'1,'.repeat(600_000)}1]}`; // more than one card may have, together
  expect((await read(`[${many},${many}]`)).map((row) => typeof row)).toEqual(['object', 'object']);
});

it.each([
  ['CSV', 'id,name\n1,a\n', `2,${'x'.repeat(2 * MEGABYTE)}`, '\n3,c\n', { id: '1', name: 'a' }, { id: '3', name: 'c' }],
  ['JSON Lines', '{"id":1}\n', `{"id":"${'x'.repeat(2 * MEGABYTE)}"}`, '\n{"id":3}\n', { id: 1 }, { id: 3 }],
])('skips a line of 2 MB (%s)', async (format, before, line, after, first, last) => {
  const place = format === 'CSV' ? 'line 3' : 'line 2';
  expect(await read(before + line + after)).toEqual([first, `${place} is longer than 1 MB`, last]);
});
