import type { Permit } from './limiter.ts';
import type { CellOptions, Change } from './limiter-cell.ts';
import { type LimiterState, withProbe } from './limiter-state.ts';
import type { SharedLimiterStore } from './shared-limiter-store.ts';

export interface SharedCellOptions extends CellOptions {
  store: SharedLimiterStore;
  /** Whether the store can be reached: `usable` or not. */
  link: { health: string; onHealth(listener: (health: string) => void): void };
  /** `size`: processes last seen alive. `onHeartbeat`: called about once a second while the store answers. */
  processesAlive: { id: string; size: number; onHeartbeat(listener: () => void): void };
  /** What is known of the account before anything is read from the store. */
  initial?: LimiterState | undefined;
}

/** The shared state as one process knows it: as last read, with the changes made here that are not in the store yet. */
export class SharedCopy {
  /** The permits of this process, with those that are being acquired. */
  readonly permits = new Set<Permit>();
  readonly #options: SharedCellOptions;
  #unwritten: readonly Change[] = [];

  constructor(options: SharedCellOptions) {
    this.#options = options;
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
    const { store, processesAlive } = this.#options;
    const { state, probeOf } = store;
    // A probe that this process acquired without receiving the answer counts as ended.
    const isProbing = probeOf === processesAlive.id ? this.holdsProbe : probeOf !== '';
    return state && withProbe(state, isProbing);
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
