import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CliContext } from '../context.ts';
import { Unusable } from './source-row.ts';

/** Enough to tell a format, also by the end of a long first line. */
const HEAD_BYTES = 65_536;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** What is imported from: a file or standard input, without its compression. */
export interface Input {
  /** The name by which operators know it. */
  name: string;
  /** The first 64 KiB, or all. */
  head: Buffer;
  /** Everything, `head` included; to be read once. Throws Unusable. */
  bytes: AsyncIterable<Buffer>;
  /** How much of the stored file has been read, from 0 to 1; `undefined` for standard input. */
  shareRead(): number | undefined;
}

const HAS_CARDS = /\.(csv|tsv|txt|jsonl?|ndjson)(\.gz)?$/i;

/** A file to import, and what its cards are said to come from. */
export interface Listed {
  file: string;
  source: string;
}

/**
 * A folder stands for the files in it and its folders that may have cards, which are one source: there may be one for
 * each card.
 */
export async function filesOf(path: string, folder: string): Promise<Listed[]> {
  const source = path === '-' ? 'standard input' : basename(resolve(folder, path));
  // What cannot be read so is a file or absent.
  const top = resolve(folder, path);
  const entries = await readdir(top, { withFileTypes: true, recursive: true }).catch(() => undefined);
  if (!entries) return [{ file: path, source }];
  const names = entries
    .filter((entry) => !entry.isDirectory() && HAS_CARDS.test(entry.name))
    .map(({ parentPath, name }) => relative(top, join(parentPath, name)));
  if (names.length === 0) return [{ file: path, source }]; // opening it says why not
  return names.sort().map((name) => ({ file: join(path, name), source }));
}

/** Opens a file, or standard input for `-`, and unpacks it when it is gzipped. @throws Unusable */
export async function openInput(file: string, { folder, stdin }: Pick<CliContext, 'folder' | 'stdin'>): Promise<Input> {
  const path = file === '-' ? undefined : resolve(folder, file);
  const stats = path ? await stat(path).catch(cannotBeRead) : undefined;
  if (stats?.isDirectory())
    throw new Unusable('is a folder without card files: name the files, or the folder that has them');
  let readBytes = 0;
  async function* stored(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of path ? createReadStream(path) : stdin) {
        readBytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      cannotBeRead(error);
    }
  }
  const { head, bytes } = await peeked(stored(), GZIP_MAGIC.length);
  const isGzipped = head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
  return {
    name: path ? basename(path) : 'standard input',
    ...(await peeked(isGzipped ? gunzipped(bytes) : bytes, HEAD_BYTES)),
    shareRead: () => (stats?.size ? readBytes / stats.size : undefined),
  };
}

function cannotBeRead(error: unknown): never {
  throw new Unusable(`cannot be read (${error instanceof Error ? error.message : error})`);
}

/** The beginning of a stream, and the whole of it. */
async function peeked(chunks: AsyncIterable<Buffer>, atLeast: number): Promise<Pick<Input, 'head' | 'bytes'>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  for (let length = 0; length < atLeast; length += first.at(-1)?.length ?? 0) {
    const { value, done } = await iterator.next();
    if (done) break;
    first.push(value);
  }
  const head = Buffer.concat(first);
  async function* whole() {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head, bytes: whole() };
}

async function* gunzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(Readable.from(bytes), createGunzip(), () => {}); // its errors are thrown here
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('Z_')) throw error;
    const isCutOff = error.code === 'Z_BUF_ERROR';
    throw new Unusable(
      isCutOff ? 'is cut off: its gzip data ends too early' : 'is damaged: its gzip data is not valid',
    );
  }
}
