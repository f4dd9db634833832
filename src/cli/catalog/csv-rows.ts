import { CsvError, parse } from 'csv-parse/sync';
import type { Line } from './input.ts';
import { type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

const DELIMITERS = [',', ';', '\t'];
/** A quoted field of a card spans fewer; so a quote that is never closed costs no more than its own line. */
const LONGEST_RECORD_LINES = 100;

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'opens a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'has a quote within a quoted field; write it twice',
  INVALID_OPENING_QUOTE: 'has a quote within a field that does not begin with one',
};

/** Usually of one line; of more when a quoted field holds line breaks. */
interface CsvRecord {
  place: string;
  /** Or why they cannot be read. */
  fields: readonly string[] | string;
}

/**
 * The cards of a CSV file, by the names in its first line. The delimiter is a comma, a semicolon or a tab.
 *
 * @throws UnreadableFile when the first line is not CSV
 */
export async function* csvRows(lines: AsyncIterable<Line>): AsyncGenerator<ReadRow> {
  let columns: readonly string[] | undefined;
  for await (const { place, fields } of recordsIn(lines)) {
    if (columns) yield rowOf(place, fields, columns);
    else if (typeof fields !== 'string') columns = fields.map((name) => name.trim());
    else throw new UnreadableFile(`has no header that can be read: its first line ${fields}`);
  }
}

function rowOf(place: string, fields: CsvRecord['fields'], columns: readonly string[]): ReadRow {
  if (typeof fields === 'string') return { place, refused: fields };
  if (fields.length !== columns.length)
    return { place, refused: `has ${fields.length} fields, where the first line names ${columns.length}` };
  return { place, value: Object.fromEntries(columns.map((column, index) => [column, fields[index]])), around: [] };
}

async function* recordsIn(lines: AsyncIterable<Line>): AsyncGenerator<CsvRecord> {
  let delimiter = '';
  const unread: Line[] = [];
  for await (const line of withEnd(lines)) {
    if (line) unread.push(line);
    delimiter ||= delimiterOf(line?.text ?? '');
    const length = () => recordLength(unread, delimiter, line === undefined);
    for (let next = length(); next > 0; next = length()) {
      const record = unread.splice(0, next);
      if (record[0]?.text?.trim() !== '') yield { place: placeOf(record), fields: fieldsOf(record, delimiter) };
    }
  }
}

function placeOf(record: readonly Line[]): string {
  const [first, last] = [record[0]?.number, record.at(-1)?.number];
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

async function* withEnd<T>(items: AsyncIterable<T>): AsyncGenerator<T | undefined> {
  yield* items;
  yield undefined;
}

/** The one that a line has most of; '' for an empty line. */
function delimiterOf(text: string): string {
  const most = DELIMITERS.reduce((most, each) => (count(each, text) > count(most, text) ? each : most));
  return text.trim() && most;
}

/** How many of these lines are the first record; 0 when that depends on lines to come. */
function recordLength(lines: readonly Line[], delimiter: string, isEnd: boolean): number {
  let isOpen = false;
  for (const [at, { text }] of lines.entries()) {
    if (text === undefined) return 1;
    if (count('"', text) % 2 === 1) isOpen = !isOpen;
    if (isOpen) continue;
    // Two stray quotes close each other, too.
    return at === 0 || typeof fieldsOf(lines.slice(0, at + 1), delimiter) === 'string' ? 1 : at + 1;
  }
  return lines.length > 0 && (isEnd || lines.length >= LONGEST_RECORD_LINES) ? 1 : 0;
}

function count(part: string, text: string): number {
  return text.split(part).length - 1;
}

/** The fields of the record that these lines are, or why it cannot be read. */
function fieldsOf(record: readonly Line[], delimiter: string): CsvRecord['fields'] {
  if (record.some(({ text }) => text === undefined)) return TOO_LONG;
  const text = record.map((line) => line.text).join('\n');
  if (!text.includes('"')) return text.split(delimiter); // for speed: most lines have no quotes
  try {
    return parse(text, { delimiter, record_delimiter: '\n' })[0] ?? [];
  } catch (error) {
    if (error instanceof CsvError) return REASONS[error.code] ?? 'is not CSV';
    throw error;
  }
}
