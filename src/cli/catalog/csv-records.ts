import { CsvError, parse } from 'csv-parse/sync';
import type { Line } from './lines.ts';

/** A quoted field of a card spans fewer; so a quote that is never closed costs no more than its own line. */
const LONGEST_RECORD_LINES = 100;

/** Usually a line; more when a quoted field holds line breaks. */
export type CsvRecord = readonly Line[];

/**
 * Groups lines into records.
 *
 * @param isEnd nothing follows these lines
 * @returns `rest`: lines of a record that may go on
 */
export function recordsIn(
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
export function parseCsv(
  records: readonly CsvRecord[],
  delimiter: string,
): { records: string[][] } | { refused: string } {
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

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'opens a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'has a quote within a quoted field; write it twice',
  INVALID_OPENING_QUOTE: 'has a quote within a field that does not begin with one',
};
