import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type CliContext, CliFailure } from '../context.ts';

/** A row, a file, or the rest of one, cannot be used. The message reads on after its place or name: `is empty`. */
export class Unusable extends Error {
  override name = 'Unusable';
}

/** Reads what nothing can go on without. @throws CliFailure in place of Unusable */
export async function needed<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof Unusable ? new CliFailure(`${name} ${error.message}.`, { cause: error }) : error;
  }
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
    const why = error instanceof Error ? error.message : error;
    throw new Unusable(
      codeOf(error) === 'EISDIR' ? 'is a folder: name files of cards in it' : `cannot be read (${why})`,
    );
  }
}

/** Enough to tell a format, also by the end of a long first line. */
const HEAD_BYTES = 65_536;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** What is in a list, and its beginning. */
interface Begun {
  /** The first 64 KiB, or all. */
  head: Buffer;
  /** Everything, `head` included; to be read once. Throws Unusable. */
  bytes: AsyncIterable<Buffer>;
}

/** Without its compression, if it is gzipped. @throws Unusable */
export async function unpacked(stored: AsyncIterable<Buffer>): Promise<Begun> {
  const { head, bytes } = await begun(stored, GZIP_MAGIC.length);
  const isGzipped = head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
  return begun(isGzipped ? gunzipped(bytes) : bytes, HEAD_BYTES);
}

async function begun(chunks: AsyncIterable<Buffer>, atLeast: number): Promise<Begun> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < atLeast) {
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
    const code = codeOf(error);
    if (code === 'Z_BUF_ERROR') throw new Unusable('is cut off: its gzip data ends too early');
    throw code.startsWith('Z_') ? new Unusable('is damaged: its gzip data is not valid') : error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
