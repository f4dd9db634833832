import type { CliContext } from '../context.ts';

/** Where there is no terminal, progress is written this often. */
const EVERY_MS = 5_000;
/** Clears a terminal's line, and goes back to its beginning. */
const CLEAR_LINE = '\r\u001B[K';

/** How far something is: on a terminal one line that changes, else a line now and then. */
export class ProgressLine {
  readonly #stderr: CliContext['stderr'];
  #nextAtMs = performance.now() + EVERY_MS;

  constructor(stderr: CliContext['stderr']) {
    this.#stderr = stderr;
  }

  show(text: string): void {
    const { isTTY } = this.#stderr;
    if (!isTTY && performance.now() < this.#nextAtMs) return;
    this.#nextAtMs = performance.now() + EVERY_MS;
    this.replaceBy(isTTY ? text : `${text}\n`);
  }

  /** Writes something in place of what was shown. */
  replaceBy(text: string): void {
    this.#stderr.write(this.#stderr.isTTY ? CLEAR_LINE + text : text);
  }
}
