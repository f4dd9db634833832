import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CatalogRow } from '../../catalog/catalog-card.ts';
import type { CliContext } from '../context.ts';
import { FIELDS, type Field } from './card-maker.ts';
import type { OpenCatalog } from './open-catalog.ts';
import { counted } from './progress.ts';

type Format = (rows: Iterable<CatalogRow>) => Generator<string>;

const FORMATS: Readonly<Record<string, Format>> = { csv, json, jsonl: jsonLines, ndjson: jsonLines };

/**
 * Writes every card to a file, which appears when it is complete, or to standard output. The format is told by the ending
 * of the file's name, `.gz` aside.
 *
 * @returns the exit code
 */
export async function exportTo(
  file: string,
  catalog: OpenCatalog,
  { folder, stdout, stderr }: CliContext,
): Promise<number> {
  const format = file === '-' ? jsonLines : FORMATS[/\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase() ?? ''];
  if (!format) {
    stderr.write(`${file}: the name must end with .csv, .json or .jsonl, each also with .gz.\n`);
    return 1;
  }
  let count = 0;
  function* countedRows() {
    for (const row of catalog.rows()) {
      count++;
      yield row;
    }
  }
  const text = Readable.from(inChunks(format(countedRows())));
  try {
    await (file === '-' ? pipeline(text, stdout, { end: false }) : writeFile(resolve(folder, file), text));
    stderr.write(`${file === '-' ? 'standard output' : file}: ${counted(count)} cards\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    if (error.code === 'EPIPE') return 0; // a reader such as `head` has read enough
    stderr.write(`${file} cannot be written (${error.message}).\n`);
    return 1;
  }
}

/** @throws errors of the file system */
async function writeFile(target: string, text: Readable): Promise<void> {
  const unfinished = `${target}.part`;
  try {
    const written = createWriteStream(unfinished);
    await (target.endsWith('.gz') ? pipeline(text, createGzip(), written) : pipeline(text, written));
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
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
  for (const row of rows) yield `${FIELDS.map((field) => csvField([row[field] ?? ''].flat().join('\n'))).join(',')}\n`;
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
