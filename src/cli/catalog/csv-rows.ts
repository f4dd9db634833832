import { type CsvRecord, parseCsv, recordsIn } from './csv-records.ts';
import type { Line } from './lines.ts';
import { type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

/** Records that are parsed in one call, for speed: a call costs 0.1 ms, a record 7 µs. */
const BATCH = 200;
const DELIMITERS = [',', ';', '\t'];

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
