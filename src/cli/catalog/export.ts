import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { decodeHTMLStrict } from 'entities/decode';
import type { CatalogCard } from '../../catalog/catalog-card.ts';
import { type CliContext, CliFailure } from '../context.ts';
import { FIELDS } from './card-maker.ts';
import { counted } from './import-report.ts';
import type { OpenCatalog } from './open-catalog.ts';

type Rows = Iterable<CatalogCard>;

const FORMATS: Readonly<Record<string, (rows: Rows) => Iterable<string>>> = {
  csv,
  json,
  jsonl: jsonLines,
  ndjson: jsonLines,
};

/**
 * Writes every card to a file, which appears when it is complete, or to standard output. The format is told by the ending
 * of the file's name, `.gz` aside.
 *
 * @returns the exit code @throws CliFailure
 */
export async function exportTo(
  file: string,
  catalog: OpenCatalog,
  { folder, stdout, stderr }: CliContext,
): Promise<number> {
  const [, ending = ''] = /\.([a-z]+)(?:\.gz)?$/i.exec(file === '-' ? '.jsonl' : file) ?? [];
  const format = FORMATS[ending.toLowerCase()];
  if (!format) throw new CliFailure(`${file}: the name must end with .csv, .json or .jsonl, each also with .gz.`);
  let count = 0;
  function* countedRows(): Rows {
    for (const row of catalog.rows()) {
      count++;
      yield escaped(row);
    }
  }
  const texts = format(countedRows());
  try {
    await (file === '-' ? pipeline(texts, stdout, { end: false }) : writeFile(resolve(folder, file), texts));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    if (error.code === 'EPIPE') return 0; // a reader such as `head` has read enough
    throw new CliFailure(`${file} cannot be written (${error.message}).`, { cause: error });
  }
  stderr.write(`${file === '-' ? 'standard output' : file}: ${counted(count)} cards\n`);
  return 0;
}

/** @throws errors of the file system */
async function writeFile(target: string, texts: Iterable<string>): Promise<void> {
  const unfinished = `${target}.part`;
  try {
    const packed = target.endsWith('.gz') ? createGzip() : new PassThrough();
    await pipeline(texts, packed, createWriteStream(unfinished));
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** What looks like an HTML entity is written so that an import, which decodes it, gives the same text. */
function escaped(card: CatalogCard): CatalogCard {
  const written = (text: string) => (decodeHTMLStrict(text) === text ? text : text.replaceAll('&', '&amp;'));
  const isText = (field: string, value: unknown) => typeof value === 'string' && field !== 'id';
  return JSON.parse(JSON.stringify(card), (field, value) => (isText(field, value) ? written(value) : value));
}

/** RFC 4180. */
function* csv(rows: Rows): Generator<string> {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  yield `${FIELDS.join(',')}\n`;
  for (const row of rows) yield `${FIELDS.map((field) => quoted([row[field] ?? ''].flat().join('\n'))).join(',')}\n`;
}

function* jsonLines(rows: Rows): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row, [...FIELDS])}\n`;
}

function* json(rows: Rows): Generator<string> {
  let before = '[\n';
  for (const line of jsonLines(rows)) {
    yield before + line.trimEnd();
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
