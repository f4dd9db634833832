import type { Writable } from 'node:stream';
import { Presets, SingleBar } from 'cli-progress';
import type { Input } from './input.ts';

/** Progress in plain lines is written this often. */
const EVERY_MS = 5_000;

export function counted(count: number): string {
  return count.toLocaleString('en');
}

/** How far an import is: a bar on a terminal, otherwise a line now and then. */
export interface Progress {
  /** @param cards taken so far */
  update(cards: number): void;
  stop(): void;
}

/** @param stream standard error: standard output is for results */
export function startProgress(input: Input, stream: Writable & { isTTY?: boolean }): Progress {
  const { totalBytes } = input;
  return stream.isTTY && totalBytes !== undefined ? bar(input, totalBytes, stream) : lines(input, stream);
}

function bar({ name, readBytes }: Input, totalBytes: number, stream: Writable): Progress {
  const format = '{bar} {percentage} % · {cards} cards · {name}';
  const shown = new SingleBar({ format, stream, clearOnComplete: true, gracefulExit: false }, Presets.shades_classic);
  shown.start(totalBytes, 0, { name, cards: 0 });
  return {
    update: (cards) => shown.update(readBytes(), { cards: counted(cards) }),
    stop: () => shown.stop(),
  };
}

function lines({ name, totalBytes, readBytes }: Input, stream: Writable): Progress {
  let nextAtMs = performance.now() + EVERY_MS;
  return {
    update(cards) {
      if (performance.now() < nextAtMs) return;
      nextAtMs = performance.now() + EVERY_MS;
      const share = totalBytes === undefined ? '' : `${Math.floor((100 * readBytes()) / totalBytes)} %, `;
      stream.write(`${name}: ${share}${counted(cards)} cards\n`);
    },
    stop() {},
  };
}
