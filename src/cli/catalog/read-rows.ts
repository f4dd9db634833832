import { csvRows } from './csv-rows.ts';
import type { Joined } from './field-source.ts';
import type { Input } from './input.ts';
import { jsonRows, parseRowsPath } from './json-rows.ts';
import { type Line, linesOf } from './lines.ts';
import { isObject, type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

type FileFormat = 'csv' | 'json' | 'jsonLines';

/** What other files begin with, in hexadecimal. */
const OTHERS: readonly { begins: string; is: string }[] = [
  { begins: '504b0304', is: 'is a ZIP archive: unpack it first' },
  { begins: 'fffe', is: 'is UTF-16: save it as UTF-8' },
  { begins: 'feff', is: 'is UTF-16: save it as UTF-8' },
  { begins: '3c', is: 'looks like a web page or XML' },
];
const BYTE_ORDER_MARK = /^\u{feff}/u;

/** A list of sets has some thousands. */
const MOST_ROWS = 100_000;

/**
 * The rows of a file in any format, some at a time. A chunk of it is in memory, and as much as its longest row needs.
 *
 * @param rowsPath where rows stand in a JSON document; `undefined`: it is an array of them
 * @throws UnreadableFile, while reading too
 */
export function readRows(
  { head, bytes }: Input,
  rowsPath: string | undefined,
): { format: FileFormat; rows: AsyncGenerator<ReadRow[]> } {
  const format = formatOf(head, rowsPath !== undefined);
  switch (format) {
    case 'csv':
      return { format, rows: csvRows(linesOf(bytes)) };
    case 'json':
      return { format, rows: jsonRows(bytes, parseRowsPath(rowsPath ?? '*')) };
    case 'jsonLines':
      return { format, rows: jsonLinesRows(linesOf(bytes)) };
  }
}

/**
 * Tells the format of a file from its beginning.
 *
 * @param isDocument cards are said to stand somewhere within one JSON value
 * @throws UnreadableFile
 */
function formatOf(head: Buffer, isDocument: boolean): FileFormat {
  const text = head.toString().replace(BYTE_ORDER_MARK, '').trimStart();
  if (text === '') throw new UnreadableFile('is empty');
  const other = OTHERS.find(({ begins }) => head.toString('hex', 0, begins.length / 2) === begins);
  if (other) throw new UnreadableFile(other.is);
  if (head.includes(0)) throw new UnreadableFile('is neither CSV, JSON nor JSON Lines');
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  if (isDocument) return 'json';
  if (isWholeLine(text)) return 'jsonLines';
  throw new UnreadableFile('is one JSON object: say with --rows where its cards are, such as --rows data');
}

/** Whether an object ends where its line ends, as far as the beginning of a file shows. */
function isWholeLine(text: string): boolean {
  const end = text.indexOf('\n');
  return end < 0 ? text.trimEnd().endsWith('}') : text.slice(0, end).trimEnd().endsWith('}');
}

/** The cards of a JSON Lines file: an object in each line. */
async function* jsonLinesRows(chunks: AsyncIterable<Line[]>): AsyncGenerator<ReadRow[]> {
  for await (const lines of chunks) yield lines.filter(({ text }) => text?.trim() !== '').map(rowOf);
}

function rowOf({ number, text }: Line): ReadRow {
  const place = `line ${number}`;
  if (text === undefined) return { place, refused: TOO_LONG };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { place, value, around: [] } : { place, refused: 'is not an object' };
  } catch {
    return { place, refused: 'is not JSON' };
  }
}

/**
 * Reads a file whose rows stand in for the values of a field: those with this value in the field of the same name, else
 * as their `id`.
 *
 * @throws UnreadableFile
 */
export async function readJoined(field: string, input: Input): Promise<Joined> {
  const rows = new Map<string, object>();
  for await (const row of each(readRows(input, undefined).rows)) {
    if (!('value' in row)) continue;
    const key: unknown = Reflect.get(row.value, field) ?? Reflect.get(row.value, 'id');
    if (key !== undefined) rows.set(String(key), row.value);
    if (rows.size > MOST_ROWS) throw new UnreadableFile(`has more than ${MOST_ROWS} rows`);
  }
  if (rows.size === 0) throw new UnreadableFile(`has no row with ${field} or id`);
  return { field, rows };
}

async function* each<T>(chunks: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const chunk of chunks) yield* chunk;
}
