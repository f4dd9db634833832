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
 * @param levels how many of the objects around a card are needed
 * @throws UnreadableFile, while reading too
 */
export function readRows(
  { head, bytes }: Input,
  rowsPath: string | undefined,
  levels?: number,
): AsyncGenerator<ReadRow> {
  const text = textOf(head);
  if (text === '') throw new UnreadableFile('is empty');
  const other = OTHERS.find(({ begins }) => head.toString('hex', 0, begins.length / 2) === begins);
  if (other) throw new UnreadableFile(other.is);
  if (head.includes(0)) throw new UnreadableFile('is neither CSV, JSON nor JSON Lines');
  if (text.startsWith('[') || (text.startsWith('{') && rowsPath !== undefined))
    return jsonRows(bytes, rowsPath ?? '*', levels);
  if (!text.startsWith('{')) return csvRows(linesOf(bytes));
  if (LINES.test(text)) return jsonLinesRows(linesOf(bytes));
  throw new UnreadableFile(oneObjectHint(head) ?? '');
}

const LINES = /^[^\n]*\}\s*(\n|$)/;

/** For a JSON object in which no card was found: where its cards may be. */
export function oneObjectHint(head: Buffer): string | undefined {
  const text = textOf(head);
  const where = listIn(text) ?? (LINES.test(text) ? undefined : 'data');
  return text.startsWith('{') && where !== undefined
    ? `is one JSON object: say with --rows where its cards are, such as --rows ${where}`
    : undefined;
}

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
export async function readJoined({ field, rows, key }: Join, input: Input): Promise<Map<string, SourceRow>> {
  const path = rows ?? (isObjectOfRows(textOf(input.head)) ? '*' : undefined);
  const sources = (key === undefined ? [field, 'id'] : [key]).map((each) => new FieldSource(each, ROW_ALONE));
  const found = new Map<string, SourceRow>();
  for await (const row of readRows(input, path)) {
    if (!('value' in row)) continue;
    const value = sources.flatMap((source) => source.textsIn(row))[0] ?? row.key;
    if (value !== undefined) found.set(value, row);
    if (found.size > MOST_ROWS) throw new UnreadableFile(`has more than ${MOST_ROWS} rows`);
  }
  if (found.size === 0) throw new UnreadableFile(`has no row with ${key ?? `${field} or id`}`);
  return found;
}

function isObjectOfRows(text: string): boolean {
  return text.startsWith('{') && !(LINES.test(text) && text.includes('\n'));
}

const ROW_ALONE = { fileName: '', joined: new Map() };
