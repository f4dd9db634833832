import { LONGEST_BYTES } from './source-row.ts';

const NOTHING = Buffer.alloc(0);
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';

export interface Line {
  /** From 1. */
  number: number;
  /** Without its end; `undefined`: too long. */
  text: string | undefined;
}

/** The lines of a UTF-8 text, by chunk. At most one line and one chunk are in memory. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  const reader = new LineReader();
  for await (const chunk of chunks) yield reader.read(chunk);
  yield reader.end();
}

class LineReader {
  #number = 0;
  #parts: Buffer[] = [];
  #length = 0;

  read(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      lines.push(this.#lineIn(chunk, start, end));
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** What follows the last line feed, if anything. */
  end(): Line[] {
    return this.#length > 0 ? [this.#lineIn(NOTHING, 0, 0)] : [];
  }

  #textOf(chunk: Buffer, start: number, end: number): string | undefined {
    if (this.#length + end - start > LONGEST_BYTES) return undefined;
    if (this.#length === 0) return chunk.toString('utf8', start, end);
    return Buffer.concat([...this.#parts, chunk.subarray(start, end)]).toString();
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > LONGEST_BYTES) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** What is kept, and this part of a chunk. */
  #lineIn(chunk: Buffer, start: number, end: number): Line {
    const text = this.#textOf(chunk, start, end);
    this.#parts = [];
    this.#length = 0;
    this.#number++;
    const begin = this.#number === 1 && text?.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
    return { number: this.#number, text: text?.slice(begin, text.endsWith('\r') ? -1 : undefined) };
  }
}
