import type { LimiterStore } from '../../src/quota/limiter-cell.ts';
import type { LimiterState } from '../../src/quota/limiter-state.ts';

/** Keeps the state over restarts of a limiter, as a file does. */
export class MemoryLimiterStore implements LimiterStore {
  saved: LimiterState | undefined;

  load(): LimiterState | undefined {
    return this.saved;
  }

  save(state: LimiterState): void {
    this.saved = structuredClone(state);
  }
}
