import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { fixUtf8Stream } from 'stream-chain/utils/fixUtf8Stream.js';
import { lines } from 'stream-chain/utils/lines.js';
import { pipe } from 'stream-chain/utils/pipe.js';
import { pick } from 'stream-json/filters/pick.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import { isObject, parseJson } from '../../model/card.ts';
import { type CliContext, CliFailure } from '../context.ts';

/** A row, a file, or the rest of one, cannot be used. The message reads on after its place or name: `is empty`. */
export class Unusable extends Error {}

/** Reads what nothing can go on without. @throws CliFailure in place of Unusable */
export async function needed<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof Unusable ? new CliFailure(`${name} ${error.message}.`, { cause: error }) : error;
  }
}

/** `20,106`, or with what is counted: `1 card`, `20,106 cards`. */
export function counted(count: number, what?: string): string {
  const figure = count.toLocaleString('en');
  return what ? `${figure} ${what}${count === 1 ? '' : 's'}` : figure;
}

/** A list to import: a file, standard input, or what a card service answers with. */
export interface List {
  /** By which operators know it. */
  name: string;
  /** What its cards are said to come from. */
  source: string;
  /** Its content as it is stored, or sent. Throws Unusable. */
  bytes(): AsyncIterable<Buffer>;
}

const HAS_CARDS = /\.(csv|tsv|txt|jsonl?|ndjson)(\.gz)?$/i;

/**
 * A folder stands for the files in it and its folders that may have cards, which are one source: there may be one for
 * each card.
 */
export async function filesOf(path: string, context: CliContext): Promise<List[]> {
  const source = path === '-' ? 'standard input' : basename(path);
  // What cannot be read so is a file or absent.
  const inside = await readdir(resolve(context.folder, path), { recursive: true }).catch(() => []);
  const names = inside.filter((name) => HAS_CARDS.test(name)).map((name) => join(path, name));
  const files = names.length > 0 ? names.sort() : [path]; // opening it says why not
  return files.map((file) => ({
    name: file === '-' ? source : file,
    source,
    bytes: () => bytesOf(file, context),
  }));
}

/** What is in a file, or in standard input for `-`. @throws Unusable */
export async function* bytesOf(file: string, { folder, stdin }: CliContext): AsyncGenerator<Buffer> {
  try {
    yield* file === '-' ? stdin : createReadStream(resolve(folder, file));
  } catch (error) {
    const { code, message } = Object(error);
    throw new Unusable(code === 'EISDIR' ? 'is a folder: name files of cards in it' : `cannot be read (${message})`);
  }
}

/** The member of a row that is the object around it. */
export const AROUND = '^';
/** No card needs more. */
const MOST_BYTES = 32 * 1024 * 1024;

/** A card as a file has it. */
export interface Row {
  /** Where it stands, for messages: `line 12`. */
  place: string;
  /** The object that it is; of a row of a table, the cells by `keyOf` their columns. */
  value: object;
  /** Why there is no card in it, which reads on after the place: `is not JSON`. */
  refused?: string;
}

/** A column's name as one step of a path; capitals do not matter. */
export function keyOf(column: string): string {
  return column.replace(/[.[\]*{}]/g, '_').toLowerCase();
}

/**
 * The rows of a file in any format; those of a table have columns, not paths. A chunk of it is in memory, and what its
 * longest row needs.
 *
 * @param rowsPath where rows stand in a JSON document; `undefined`: it is an array of them
 * @param isWhole whether the objects around rows are needed that a path without `*` leads through
 * @throws Unusable, while reading too
 */
export async function rowsOf(stored: AsyncIterable<Buffer>, rowsPath?: string, isWhole = false) {
  const { head, bytes } = await unpacked(stored);
  const text = head.toString().trim(); // which drops a byte order mark, too
  const [, why] = OTHERS.find(([begins]) => begins.test(head.toString('latin1').trim())) ?? [];
  if (why) throw new Unusable(why);
  const isTable = !/^[[{]/.test(text);
  const isLines = rowsPath === undefined && JSON_LINES.test(text);
  let length = 0;
  const measured = async function* () {
    for await (const chunk of bytes) {
      length += chunk.length;
      if (length > MOST_BYTES) throw new Unusable('has more than 32 MB without a card: see docs/catalogues.md');
      yield chunk;
    }
  };
  const rows = async function* () {
    const json = isLines
      ? jsonLines(measured())
      : jsonRows(measured(), rowsPath ?? (text.startsWith('[') ? ANY : ''), isWhole);
    for await (const row of isTable ? csvRows(measured(), text) : json) {
      length = 0;
      yield row;
    }
  };
  return { isTable, rows: rows() };
}

/** Enough to tell a format, also by the end of a long first line. */
const HEAD_BYTES = 65_536;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * What is in a list, to be read once, and its beginning: the first 64 KiB, or all. Without its compression, if it is
 * gzipped.
 *
 * @throws Unusable, while reading too
 */
async function unpacked(stored: AsyncIterable<Buffer>) {
  const packed = await begun(stored);
  return packed.head.indexOf(GZIP_MAGIC) === 0 ? begun(gunzipped(packed.bytes)) : packed;
}

async function begun(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const { value, done } = await iterator.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const whole = async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { head, bytes: whole() };
}

async function* gunzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(Readable.from(bytes), createGunzip(), () => {}); // its errors are thrown here
  } catch (error) {
    const { code } = Object(error);
    if (code === 'Z_BUF_ERROR') throw new Unusable('is cut off: its gzip data ends too early');
    throw String(code).startsWith('Z_') ? new Unusable('is damaged: its gzip data is not valid') : error;
  }
}

