import type { PlanSetting } from '../model/plan.ts';
import type { Acquired, Permit, PermitLane } from './limiter.ts';
import {
  afterClockJump,
  INITIAL_LIMITER_STATE,
  type LimiterState,
  plausible,
  underSetting,
  withProbe,
} from './limiter-state.ts';
import { acquirePermit } from './permit.ts';
import { type Change, type LimiterOptions, StatefulLimiter } from './stateful-limiter.ts';

/** Where the state outlives the process. Neither method throws. */
export interface LimiterStore {
  /** `undefined` on the first start, and when what is stored cannot be read. */
  load(): LimiterState | undefined;
  save(state: LimiterState): void;
}

export interface LocalLimiterOptions extends LimiterOptions {
  store: LimiterStore;
}

/** The limiter of a single process. */
export class LocalLimiter extends StatefulLimiter {
  readonly #options: LocalLimiterOptions;
  readonly #permits = new Set<Permit>();
  #state: LimiterState;

  constructor(options: LocalLimiterOptions) {
    super(options);
    this.#options = options;
    const { store, setting } = options;
    const nowMs = Date.now();
    const stored = plausible(afterClockJump(store.load() ?? INITIAL_LIMITER_STATE, nowMs), nowMs);
    // A probe cannot outlive its process.
    this.#state = underSetting(withProbe(stored, false), setting);
    this.#options.warnings.started(this.#state);
    this.#options.events?.publish('limiter', this.#state);
  }

  async acquire(lane: PermitLane): Promise<Acquired> {
    const nowMs = Date.now();
    const before = this.state;
    const { state, acquired } = acquirePermit(before, lane, this.setting, nowMs, this.contention);
    if (acquired.kind === 'permit') {
      if (before.fullAtMs <= nowMs || acquired.permit.probe) this.lag.tookFromFull(nowMs);
      this.#permits.add(acquired.permit);
    }
    this.#become(state);
    return acquired;
  }

  protected get state(): LimiterState {
    return afterClockJump(this.#state, Date.now());
  }

  protected get setting(): PlanSetting {
    return this.#options.setting;
  }

  protected get isIsolated(): boolean {
    return false; // it shares nothing
  }

  protected get underWay(): number {
    return this.#permits.size;
  }

  protected async change({ apply, ended }: Change): Promise<void> {
    if (ended) this.#permits.delete(ended);
    const before = this.state;
    const after = apply(before);
    this.#become(after);
    this.#options.warnings.changed(before, after);
  }

  #become(state: LimiterState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.store.save(state);
    this.#options.events?.publish('limiter', state);
  }
}
