import type { Permit } from './limiter.ts';
import type { Change } from './limiter-cell.ts';
import { type LimiterState, plausible, withProbe } from './limiter-state.ts';
import type { SharedLimiterStore } from './shared-limiter-store.ts';

/** The shared state as one process knows it: as last read, with the changes made here that are not in the store yet. */
export class SharedCopy {
  /** Of this process, with those that are being acquired. */
  readonly permits = new Set<Permit>();
  readonly #store: SharedLimiterStore;
  readonly #processId: string;
  #unwritten: readonly Change[] = [];

  constructor(store: SharedLimiterStore, processId: string) {
    this.#store = store;
    this.#processId = processId;
  }

  get unwritten(): readonly Change[] {
    return this.#unwritten;
  }

  /** Until its outcome is in the store a request counts: what remains of the day is lowered with it, and a probe ends. */
  get held(): Permit[] {
    return [...this.permits, ...this.#unwritten.flatMap(({ ended }) => ended ?? [])];
  }

  get holdsProbe(): boolean {
    return this.held.some(({ probe }) => probe);
  }

  /** By this machine's clock, without the changes; `undefined` when nothing is stored. */
  get stored(): LimiterState | undefined {
    const { state, probeOf } = this.#store;
    // A probe that this process acquired without receiving the answer counts as ended.
    const isProbing = probeOf === this.#processId ? this.holdsProbe : probeOf !== '';
    return state && plausible(withProbe(state, isProbing), Date.now());
  }

  add(change: Change): void {
    this.#unwritten = [...this.#unwritten, change];
  }

  remove(changes = this.#unwritten): void {
    this.#unwritten = this.#unwritten.filter((change) => !changes.includes(change));
  }

  /** What the changes make of a state. */
  changed(state: LimiterState): LimiterState {
    return this.#unwritten.reduce((changed, { apply }) => apply(changed), state);
  }
}
