import type { Plan, PlanSetting } from '../model/plan.ts';
import type { QuotaReading, QuotaState } from '../model/quota.ts';
import type { RequestOutcome } from './circuit-breaker.ts';
import type { Acquired, Limiter, Permit, PermitLane, Schedule } from './limiter.ts';
import {
  afterClockJump,
  INITIAL_LIMITER_STATE,
  type LimiterState,
  observeReading,
  observeReportedPlan,
  plausible,
  type QuotaWarnings,
  underSetting,
  withProbe,
} from './limiter-state.ts';
import { fullAtMsAfter, RefillLag, reportedPlan, unknownLimit } from './pace.ts';
import { acquirePermit, releasePermit, scheduleOf } from './permit.ts';
import { currentQuota, runsOutAtMs } from './quota.ts';

/** Where the state outlives the process. Neither method throws. */
export interface LimiterStore {
  /** `undefined` on the first start, and when what is stored cannot be read. */
  load(): LimiterState | undefined;
  save(state: LimiterState): void;
}

export interface LocalLimiterOptions {
  setting: PlanSetting;
  /** `LONGEST_WAIT_SECONDS`: longer pauses are not sat out. */
  longestWaitMs: number;
  store: LimiterStore;
  warnings: QuotaWarnings;
  random?: () => number;
}

/** The limiter of a single process. */
export class LocalLimiter implements Limiter {
  readonly #options: LocalLimiterOptions;
  readonly #listeners: (() => void)[] = [];
  readonly #lag = new RefillLag();
  readonly #underWay = new Set<Permit>();
  #isUnconfirmed = true;
  #state: LimiterState;

  constructor(options: LocalLimiterOptions) {
    this.#options = options;
    const { store, setting } = options;
    const nowMs = Date.now();
    const stored = plausible(afterClockJump(store.load() ?? INITIAL_LIMITER_STATE, nowMs), nowMs);
    // A probe cannot outlive its process.
    this.#state = underSetting(withProbe(stored, false), setting);
  }

  async acquire(lane: PermitLane): Promise<Acquired> {
    const nowMs = Date.now();
    const before = this.#present();
    const { state, acquired } = acquirePermit(before, lane, this.#options.setting, nowMs, {
      underWay: this.#underWay.size,
      isUnconfirmed: this.#isUnconfirmed,
    });
    if (acquired.kind === 'permit') {
      if (before.fullAtMs <= nowMs || acquired.permit.probe) this.#lag.tookFromFull(nowMs);
      this.#underWay.add(acquired.permit);
    }
    this.#become(state);
    return acquired;
  }

  async release(permit: Permit, outcome: RequestOutcome): Promise<void> {
    const { setting, longestWaitMs, random = Math.random } = this.#options;
    const now = { longestWaitMs, nowMs: Date.now(), random: random() };
    this.#underWay.delete(permit);
    const present = this.#present();
    const lagged = { ...present, fullAtMs: present.fullAtMs + this.#lag.arrived(now.nowMs) };
    this.#become(releasePermit(lagged, permit, outcome, setting, now));
    this.#notify();
  }

  observe(reading: QuotaReading): void {
    const { setting, warnings } = this.#options;
    const nowMs = Date.now();
    const before = this.#present();
    const after = observeReading(before, reading, nowMs);
    this.#become({ ...after, fullAtMs: fullAtMsAfter(before, after, setting, nowMs) });
    this.#isUnconfirmed = false;
    warnings.unknownLimit(unknownLimit(setting, after.quota?.limit, reportedPlan(after)));
    warnings.lowQuota(before.warned, after.warned, after.quota);
  }

  observePlan(plan: Plan): void {
    this.#become(observeReportedPlan(this.#state, plan));
    this.#notify();
  }

  schedule(): Schedule {
    const { setting, longestWaitMs } = this.#options;
    return scheduleOf(this.#present(), setting, longestWaitMs, Date.now());
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#present().quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.#state.samples, this.quota(), Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #present(): LimiterState {
    return afterClockJump(this.#state, Date.now());
  }

  #become(state: LimiterState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.store.save(state);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
