import { CsvError, parse } from 'csv-parse/sync';
import type { Line } from './input.ts';
import { LONGEST_BYTES, type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

const DELIMITERS = [',', ';', '\t'];
/**
 * Lines that are parsed in one call, which costs as much as several records. No quoted field of a card spans more, so a
 * quote that is never closed costs no more than its own line.
 */
const LINES_AT_ONCE = 100;

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'opens a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'has a quote within a quoted field; write it twice',
  INVALID_OPENING_QUOTE: 'has a quote within a field that does not begin with one',
};

/** The fields of a record, or why it cannot be read. */
type Fields = readonly string[] | string;

/**
 * The cards of a CSV file, by the names in its first line. The delimiter is a comma, a semicolon or a tab.
 *
 * @throws UnreadableFile when the first line is not CSV
 */
export async function* csvRows(lines: AsyncIterable<Line>): AsyncGenerator<ReadRow> {
  let names: readonly string[] | undefined;
  let columns: ReadonlyMap<string, string> = new Map();
  for await (const { place, fields } of recordsIn(lines)) {
    if (names) yield { ...rowOf(place, fields, names), columns };
    else if (typeof fields !== 'string') {
      names = fields.map((name) => name.trim());
      columns = new Map(names.map((name) => [name.toLowerCase(), name]));
    } else throw new UnreadableFile(`has no header that can be read: its first line ${fields}`);
  }
}

function rowOf(place: string, fields: Fields, names: readonly string[]): ReadRow {
  if (typeof fields === 'string') return { place, refused: fields };
  if (fields.length !== names.length)
    return { place, refused: `has ${fields.length} fields, where the first line names ${names.length}` };
  return { place, value: Object.fromEntries(names.map((name, index) => [name, fields[index]])), around: [] };
}

async function* recordsIn(lines: AsyncIterable<Line>): AsyncGenerator<{ place: string; fields: Fields }> {
  let delimiter = '';
  const unread: Line[] = [];
  for await (const line of withEnd(lines)) {
    if (line) unread.push(line);
    delimiter ||= delimiterOf(line?.text ?? '');
    while (unread.length > 0 && (line === undefined || isMuch(unread))) {
      for (const fields of firstRecords(unread, delimiter)) {
        const record = unread.splice(0, linesOf(fields));
        if (record[0]?.text?.trim() !== '') yield { place: placeOf(record), fields };
      }
    }
  }
}

async function* withEnd<T>(items: AsyncIterable<T>): AsyncGenerator<T | undefined> {
  yield* items;
  yield undefined;
}

/** The one that a line has most of; '' for an empty line. */
function delimiterOf(text: string): string {
  const count = (delimiter: string) => text.split(delimiter).length;
  return text.trim() && DELIMITERS.reduce((most, each) => (count(each) > count(most) ? each : most));
}

function isMuch(lines: readonly Line[]): boolean {
  return lines.length >= LINES_AT_ONCE || lines.reduce((sum, { text = '' }) => sum + text.length, 0) >= LONGEST_BYTES;
}

/** The records at the beginning, up to one that cannot be read or is not complete; if that is the first, why its first line is refused. */
function firstRecords(lines: readonly Line[], delimiter: string): Fields[] {
  const texts = lines.map(({ text }) => text);
  const end = texts.indexOf(undefined);
  if (end === 0) return [TOO_LONG];
  const { records } = parsed(end < 0 ? texts : texts.slice(0, end), delimiter);
  // Two stray quotes close each other, too: what is wrong is seen in the line alone.
  return records.length > 0 ? records : [parsed(texts.slice(0, 1), delimiter).error];
}

/** The records before the first that cannot be read, and why that one cannot. */
function parsed(lines: readonly (string | undefined)[], delimiter: string): { records: string[][]; error: string } {
  const records: string[][] = [];
  const on_record = (record: string[]) => void records.push(record);
  try {
    parse(`${lines.join('\n')}\n`, { delimiter, record_delimiter: '\n', relax_column_count: true, on_record });
    return { records, error: '' };
  } catch (error) {
    if (error instanceof CsvError) return { records, error: REASONS[error.code] ?? 'is not CSV' };
    throw error;
  }
}

/** How many lines a record has: more than one when quoted fields hold line breaks. */
function linesOf(fields: Fields): number {
  return typeof fields === 'string' ? 1 : fields.join('').split('\n').length;
}

function placeOf(record: readonly Line[]): string {
  const [first, last] = [record[0]?.number, record.at(-1)?.number];
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}
