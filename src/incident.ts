import type { Logger } from './log.ts';

/** Of a trouble that comes and goes, one episode in a minute is said; else it would fill the log. */
const AGAIN_AFTER_MS = 60_000;

export interface IncidentMessages {
  level: 'warn' | 'error';
  begins: string;
  ends: string;
}

/** A trouble that lasts: said once when it begins, and once when it ends, with how often it was met. */
export class Incident {
  readonly #log: Logger;
  readonly #words: IncidentMessages;
  readonly #nowMs: () => number;
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #isSaid = false;
  #failures = 0;

  constructor(log: Logger, words: IncidentMessages, nowMs = () => Date.now()) {
    this.#log = log;
    this.#words = words;
    this.#nowMs = nowMs;
  }

  /** To be told each time: an episode that began too soon after another is said after all when it lasts. */
  failed(details: object): void {
    this.#failures++;
    const sinceMs = this.#nowMs() - this.#saidAtMs;
    if (this.#isSaid || (sinceMs >= 0 && sinceMs < AGAIN_AFTER_MS)) return; // less than nothing: the clock was set
    this.#isSaid = true;
    this.#saidAtMs = this.#nowMs();
    this.#log[this.#words.level](details, this.#words.begins);
  }

  /** Of an episode that was not said, the failures count in the next one. */
  succeeded(): void {
    if (!this.#isSaid) return;
    this.#log.info({ failures: this.#failures, lastedMs: this.#nowMs() - this.#saidAtMs }, this.#words.ends);
    this.#isSaid = false;
    this.#failures = 0;
  }
}
