import type { Writable } from 'node:stream';
import type { Input } from './input.ts';

/** Progress in plain lines is written this often. */
const EVERY_MS = 5_000;
/** Clears a terminal's line, and goes back to its beginning. */
const CLEAR_LINE = '\r\u001B[K';

export function counted(count: number): string {
  return count.toLocaleString('en');
}

/**
 * Shows how far an import is: on a terminal one line that changes, otherwise a line now and then.
 *
 * @param stream standard error: standard output is for results
 */
export function startProgress({ name, totalBytes, readBytes }: Input, stream: Writable & { isTTY?: boolean }) {
  let nextAtMs = performance.now() + EVERY_MS;
  return {
    /** @param cards taken so far */
    update(cards: number): void {
      const share = totalBytes === undefined ? '' : `${Math.floor((100 * readBytes()) / totalBytes)} %, `;
      const text = `${name}: ${share}${counted(cards)} cards`;
      if (stream.isTTY) stream.write(CLEAR_LINE + text);
      else if (performance.now() >= nextAtMs) {
        nextAtMs = performance.now() + EVERY_MS;
        stream.write(`${text}\n`);
      }
    },
    stop(): void {
      if (stream.isTTY) stream.write(CLEAR_LINE);
    },
  };
}
