import { csvRows } from './csv-rows.ts';
import { FieldSource } from './field-source.ts';
import { type Input, linesOf } from './input.ts';
import { jsonLinesRows, jsonRows } from './json-rows.ts';
import { type ReadRow, type SourceRow, UnreadableFile } from './source-row.ts';

/** What other files begin with, in hexadecimal. */
const OTHERS: readonly { begins: string; is: string }[] = [
  { begins: '504b0304', is: 'is a ZIP archive: unpack it first' },
  { begins: 'fffe', is: 'is UTF-16: save it as UTF-8' },
  { begins: 'feff', is: 'is UTF-16: save it as UTF-8' },
  { begins: '3c', is: 'looks like a web page or XML' },
];

/** A list of sets has some thousands. */
const MOST_ROWS = 100_000;

/**
 * The rows of a file in any format. A chunk of it is in memory, and as much as its longest row needs.
 *
 * @param rowsPath where rows stand in a JSON document; `undefined`: it is an array of them
 * @param outer the objects around the first `*` of that path, if anything needs them
 * @throws UnreadableFile, while reading too
 */
export function readRows(
  { head, bytes }: Input,
  rowsPath: string | undefined,
  outer?: readonly object[],
): AsyncGenerator<ReadRow> {
  const text = textOf(head);
  if (text === '') throw new UnreadableFile('is empty');
  const other = OTHERS.find(({ begins }) => head.toString('hex', 0, begins.length / 2) === begins);
  if (other) throw new UnreadableFile(other.is);
  if (head.includes(0)) throw new UnreadableFile('is neither CSV, JSON nor JSON Lines');
  if (text.startsWith('[') || (text.startsWith('{') && rowsPath !== undefined))
    return jsonRows(bytes, rowsPath ?? '*', outer);
  if (!text.startsWith('{')) return csvRows(linesOf(bytes));
  const list = listIn(text);
  // A line alone may be a card with a list in it.
  const isCard = list === undefined || /"id"\s*:/.test(text.slice(0, text.indexOf('[')));
  if (ONE_LINE.test(text) ? isCard : LINES.test(text)) return jsonLinesRows(linesOf(bytes));
  const where = `say with --rows where its cards are, such as --rows ${list ?? 'data'}`;
  throw new UnreadableFile(`is one JSON object: ${where}`);
}

const ONE_LINE = /^[^\n]*\}$/;
const LINES = /^[^\n]*\}\s*\n/;

function textOf(head: Buffer): string {
  return head
    .toString()
    .replace(/^\uFEFF/, '')
    .trim();
}

/** The member of an object that is a list of objects, as far as the beginning of a document tells. */
function listIn(text: string): string | undefined {
  let depth = 0;
  let member = '';
  let isList = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (isList && token === '{') return member;
    isList = token === '[' && depth === 1;
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    else if (depth === 1) member = token.slice(1, -1);
  }
  return undefined;
}

/** Another file, whose rows stand in for the values of a field. */
export interface Join {
  field: string;
  file: string;
  /** Where its rows are, if it is a JSON document. */
  rows?: string | undefined;
  /** The field of its rows that has those values; `undefined`: the field of the same name, else `id`. */
  key?: string | undefined;
}

/**
 * Reads the rows of another file by the values that they stand in for. In an object of rows, their names are such values, too.
 *
 * @throws UnreadableFile
 */
export async function readJoined({ field, rows: path, key }: Join, input: Input): Promise<Map<string, SourceRow>> {
  const text = textOf(input.head);
  const isObject = text.startsWith('{') && !LINES.test(text);
  const sources = (key === undefined ? [field, 'id'] : [key]).map((each) => new FieldSource(each, ROW_ALONE));
  const rows = new Map<string, SourceRow>();
  for await (const row of readRows(input, path ?? (isObject ? '*' : undefined))) {
    if (!('value' in row)) continue;
    const value = sources.flatMap((source) => source.textsIn(row))[0] ?? row.key;
    if (value !== undefined) rows.set(value, row);
    if (rows.size > MOST_ROWS) throw new UnreadableFile(`has more than ${MOST_ROWS} rows`);
  }
  if (rows.size === 0) throw new UnreadableFile(`has no row with ${key ?? `${field} or id`}`);
  return rows;
}

const ROW_ALONE = { fileName: '', joined: new Map() };
