import { LONGEST_BYTES } from './source-row.ts';

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
