import type { Events } from '../model/events.ts';
import type { Plan, PlanSetting } from '../model/plan.ts';
import type { QuotaReading, QuotaState } from '../model/quota.ts';
import type { RequestOutcome } from './circuit-breaker.ts';
import type { Acquired, Limiter, Permit, PermitLane, Schedule } from './limiter.ts';
import { type LimiterChange, type LimiterState, observeReading, observeReportedPlan } from './limiter-state.ts';
import { fullAtMsAfter, RefillLag, reportedPlan, unknownLimit } from './pace.ts';
import { type Contention, releasePermit } from './permit.ts';
import { currentQuota, runsOutAtMs } from './quota.ts';
import type { QuotaWarnings } from './quota-warnings.ts';
import { scheduleOf } from './schedule.ts';

export interface LimiterOptions {
  setting: PlanSetting;
  /** `LONGEST_WAIT_SECONDS`: longer pauses are not sat out. */
  longestWaitMs: number;
  warnings: QuotaWarnings;
  /** Told of every change. */
  events?: Events;
  random?: () => number;
}

/** A change of the state, and what is special about it. */
export interface Change {
  apply: LimiterChange;
  /** The permit whose outcome it is. */
  ended?: Permit;
  /** It may be kept together with the outcome that follows. */
  isReading?: boolean;
}

/** What is the same wherever the state is kept: an outcome, a header or a report changes it, and the schedule follows. */
export abstract class StatefulLimiter implements Limiter {
  protected readonly lag = new RefillLag();
  readonly #options: LimiterOptions;
  readonly #listeners: (() => void)[] = [];
  #isUnconfirmed = true;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  abstract acquire(lane: PermitLane): Promise<Acquired>;
  /** As of now, by this machine's clock. */
  protected abstract get state(): LimiterState;
  protected abstract get setting(): PlanSetting;
  /** Whether the store that it shares cannot be reached. */
  protected abstract get isIsolated(): boolean;
  /** Of this process. */
  protected abstract get underWay(): number;
  /** Changes the state at once. Resolves when the change is kept. */
  protected abstract change(change: Change): Promise<void>;

  async release(permit: Permit, outcome: RequestOutcome): Promise<void> {
    const { longestWaitMs, random = Math.random } = this.#options;
    const underWay = Math.max(0, this.underWay - 1);
    const now = { longestWaitMs, nowMs: Date.now(), random: random(), underWay };
    const lagMs = this.lag.arrived(now.nowMs);
    const apply = (state: LimiterState) => {
      const lagged = { ...state, fullAtMs: state.fullAtMs + lagMs };
      return releasePermit(lagged, permit, outcome, this.setting, now);
    };
    await this.change({ apply, ended: permit });
    this.notify();
  }

  observe(reading: QuotaReading): void {
    const nowMs = Date.now();
    const apply = (state: LimiterState) => {
      const after = observeReading(state, reading, nowMs);
      return { ...after, fullAtMs: fullAtMsAfter(state, after, this.setting, nowMs) };
    };
    const { setting, warnings } = this.#options;
    const before = this.state;
    void this.change({ apply, isReading: true });
    this.#isUnconfirmed = false;
    warnings.planChanged(before, this.state, setting);
    warnings.unknownLimit(unknownLimit(setting, this.state.quota?.limit, reportedPlan(this.state)));
  }

  observePlan(plan: Plan): void {
    const { setting, warnings } = this.#options;
    const before = this.state;
    void this.change({ apply: (state) => observeReportedPlan(state, plan) }).then(() => this.notify());
    warnings.planChanged(before, this.state, setting);
  }

  schedule(): Schedule {
    const schedule = scheduleOf(this.state, this.setting, this.#options.longestWaitMs, Date.now(), this.underWay);
    return { ...schedule, isIsolated: this.isIsolated };
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.state.quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.state.samples, this.quota(), Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  protected notify(): void {
    for (const listener of this.#listeners) listener();
  }

  protected get contention(): Contention {
    return { underWay: this.underWay, isUnconfirmed: this.#isUnconfirmed };
  }
}
