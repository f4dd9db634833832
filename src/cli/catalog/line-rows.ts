import { CsvError, parse } from 'csv-parse/sync';
import { fixUtf8Stream } from 'stream-chain/utils/fixUtf8Stream.js';
import { lines } from 'stream-chain/utils/lines.js';
import { pipe } from 'stream-chain/utils/pipe.js';
import { isObject } from '../../model/field-source.ts';
import { columnsOf, LONGEST, refused, type SourceRow, Unusable } from './source-row.ts';

const TOO_LONG = 'is longer than 1 MB';
const MOST_WITHOUT_BREAK = 64 * LONGEST;

/** The cards of a JSON Lines file: an object in each line. */
export async function* jsonLinesRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRow> {
  let number = 0;
  for await (const line of linesOf(bytes)) {
    const place = `line ${++number}`;
    if (line.trim() !== '') yield objectRow(place, line);
  }
}

/** Without a byte order mark. A line that is longer than 1 MB is in memory, and nothing is made of it. @throws Unusable */
function linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  return pipe(() => withLineBreaks(bytes), fixUtf8Stream(), lines())();
}

/** A gzip file of 200 KB may be one line, and no text can be as long as some. */
async function* withLineBreaks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of bytes) {
    length = chunk.includes('\n') ? 0 : length + chunk.length;
    if (length > MOST_WITHOUT_BREAK) throw new Unusable('has more than 64 MB without a line break');
    yield chunk;
  }
}

export function objectRow(place: string, line: string): SourceRow {
  if (line.length > LONGEST) return refused(place, TOO_LONG);
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? { place, value } : refused(place, 'is not an object');
  } catch {
    return refused(place, 'is not JSON');
  }
}

/**
 * The cards of a CSV file, by the names in its first line. The delimiter is a comma, a semicolon or a tab.
 *
 * @throws Unusable when the first line is not CSV
 */
export async function* csvRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRow> {
  let names: readonly string[] | undefined;
  let columns: ReadonlyMap<string, string> = new Map();
  for await (const { place, fields } of recordsIn(linesOf(bytes))) {
    if (names) yield { ...recordRow(place, fields, names), columns };
    else if (typeof fields === 'string') throw new Unusable(`has no header that can be read: its first line ${fields}`);
    else {
      names = fields.map((name) => name.trim());
      columns = columnsOf(names);
    }
  }
}

/** The fields of a record, or why it cannot be read. */
type Fields = readonly string[] | string;

function recordRow(place: string, fields: Fields, names: readonly string[]): SourceRow {
  if (typeof fields === 'string') return refused(place, fields);
  if (fields.length !== names.length)
    return refused(place, `has ${fields.length} fields, where the first line names ${names.length}`);
  return { place, value: Object.fromEntries(names.map((name, index) => [name, fields[index]])) };
}

const DELIMITERS = [',', ';', '\t'];
/** Spreadsheets say the delimiter in a line of its own. */
const SAID_DELIMITER = /^sep=([,;\t])\r?$/i;
/** A line in which there is no card: spreadsheets export rows without values. */
const NOTHING = /^(?:[\s,;]*|sep=.\r?)$/i;
/** No quoted field of a card spans more lines, so a quote that is never closed costs no more than its own line. */
const MOST_LINES = 100;

/** This many lines are parsed in one call, which takes a fraction of the time of one call for each. */
const PARSED_AT_ONCE = 50;

interface Line {
  place: string;
  line: string;
}
type Parsed = { place: string; fields: Fields };

async function* recordsIn(lines: AsyncGenerator<string>): AsyncGenerator<Parsed> {
  const ahead: string[] = [];
  const next = async () => ahead.shift() ?? (await lines.next()).value;
  const plain: Line[] = [];
  let delimiter: string | undefined;
  let number = 0;
  for (let line = await next(); line !== undefined; line = await next()) {
    const place = `line ${++number}`;
    delimiter ??= SAID_DELIMITER.exec(line)?.[1];
    if (NOTHING.test(line)) continue;
    delimiter ??= delimiterOf(line);
    const isPlain = !line.includes('"') && line.length <= LONGEST;
    if (isPlain && plain.push({ place, line }) < PARSED_AT_ONCE) continue;
    yield* plainRecords(plain.splice(0), delimiter);
    if (isPlain) continue;
    const { fields, more } = await quotedRecord(line, delimiter, next);
    if (typeof fields === 'string') ahead.unshift(...more);
    else number += more.length;
    yield { place, fields };
  }
  if (delimiter !== undefined) yield* plainRecords(plain, delimiter);
}

/** A record whose fields may span lines. @returns the lines after the first that were read for it, too */
async function quotedRecord(line: string, delimiter: string, next: () => Promise<string | undefined>) {
  const ofLine = fieldsIn(line, delimiter);
  const more: string[] = [];
  let fields = ofLine;
  while (fields === NOT_CLOSED && more.length < MOST_LINES - 1) {
    const another = await next();
    if (another === undefined) break;
    more.push(another);
    fields = fieldsIn([line, ...more].join('\n'), delimiter);
  }
  // Two stray quotes close each other, too: what is wrong is seen in the line alone.
  return { fields: typeof fields === 'string' ? ofLine : fields, more };
}

/** Lines without a quote: each is a record. */
function* plainRecords(lines: readonly Line[], delimiter: string): Generator<Parsed> {
  const text = lines.map(({ line }) => line).join('\n');
  const records: string[][] = parse(text, { delimiter, record_delimiter: '\n', relax_column_count: true });
  for (const [at, { place }] of lines.entries()) yield { place, fields: records[at] ?? [] };
}

/** The one that a line has most of. */
function delimiterOf(line: string): string {
  const count = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((most, each) => (count(each) > count(most) ? each : most));
}

const NOT_CLOSED = 'opens a quote that is not closed';
const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: NOT_CLOSED,
  CSV_INVALID_CLOSING_QUOTE: 'has a quote within a quoted field; write it twice',
  INVALID_OPENING_QUOTE: 'has a quote within a field that does not begin with one',
};

function fieldsIn(text: string, delimiter: string): Fields {
  if (text.length > LONGEST) return TOO_LONG;
  try {
    const [fields = []] = parse(text, { delimiter, record_delimiter: '\n' });
    return fields;
  } catch (error) {
    if (error instanceof CsvError) return REASONS[error.code] ?? 'is not CSV';
    throw error;
  }
}
