import type { RequestOutcome } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import type { PlanSetting } from '../model/plan.ts';
import type { Permit } from './limiter-port.ts';
import { INITIAL_LIMITER_STATE, type LimiterState, shifted, underSetting } from './limiter-state.ts';
import { type PermitDecision, spendToken, type Taken, type WantedToken, withLost, withLostProbe } from './permit.ts';
import type { QuotaWarnings } from './quota-warnings.ts';
import { countsItself, leastOf, windowsOf } from './windows.ts';

/** A change of the state, and what is special about it. */
export interface Change {
  apply: (state: LimiterState) => LimiterState;
  /** The permit whose outcome it is, and the outcome. */
  ended?: Permit;
  outcome?: RequestOutcome;
  /** It may be stored together with the outcome that follows. */
  isReading?: boolean;
}

/** Where the state of a limiter is: in this process, whose cell answers at once, or in Redis with a copy here. */
export interface LimiterCell {
  /** The state as of now, by this machine's clock. */
  readonly state: LimiterState;
  /** The plan; while the processes that it shares the state with cannot be reached, divided by their number. */
  readonly setting: PlanSetting;
  /** Requests that have left and have not ended, of all processes. */
  readonly underWay: number;
  /** @param decide decides again on a state that has changed meanwhile, and on requests under way besides this one */
  take(token: WantedToken, decide: Decide): Taken | Promise<Taken>;
  /** Reads what other processes and a clock that was set back have changed. @returns whether to decide again */
  refresh(): boolean | Promise<boolean>;
  /** Changes the state at once. Resolves when the change is stored, or this process is isolated. */
  change(change: Change): void | Promise<void>;
  /** Called when other processes have changed when permits are expected. */
  onChange(listener: () => void): void;
}

export type Decide = (state: LimiterState, underWay: number) => PermitDecision;

export interface CellOptions {
  setting: PlanSetting;
  warnings: QuotaWarnings;
  /** Told of every change. */
  events?: Events;
}

/** Where the state outlives the process. Neither method throws. */
export interface LimiterStore {
  /** `undefined` on the first start, and when what is stored cannot be read. */
  load(): LimiterState | undefined;
  save(state: LimiterState): void;
}

/** The state of a process that shares its quota with no other. */
export class LocalCell implements LimiterCell {
  readonly setting: PlanSetting;
  readonly #store: LimiterStore;
  readonly #options: CellOptions;
  readonly #permits = new Set<Permit>();
  readonly #countsItself: boolean;
  #state: LimiterState;

  constructor(store: LimiterStore, options: CellOptions) {
    this.#store = store;
    this.#options = options;
    this.setting = options.setting;
    this.#countsItself = countsItself({}, this.setting);
    const stored = store.load() ?? INITIAL_LIMITER_STATE;
    this.#state = underSetting(withLostProbe(stored, this.setting, Date.now()), this.setting);
    options.warnings.started(this.state, this.setting);
    announce(options.events, this.state, this.setting);
  }

  get state(): LimiterState {
    this.#state = afterClockJump(this.#state, Date.now());
    return this.#state;
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
    return false;
  }

  change({ apply, ended }: Change): void {
    if (ended) this.#permits.delete(ended);
    this.#become(apply(this.state));
  }

  onChange(): void {
    // No other process changes the state.
  }

  #become(state: LimiterState): void {
    const before = this.#state;
    if (state === before) return;
    this.#state = state;
    // Should this process be killed now, it will not know how what is under way has ended.
    const lost = this.#countsItself || state.learned.window !== undefined ? this.#permits.size : 0;
    this.#store.save(lost > 0 ? withLost(state, lost, this.setting, Date.now()) : state);
    announce(this.#options.events, state, this.setting);
    this.#options.warnings.changed(before, state, this.setting);
  }
}

/** Tells operators of the day or the month, whichever leaves less; of a day alone what is stated, though it may be over. */
export function announce(events: Events | undefined, state: LimiterState, setting: PlanSetting): void {
  if (!events?.isWatched('limiter')) return;
  const { breaker } = state;
  const isDayAlone = !countsItself(state, setting);
  const lasting = () => windowsOf(state, setting, Date.now()).filter(({ per }) => per !== 'hour');
  events.publish('limiter', { quota: isDayAlone ? state.quota : leastOf(lasting()), breaker });
}

/**
 * After the clock was set back, what was noted lies in the future. All times are moved back by as much, so that a pause
 * lasts as long as it was meant to.
 */
export function afterClockJump(state: LimiterState, nowMs: number): LimiterState {
  const { breaker, quota, learned } = state;
  const notedMs = Math.max(breaker.sinceMs, quota?.receivedAtMs ?? 0, learned.servedAtMs, learned.quietSinceMs);
  return notedMs > nowMs ? shifted(state, nowMs - notedMs) : state;
}
