import { csvRows } from './csv-rows.ts';
import type { Joined } from './field-source.ts';
import { type Input, linesOf } from './input.ts';
import { jsonLinesRows, jsonRows } from './json-rows.ts';
import { type ReadRow, UnreadableFile } from './source-row.ts';

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
 * @returns `hasColumns`: each row has the same fields
 * @throws UnreadableFile, while reading too
 */
export function readRows(
  { head, bytes }: Input,
  rowsPath: string | undefined,
): { hasColumns: boolean; rows: AsyncGenerator<ReadRow> } {
  const text = head
    .toString()
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (text === '') throw new UnreadableFile('is empty');
  const other = OTHERS.find(({ begins }) => head.toString('hex', 0, begins.length / 2) === begins);
  if (other) throw new UnreadableFile(other.is);
  if (head.includes(0)) throw new UnreadableFile('is neither CSV, JSON nor JSON Lines');
  if (text.startsWith('[') || (text.startsWith('{') && rowsPath !== undefined))
    return { hasColumns: false, rows: jsonRows(bytes, rowsPath ?? '*') };
  if (!text.startsWith('{')) return { hasColumns: true, rows: csvRows(linesOf(bytes)) };
  const [firstLine = ''] = text.split('\n', 1);
  if (firstLine.trimEnd().endsWith('}')) return { hasColumns: false, rows: jsonLinesRows(linesOf(bytes)) };
  throw new UnreadableFile('is one JSON object: say with --rows where its cards are, such as --rows data');
}

/**
 * Reads a file whose rows stand in for the values of a field: those with this value in the field of the same name, else
 * as their `id`.
 *
 * @throws UnreadableFile
 */
export async function readJoined(field: string, input: Input): Promise<Joined> {
  const rows = new Map<string, object>();
  for await (const row of readRows(input, undefined).rows) {
    if (!('value' in row)) continue;
    const key: unknown = Reflect.get(row.value, field) ?? Reflect.get(row.value, 'id');
    if (key !== undefined) rows.set(String(key), row.value);
    if (rows.size > MOST_ROWS) throw new UnreadableFile(`has more than ${MOST_ROWS} rows`);
  }
  if (rows.size === 0) throw new UnreadableFile(`has no row with ${field} or id`);
  return { field, rows };
}
