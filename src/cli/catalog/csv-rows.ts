import { CsvError, parse } from 'csv-parse/sync';
import type { Line } from './lines.ts';
import { type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

/** Records that are parsed in one call, for speed: a call costs 0.1 ms, a record 7 µs. */
const BATCH = 200;
const DELIMITERS = [',', ';', '\t'];
/** A quoted field of a card spans fewer; so a quote that is never closed costs no more than its own line. */
const LONGEST_RECORD_LINES = 100;

/** Usually a line; more when a quoted field holds line breaks. */
type CsvRecord = readonly Line[];

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'opens a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'has a quote within a quoted field; write it twice',
  INVALID_OPENING_QUOTE: 'has a quote within a field that does not begin with one',
};

/**
 * The cards of a CSV file, by the names in its first line. The delimiter is a comma, a semicolon or a tab.
 *
 * @throws UnreadableFile when the first line is not CSV
 */
export async function* csvRows(chunks: AsyncIterable<Line[]>): AsyncGenerator<ReadRow[]> {
  let table: { delimiter: string; columns: readonly string[] } | undefined;
  let unread: readonly Line[] = [];
  for await (const lines of withEnd(chunks)) {
    const known = [...unread, ...(lines ?? [])];
    const delimiter = table?.delimiter ?? delimiterOf(known);
    const { records, rest } = recordsIn(known, delimiter, lines === undefined);
    unread = rest;
    const header = table === undefined && records.shift();
    if (header) table = { delimiter, columns: columnsOf(header, delimiter) };
    if (!table) continue;
    for (let at = 0; at < records.length; at += BATCH) yield rowsOf(records.slice(at, at + BATCH), table);
  }
}

async function* withEnd<T>(chunks: AsyncIterable<T>): AsyncGenerator<T | undefined> {
  yield* chunks;
  yield undefined;
}

/** The one that the first line has most of. */
function delimiterOf(lines: readonly Line[]): string {
  const text = lines.find((line) => line.text?.trim())?.text ?? '';
  const count = (delimiter: string) => text.split(delimiter).length;
  return DELIMITERS.reduce((most, each) => (count(each) > count(most) ? each : most));
}

function columnsOf(header: CsvRecord, delimiter: string): readonly string[] {
  const read = isTooLong(header) ? { refused: TOO_LONG } : parseCsv([header], delimiter);
  if ('refused' in read) throw new UnreadableFile(`has no header that can be read: its first line ${read.refused}`);
  return read.records[0]?.map((name) => name.trim()) ?? [];
}

function rowsOf(records: readonly CsvRecord[], table: { delimiter: string; columns: readonly string[] }): ReadRow[] {
  const readable = records.filter((record) => !isTooLong(record));
  const together = parseCsv(readable, table.delimiter);
  const fields = 'records' in together && together.records.length === readable.length ? together.records : undefined;
  let at = 0;
  return records.map((record) => {
    const place = placeOf(record);
    if (isTooLong(record)) return { place, refused: TOO_LONG };
    return rowOf(place, fields?.[at++] ?? parseCsv([record], table.delimiter), table.columns);
  });
}

function rowOf(place: string, read: string[] | ReturnType<typeof parseCsv>, columns: readonly string[]): ReadRow {
  if ('refused' in read) return { place, refused: read.refused };
  const fields = 'records' in read ? (read.records[0] ?? []) : read;
  if (fields.length !== columns.length)
    return { place, refused: `has ${fields.length} fields, where the first line names ${columns.length}` };
  const value = Object.fromEntries(columns.map((column, index) => [column, fields[index]]));
  return { place, value, around: [] };
}

function isTooLong(record: CsvRecord): boolean {
  return record.some(({ text }) => text === undefined);
}

function placeOf(record: CsvRecord): string {
  const [first, last] = [record[0]?.number, record.at(-1)?.number];
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

/**
 * Groups lines into records.
 *
 * @param isEnd nothing follows these lines
 * @returns `rest`: lines of a record that may go on
 */
function recordsIn(
  lines: readonly Line[],
  delimiter: string,
  isEnd: boolean,
): { records: CsvRecord[]; rest: readonly Line[] } {
  const records: CsvRecord[] = [];
  for (let at = 0; at < lines.length; ) {
    const length = recordLength(lines, at, delimiter);
    if (length === undefined && !isEnd) return { records, rest: lines.slice(at) };
    const record = lines.slice(at, at + (length ?? 1));
    if (record[0]?.text?.trim() !== '') records.push(record);
    at += record.length;
  }
  return { records, rest: [] };
}

/** How many lines the record at `start` has; `undefined` when that depends on lines to come. */
function recordLength(lines: readonly Line[], start: number, delimiter: string): number | undefined {
  let isOpen = false;
  for (let length = 1; length <= LONGEST_RECORD_LINES; length++) {
    const line = lines[start + length - 1];
    if (line === undefined) return undefined;
    if (line.text === undefined) return 1;
    if (quotesIn(line.text) % 2 === 1) isOpen = !isOpen;
    if (isOpen) continue;
    // Two stray quotes close each other, too.
    const isRecord = length === 1 || 'records' in parseCsv([lines.slice(start, start + length)], delimiter);
    return isRecord ? length : 1;
  }
  return 1;
}

function quotesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
}

/** The fields of each record, or why one of them is not CSV. */
function parseCsv(records: readonly CsvRecord[], delimiter: string): { records: string[][] } | { refused: string } {
  const text = records
    .flat()
    .map((line) => line.text)
    .join('\n');
  try {
    return { records: parse(text, { delimiter, record_delimiter: '\n', relax_column_count: true }) };
  } catch (error) {
    if (error instanceof CsvError) return { refused: REASONS[error.code] ?? 'is not CSV' };
    throw error;
  }
}
