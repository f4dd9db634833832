import type { PlanSetting } from '../model/plan.ts';
import type { Permit } from './limiter.ts';
import type { CellOptions, Change, LimiterCell } from './limiter-cell.ts';
import { afterClockJump, INITIAL_LIMITER_STATE, type LimiterState, underSetting, withProbe } from './limiter-state.ts';
import { spendToken, type Taken, type WantedToken } from './permit.ts';

/** Where the state outlives the process. Neither method throws. */
export interface LimiterStore {
  /** `undefined` on the first start, and when what is stored cannot be read. */
  load(): LimiterState | undefined;
  save(state: LimiterState): void;
}

/** The state of a process that shares its quota with no other. */
export class LocalCell implements LimiterCell {
  readonly isIsolated = false;
  readonly setting: PlanSetting;
  readonly #store: LimiterStore;
  readonly #options: CellOptions;
  readonly #permits = new Set<Permit>();
  #state: LimiterState;

  constructor(store: LimiterStore, options: CellOptions) {
    this.#store = store;
    this.#options = options;
    this.setting = options.setting;
    // A probe cannot outlive its process.
    this.#state = underSetting(withProbe(store.load() ?? INITIAL_LIMITER_STATE, false), this.setting);
    options.warnings.started(this.state);
    options.events?.publish('limiter', this.state);
  }

  get state(): LimiterState {
    return afterClockJump(this.#state, Date.now());
  }

  get underWay(): number {
    return this.#permits.size;
  }

  take(token: WantedToken): Taken {
    const { state, taken } = spendToken(this.state, token, Date.now());
    if (taken.kind === 'taken') this.#permits.add(token.permit);
    this.#become(state);
    return taken;
  }

  refresh(): boolean {
    this.#become(this.state); // after a clock was set back
    return false;
  }

  change({ apply, ended }: Change): void {
    if (ended) this.#permits.delete(ended);
    const before = this.state;
    const after = apply(before);
    this.#become(after);
    this.#options.warnings.changed(before, after);
  }

  onChange(): void {
    // No other process changes the state.
  }

  #become(state: LimiterState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#store.save(state);
    this.#options.events?.publish('limiter', state);
  }
}
