import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { onFinished } from './on-finished.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type StalledPipe = ReturnType<typeof stalledPipe>;

/** A pipe that nobody reads until `read` is called, as of a log driver that hangs. */
export function stalledPipe() {
  const path = join(temporaryFolder('pipe'), 'pipe');
  execFileSync('mkfifo', [path]);
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  const reading = openSync(path, O_RDONLY | O_NONBLOCK);
  const fd = openSync(path, O_WRONLY);
  const nonBlocking = openSync(path, O_WRONLY | O_NONBLOCK);
  onFinished(() => {
    for (const end of [reading, fd, nonBlocking]) closeSync(end);
  });
  const decoder = new StringDecoder();
  return {
    /** Its writing end, for another process: it blocks. */
    fd,
    /** A writing end that does not block. */
    nonBlocking,
    /** Fills it up to the last byte. */
    fill() {
      for (const size of [4_096, 1]) whileReady(() => writeSync(nonBlocking, '\n'.repeat(size)));
    },
    /** Everything that it holds now. */
    read() {
      const chunks: Buffer[] = [];
      whileReady(() => {
        const chunk = Buffer.alloc(65_536);
        chunks.push(chunk.subarray(0, readSync(reading, chunk)));
        return chunks.at(-1)?.length ?? 0;
      });
      return decoder.write(Buffer.concat(chunks));
    },
  };
}

function whileReady(step: () => number) {
  try {
    while (step() > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}
