import type { Logger } from '../../log.ts';

const SILENT_MS = 60_000;

/** Says that frames of the gateway were dropped: the first at once, more at most once a minute. */
export class OddFrames {
  readonly #log: Logger;
  readonly #nowMs: () => number;
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #dropped = 0;

  constructor(log: Logger, nowMs = () => performance.now()) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** @param why names fields, never what was in them: frames hold interaction tokens */
  drop(why: { shard: number; odd?: string; event?: string; err?: unknown }): void {
    this.#dropped++;
    if (this.#nowMs() - this.#saidAtMs < SILENT_MS) return;
    this.#log.warn({ ...why, dropped: this.#dropped }, 'odd gateway frame dropped');
    this.#saidAtMs = this.#nowMs();
    this.#dropped = 0;
  }
}