/** What begins files that are no list, as their bytes. */
const OTHERS = [
  [/^$/, 'is empty'],
  [/^PK\p{Cc}|^\u00fd7zXZ|^BZh/u, 'is packed in a way that is not gzip: unpack it first'],
  [/^\u00ff\u00fe|^\u00fe\u00ff/, 'is UTF-16: save it as UTF-8'],
  [/^</, 'looks like a web page or XML'],
  [/^version https:\/\/git-lfs/, 'is a Git LFS pointer: get the file itself with `git lfs pull`'],
  [/^(?:---\s|(?:- )?[\w"]+:(?:\s|$))/, 'looks like YAML: convert it to JSON'],
  [/\0/, 'is neither CSV, JSON nor JSON Lines'],
] as const;
const JSON_LINES = /^\{[^\n]*\}\s*(\n|$)/;
/** A step of a path that stands for every member or element. */
const ANY = '*';

/** stream-json has no class for its errors; the other one is for values that are nested too deep. */
const SYNTAX_ERROR = /^(?:\w*Error: Parser |RangeError)/;

/**
 * The rows of a JSON document: one value at the first `*` of the path is in memory at a time, or the whole.
 *
 * @param path empty: the document is one row
 */
async function* jsonRows(bytes: AsyncIterable<Buffer>, path: string, isWhole: boolean): AsyncGenerator<Row> {
  const named = path.split('.').filter(Boolean);
  const steps = path === '' || named.includes(ANY) ? named : [...named, ANY];
  const below = steps.slice(steps.indexOf(ANY) + 1);
  const streamed = isWhole && below.length === 0 ? [] : steps.slice(0, steps.length - below.length);
  const filter = (stack: readonly unknown[]) =>
    stack.length === streamed.length && streamed.every((step, at) => step === ANY || step === stack[at]);
  // Not as Node streams: when these fail, they drop what they have parsed.
  const values = pipe(() => bytes, pick.withParser({ filter, streamValues: false }), streamValues());
  let card = 0;
  try {
    for await (const { value } of values<{ value: unknown }>())
      for (const found of follow(value, steps.slice(streamed.length))) yield objectRow(`card ${++card}`, found);
  } catch (error) {
    if (!SYNTAX_ERROR.test(String(error))) throw error;
    throw new Unusable(card === 0 ? 'is not JSON' : `is not JSON after card ${card}`, { cause: error });
  }
}

/** What a path leads to, objects with what is around them. An array at its end stands for its elements. */
function* follow(value: unknown, path: readonly string[], around?: object): Generator<unknown> {
  const [step = ANY, ...rest] = path;
  const outer = isObject(value) && around ? { ...value, [AROUND]: around } : value;
  if (Array.isArray(value) && step === ANY) for (const each of value) yield* follow(each, rest, around);
  else if (path.length === 0) yield outer;
  else if (isObject(outer))
    for (const [name, each] of Object.entries(outer))
      if (step === name || (step === ANY && name !== AROUND)) yield* follow(each, rest, outer);
}

function objectRow(place: string, value: unknown): Row {
  if (isObject(value)) return { place, value };
  return { place, value: {}, refused: value === undefined ? 'is not JSON' : 'is not an object' };
}

/** An object in each line. */
async function* jsonLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  let number = 0;
  for await (const line of pipe(() => bytes, fixUtf8Stream(), lines())<string>()) {
    number++;
    if (line.trim() !== '') yield objectRow(`line ${number}`, parseJson(line));
  }
}

/** Spreadsheets say the delimiter in a line of its own. */
const SAID_DELIMITER = /^sep=([,;\t])/i;
/**
 * The records below a first one with the names of their fields. A quote that is never closed costs all up to the next.
 */
async function* csvRows(bytes: AsyncIterable<Buffer>, head: string): AsyncGenerator<Row> {
  const said = SAID_DELIMITER.exec(head);
  let header: readonly string[] | undefined;
  let lastLine = 0;
  const found: Row[] = [];
  const refuse = (place: string, refused: string) => found.push({ place, value: {}, refused });
  const parser = parse({
    delimiter: said?.[1] ?? delimiterOf(head),
    from_line: said ? 2 : 1,
    bom: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    on_record: (fields: readonly string[], info) => {
      lastLine = info.lines;
      const place = `line ${lastLine - fields.join('').split('\n').length + 1}`;
      if (!header) header = fields.map((name) => keyOf(name.trim()));
      else if (fields.length === header.length)
        found.push({ place, value: Object.fromEntries(header.map((name, at) => [name, fields[at]])) });
      else refuse(place, `has ${fields.length} fields, where the first line names ${header.length}`);
      return null;
    },
    on_skip: (error) => {
      const why =
        error?.code === 'CSV_QUOTE_NOT_CLOSED'
          ? 'opens a quote that is not closed'
          : 'has a quote within a field that is not written twice';
      if (parser.info.lines > lastLine) refuse(`line ${lastLine + 1}`, why);
      lastLine = parser.info.lines;
      return undefined;
    },
  }).resume();
  for await (const chunk of bytes) {
    parser.write(chunk);
    yield* found.splice(0);
  }
  parser.end();
  yield* found.splice(0);
}

/** The one that the first line has most of. */
function delimiterOf(head: string): string {
  const [first = ''] = head.split('\n', 1);
  const count = (delimiter: string) => first.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, each) => (count(each) > count(most) ? each : most));
}
