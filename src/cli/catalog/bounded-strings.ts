import { LONGEST_BYTES } from './source-row.ts';

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
/** In place of a string that is too long, so that it is still seen to be. */
const TOO_LONG_STRING = Buffer.alloc(LONGEST_BYTES + 1, 'x');

/**
 * A JSON text in which no string is much longer than 1 MB. A parser keeps all of a string, and up to 30 times its size when
 * it has escaped characters.
 */
export async function* boundedStrings(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const bounds = new StringBounds();
  for await (const chunk of chunks) yield* bounds.read(chunk);
  yield* bounds.end();
}

/** A string within one chunk is short. One that goes on in the next is held back until its end is known. */
class StringBounds {
  #isOpen = false;
  #held: Buffer[] = [];
  #length = 0;
  /** At the end of what is held. */
  #backslashes = 0;

  *read(chunk: Buffer): Generator<Buffer> {
    const end = this.#isOpen ? endOfString(chunk, 0, this.#backslashes) : 0;
    if (end < 0) {
      this.#hold(chunk);
      return;
    }
    if (this.#isOpen) {
      this.#hold(chunk.subarray(0, end));
      yield* this.end();
    }
    const start = lastOpened(chunk, this.#isOpen ? end + 1 : 0);
    this.#isOpen = start !== undefined;
    yield chunk.subarray(end, start);
    if (start !== undefined) this.#hold(chunk.subarray(start));
  }

  /** What is held. */
  *end(): Generator<Buffer> {
    if (this.#length > LONGEST_BYTES) yield TOO_LONG_STRING;
    else yield* this.#held;
    this.#held = [];
    this.#length = 0;
    this.#backslashes = 0;
  }

  #hold(part: Buffer): void {
    const backslashes = backslashesBefore(part, part.length, 0);
    this.#backslashes = backslashes + (backslashes === part.length ? this.#backslashes : 0);
    this.#length += part.length;
    if (this.#length > LONGEST_BYTES) this.#held = [];
    else this.#held.push(part);
  }
}

/** Where a string begins that does not end in these bytes, if there is one. @param from outside of a string */
function lastOpened(bytes: Buffer, from: number): number | undefined {
  for (let at = from; ; ) {
    const start = bytes.indexOf(QUOTE, at) + 1;
    if (start === 0) return undefined;
    const end = endOfString(bytes, start, 0);
    if (end < 0) return start;
    at = end + 1;
  }
}

/** Where the first quote is that is not escaped; negative when there is none. @param before backslashes in front of `from` */
function endOfString(bytes: Buffer, from: number, before: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    const backslashes = backslashesBefore(bytes, at, from);
    const all = backslashes === at - from ? backslashes + before : backslashes;
    if (all % 2 === 0) return at;
  }
  return -1;
}

function backslashesBefore(bytes: Buffer, at: number, from: number): number {
  let count = 0;
  while (at - count > from && bytes[at - count - 1] === BACKSLASH) count++;
  return count;
}
