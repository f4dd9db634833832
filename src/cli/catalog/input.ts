import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnreadableFile } from './source-row.ts';

/** Enough to tell a format, and for the header of a CSV file. */
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

/** Opens a file or standard input, and unpacks it when it is gzipped. @throws UnreadableFile */
export async function openInput(source: string | Readable): Promise<Input> {
  const isFile = typeof source === 'string';
  const totalBytes = isFile ? await sizeOf(source) : undefined;
  let readBytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of isFile ? createReadStream(source) : source) {
        readBytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw cannotBeRead(error);
    }
  }
  const stored = await peeked(counted(), GZIP_MAGIC.length);
  const unpacked = stored.head.subarray(0, 2).equals(GZIP_MAGIC) ? gunzipped(stored.bytes) : stored.bytes;
  return {
    name: isFile ? basename(source) : 'standard input',
    ...(await peeked(unpacked, HEAD_BYTES)),
    totalBytes,
    readBytes: () => readBytes,
  };
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: unknown) => {
    throw cannotBeRead(error);
  });
  if (found.isDirectory()) throw new UnreadableFile('is a folder: name the files in it');
  return found.size;
}

function cannotBeRead(error: unknown): UnreadableFile {
  return new UnreadableFile(`cannot be read (${error instanceof Error ? error.message : error})`);
}

/** The beginning of a stream, and the whole of it. An error in the beginning is thrown by the whole, after what came before. */
async function peeked(
  chunks: AsyncIterable<Buffer>,
  atLeast: number,
): Promise<{ head: Buffer; bytes: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let failure: { error: unknown } | undefined;
  try {
    for (let length = 0; length < atLeast; ) {
      const { value, done } = await iterator.next();
      if (done) break;
      first.push(value);
      length += value.length;
    }
  } catch (error) {
    failure = { error };
  }
  if (failure && first.length === 0) throw failure.error;
  const head = Buffer.concat(first);
  async function* whole() {
    yield head;
    if (failure) throw failure.error;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head, bytes: whole() };
}

async function* gunzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(Readable.from(bytes), createGunzip(), () => {}); // its errors are thrown here
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('Z_')) throw error;
    throw new UnreadableFile(
      error.code === 'Z_BUF_ERROR'
        ? 'is cut off: its gzip data ends too early'
        : 'is damaged: its gzip data is not valid',
    );
  }
}
