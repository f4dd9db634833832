import type { Logger } from '../../log.ts';
import { Incident } from '../../log.ts';

/** Writes to `state.sqlite`: none fails a question, and a disk that is full is said once, not by each. */
export class StateWrites {
  readonly #trouble: Incident;

  constructor(log: Logger) {
    this.#trouble = new Incident(log, {
      level: 'error',
      begins: 'state cannot be written: what is owed and spent is kept in memory, and forgotten at a restart',
      ends: 'state is written again',
    });
  }

  /** @param run a statement; that it changes nothing proves nothing: a full disk takes it, too */
  try(run: () => { changes: number | bigint }): void {
    try {
      if (run().changes > 0) this.#trouble.succeeded();
    } catch (err) {
      this.#trouble.failed({ err });
    }
  }
}
