import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** What may wait while nobody reads, in bytes. */
const MOST_WAITING = 1_048_576;
const RETRY_MS = 50;

/**
 * Lines on standard output or error, in order. Writing never blocks, and no thread is ever left in a blocking write: what a pipe
 * or a terminal does not take now, as while nobody reads it, or a full disk, waits in memory. Beyond 1 MB the older half is
 * dropped.
 */
export class Output {
  /** Called with the number of lines that were dropped, as soon as others are written again. */
  onDropped?: (lines: number) => void;
  readonly #fd: number;
  /** What is left of the line that is being written. */
  #line: Buffer | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #retry: NodeJS.Timeout | undefined;

  /** @param fd a file, pipe, socket or terminal; 1 or 2 is made non-blocking, any other already is */
  constructor(fd: number) {
    this.#fd = fd === 1 || fd === 2 ? nonBlocking(fd) : fd;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (!this.#retry) this.#writeWaiting();
    if (this.#waitingBytes > MOST_WAITING) this.#dropOlderHalf();
  }

  /** Waits in this thread until everything is written, or for as long as it has to: for the end of the process. */
  flush(untilMs: number): void {
    while (this.#writeWaiting() === 'full' && performance.now() < untilMs) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }

  #writeWaiting(): 'written' | 'full' | 'failed' {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    let result: 'written' | 'full' | 'failed' = 'written';
    let hasWritten = false;
    try {
      for (;;) {
        this.#line ??= this.#oldest();
        if (this.#line === undefined) break;
        const written = writeSync(this.#fd, this.#line);
        this.#line = written < this.#line.length ? this.#line.subarray(written) : undefined;
        hasWritten = true;
      }
    } catch (error) {
      this.#retry = setTimeout(() => this.#writeWaiting(), RETRY_MS).unref();
      result = (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'full' : 'failed';
    }
    if (hasWritten) this.#tellDropped();
    return result;
  }

  #oldest(): Buffer | undefined {
    const line = this.#waiting.shift();
    this.#waitingBytes -= line?.length ?? 0;
    return line;
  }

  #dropOlderHalf(): void {
    while (this.#waitingBytes > MOST_WAITING / 2) {
      this.#oldest();
      this.#dropped++;
    }
  }

  #tellDropped(): void {
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.onDropped?.(dropped);
  }
}

/**
 * Opened anew where the system allows it: the flag of the inherited one would hold for all who write there, and any of them
 * could take it away. A file never waits for a reader, and opened anew it would be written from its beginning.
 */
function nonBlocking(fd: 1 | 2): number {
  if (fstatSync(fd).isFile()) return fd;
  for (const path of [`/proc/self/fd/${fd}`, ...(isatty(fd) ? ['/dev/tty'] : [])]) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {} // a socket, another user's pipe, or another system
  }
  void (fd === 1 ? process.stdout : process.stderr); // Node makes a pipe or a socket non-blocking with this
  return fd;
}
