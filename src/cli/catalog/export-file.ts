import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CatalogRow } from '../../catalog/catalog-card.ts';
import { FIELDS, type Field } from './card-maker.ts';

type Format = (rows: Iterable<CatalogRow>) => Generator<string>;

const FORMATS: Readonly<Record<string, Format>> = { csv, json, jsonl: jsonLines, ndjson: jsonLines };

/** By the ending of the file's name, `.gz` aside; JSON Lines for standard output. @returns `undefined` for another ending */
export function exportFormat(file: string): Format | undefined {
  if (file === '-') return jsonLines;
  return FORMATS[/\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase() ?? ''];
}

/**
 * Writes cards to a file, which appears when it is complete, or to standard output.
 *
 * @returns how many
 * @throws errors of the file system
 */
export async function exportFile(
  rows: Iterable<CatalogRow>,
  format: Format,
  target: string | Writable,
): Promise<number> {
  let count = 0;
  function* countedRows() {
    for (const row of rows) {
      count++;
      yield row;
    }
  }
  const text = Readable.from(inChunks(format(countedRows())));
  if (typeof target !== 'string') {
    await pipeline(text, target, { end: false });
    return count;
  }
  const unfinished = `${target}.part`;
  try {
    const written = createWriteStream(unfinished);
    await (target.endsWith('.gz') ? pipeline(text, createGzip(), written) : pipeline(text, written));
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return count;
}

/** Large enough that a write costs little. */
const CHUNK_CHARACTERS = 65_536;

function* inChunks(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function* csv(rows: Iterable<CatalogRow>): Generator<string> {
  yield `${FIELDS.join(',')}\n`;
  for (const row of rows) yield `${FIELDS.map((field) => csvField(row[field] ?? '')).join(',')}\n`;
}

function* jsonLines(rows: Iterable<CatalogRow>): Generator<string> {
  for (const row of rows) yield `${cardJson(row)}\n`;
}

function* json(rows: Iterable<CatalogRow>): Generator<string> {
  let before = '[\n';
  for (const row of rows) {
    yield before + cardJson(row);
    before = ',\n';
  }
  yield before.startsWith('[') ? '[]\n' : '\n]\n';
}

function cardJson(row: CatalogRow): string {
  return JSON.stringify(row, FIELDS as unknown as Field[]);
}

/** RFC 4180. */
function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
