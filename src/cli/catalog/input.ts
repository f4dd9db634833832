import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LONGEST_BYTES, UnreadableFile } from './source-row.ts';

/** Enough to tell a format, also by the end of a long first line. */
const HEAD_BYTES = 65_536;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** What is imported from: a file or standard input, without its compression. */
export interface Input {
  /** The name by which operators know it. */
  name: string;
  /** The first 64 KiB, or all. */
  head: Buffer;
  /** Everything, `head` included; to be read once. Throws UnreadableFile. */
  bytes: AsyncIterable<Buffer>;
  /** Size of the file as it is stored; `undefined` for standard input. */
  totalBytes: number | undefined;
  /** How much of the stored file has been read. */
  readBytes(): number;
}

const HAS_CARDS = /\.(csv|tsv|txt|jsonl?|ndjson)(\.gz)?$/i;

/** A folder stands for the files in it that may have cards: a command line cannot hold the names of ten thousand. */
export async function filesOf(path: string, folder: string): Promise<string[]> {
  // What cannot be read so is a file or absent.
  const entries = await readdir(resolve(folder, path), { withFileTypes: true }).catch(() => undefined);
  if (!entries) return [path];
  const names = entries.filter((entry) => entry.isFile() && HAS_CARDS.test(entry.name)).map(({ name }) => name);
  return names.sort().map((name) => join(path, name));
}

/** Opens a file or standard input, and unpacks it when it is gzipped. @throws UnreadableFile */
export async function openInput(source: string | Readable): Promise<Input> {
  const isFile = typeof source === 'string';
  const found = isFile ? await stat(source).catch(cannotBeRead) : undefined;
  let readBytes = 0;
  async function* stored(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of isFile ? createReadStream(source) : source) {
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
    name: isFile ? basename(source) : 'standard input',
    ...(await peeked(isGzipped ? gunzipped(bytes) : bytes, HEAD_BYTES)),
    totalBytes: found?.size,
    readBytes: () => readBytes,
  };
}

function cannotBeRead(error: unknown): never {
  throw new UnreadableFile(`cannot be read (${error instanceof Error ? error.message : error})`);
}

/** The beginning of a stream, and the whole of it. */
async function peeked(
  chunks: AsyncIterable<Buffer>,
  atLeast: number,
): Promise<{ head: Buffer; bytes: AsyncIterable<Buffer> }> {
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
    throw new UnreadableFile(
      isCutOff ? 'is cut off: its gzip data ends too early' : 'is damaged: its gzip data is not valid',
    );
  }
}

const NOTHING = Buffer.alloc(0);
const LINE_FEED = 0x0a;

export interface Line {
  /** From 1. */
  number: number;
  /** Without its end; `undefined`: too long. */
  text: string | undefined;
}

/** The lines of a UTF-8 text. At most one line and one chunk are in memory. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let begun: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer) => {
    length += part.length;
    if (length > LONGEST_BYTES) begun = [];
    else begun.push(part);
  };
  const endedBy = (part: Buffer): Line => {
    keep(part);
    const text = length > LONGEST_BYTES ? undefined : Buffer.concat(begun).toString();
    begun = [];
    length = 0;
    return { number: ++number, text: text?.replace(number === 1 ? /^\uFEFF|\r$/g : /\r$/, '') };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield endedBy(chunk.subarray(start, end));
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (length > 0) yield endedBy(NOTHING);
}
