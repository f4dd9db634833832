import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

const CHUNK_BYTES = 1_048_576;

/** The files in a folder and below it that hold this text anywhere, free pages and write-ahead logs included. */
export function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => existsSync(file) && holds(file, text)); // a bot that runs may have removed it since
}

/** A part at a time, since the cards of a busy bot fill half a gigabyte. */
function holds(file: string, text: string): boolean {
  const wanted = Buffer.from(text);
  const buffer = Buffer.alloc(CHUNK_BYTES + wanted.length);
  const descriptor = openSync(file, 'r');
  try {
    for (let kept = 0; ; ) {
      const length = readSync(descriptor, buffer, kept, CHUNK_BYTES, null);
      if (length === 0) return false;
      const end = kept + length;
      if (buffer.subarray(0, end).includes(wanted)) return true;
      // The text may begin at the end of one part and go on in the next.
      kept = Math.min(end, wanted.length - 1);
      buffer.copyWithin(0, end - kept, end);
    }
  } finally {
    closeSync(descriptor);
  }
}
