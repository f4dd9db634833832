import { FieldSource } from './field-source.ts';
import type { Input } from './input.ts';
import { jsonRows } from './json-rows.ts';
import { csvRows, jsonLinesRows, objectRow } from './line-rows.ts';
import { LONGEST, type SourceRow, Unusable } from './source-row.ts';

/** What other files begin with, in hexadecimal. */
const OTHERS: Readonly<Record<string, string>> = {
  '504b0304': 'is a ZIP archive: unpack it first',
  fd377a585a00: 'is an xz archive: unpack it first',
  fffe: 'is UTF-16: save it as UTF-8',
  feff: 'is UTF-16: save it as UTF-8',
  '3c': 'looks like a web page or XML',
};

/** What texts look like that are no list. */
const LOOKS: readonly [RegExp, string][] = [
  [/^BZh[1-9]1AY&SY/, 'is a bzip2 archive: unpack it first'],
  [/^version https:\/\/git-lfs/, 'is a Git LFS pointer: get the file itself with `git lfs pull`'],
  [/^(?:---\s|(?:- )?[\w"]+:(?:\s|$))/, 'looks like YAML: convert it to JSON'],
];

/**
 * The rows of a file in any format. A chunk of it is in memory, and as much as its longest row needs.
 *
 * @param rowsPath where rows stand in a JSON document; `undefined`: it is an array of them
 * @param levels how many of the objects around a card are needed
 * @throws Unusable, while reading too
 */
export function readRows({ head, bytes }: Input, rowsPath?: string, levels?: number): AsyncGenerator<SourceRow> {
  const text = textOf(head);
  if (text === '') throw new Unusable('is empty');
  const other = Object.keys(OTHERS).find((begins) => head.toString('hex', 0, begins.length / 2) === begins);
  if (other) throw new Unusable(OTHERS[other] ?? '');
  const [, looks] = LOOKS.find(([form]) => form.test(text)) ?? [];
  if (looks) throw new Unusable(looks);
  if (head.includes(0)) throw new Unusable('is neither CSV, JSON nor JSON Lines');
  if (text.startsWith('[') || (text.startsWith('{') && rowsPath !== undefined))
    return jsonRows(bytes, rowsPath ?? '*', levels);
  if (!text.startsWith('{')) return csvRows(bytes);
  if (LINES.test(text)) return jsonLinesRows(bytes);
  return oneObject(bytes, `${ONE_OBJECT} ${listIn(head) ?? 'data'}`);
}

/** A card alone, over several lines. @param otherwise what a document is that is too large for one */
async function* oneObject(bytes: AsyncIterable<Buffer>, otherwise: string): AsyncGenerator<SourceRow> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LONGEST) throw new Unusable(otherwise);
  }
  yield objectRow('card 1', Buffer.concat(chunks).toString().trim());
}

const LINES = /^[^\n]*\}\s*(\n|$)/;
export const ONE_OBJECT = 'is one JSON object: say with --rows where its cards are, such as --rows';

/** The member of a JSON object that is a list of objects, as far as the beginning of the document tells. */
export function listIn(head: Buffer): string | undefined {
  return /^\{.*?"([^"\\]+)"\s*:\s*\[\s*\{/s.exec(textOf(head))?.[1];
}

function textOf(head: Buffer): string {
  return head.toString().trim(); // which drops a byte order mark, too
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

/** A list of sets has some thousands. */
const MOST_ROWS = 100_000;

/**
 * Reads the rows of another file by the values that they stand in for. In an object of rows, their names are such
 * values, too.
 *
 * @throws Unusable
 */
export async function readJoined({ field, rows, key }: Join, input: Input): Promise<Map<string, SourceRow>> {
  const text = textOf(input.head);
  const isObjectOfRows = text.startsWith('{') && !(LINES.test(text) && text.includes('\n'));
  const sources = (key === undefined ? [field, 'id'] : [key]).map((each) => new FieldSource(each));
  const found = new Map<string, SourceRow>();
  for await (const row of readRows(input, rows ?? (isObjectOfRows ? '*' : undefined), Number.POSITIVE_INFINITY)) {
    const value = sources.flatMap((source) => source.textsIn(row, { fileName: '', joined: new Map() }))[0] ?? row.key;
    if (value !== undefined) found.set(value, row);
    if (found.size > MOST_ROWS) throw new Unusable(`has more than ${MOST_ROWS} rows`);
  }
  if (found.size === 0) throw new Unusable(`has no row with ${key ?? `${field} or id`}`);
  return found;
}
