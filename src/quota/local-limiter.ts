import type { Plan, PlanSetting } from '../model/plan.ts';
import type { QuotaReading, QuotaState } from '../model/quota.ts';
import type { RequestOutcome } from './circuit-breaker.ts';
import { afterClockJump } from './clock-jump.ts';
import type { Acquired, Limiter, Permit, PermitLane, Schedule } from './limiter.ts';
import {
  fullAtMsAfter,
  INITIAL_LIMITER_STATE,
  type LimiterState,
  observeReading,
  observeReportedPlan,
  releasePermit,
  underSetting,
  unknownLimit,
  withProbe,
} from './limiter-state.ts';
import { acquirePermit } from './permit.ts';
import { plausible } from './plausible.ts';
import { currentQuota } from './quota.ts';
import { runsOutAtMs } from './rate-samples.ts';
import { RefillLag } from './refill-lag.ts';
import { scheduleOf } from './schedule.ts';

export interface LocalLimiterOptions {
  setting: PlanSetting;
  /** What anybody waits for at most. */
  longestWaitMs: number;
  /** From before the restart. */
  state?: LimiterState | undefined;
  save: (state: LimiterState) => void;
  /** Called once in each window for each share of the day that is spent. */
  warn: (share: number, quota: QuotaState) => void;
  /** Called with a daily limit that fits no plan, each time that it is heard. */
  warnOfLimit: (limit: number) => void;
  random?: () => number;
}

/** The pacer of a single process. */
export class LocalLimiter implements Limiter {
  readonly #setting: PlanSetting;
  readonly #longestWaitMs: number;
  readonly #save: (state: LimiterState) => void;
  readonly #warn: (share: number, quota: QuotaState) => void;
  readonly #warnOfLimit: (limit: number) => void;
  readonly #random: () => number;
  readonly #listeners: (() => void)[] = [];
  readonly #lag = new RefillLag();
  readonly #underWay = new Set<Permit>();
  #hasHeard = false;
  #state: LimiterState;

  constructor({
    setting,
    longestWaitMs,
    state = INITIAL_LIMITER_STATE,
    save,
    warn,
    warnOfLimit,
    random = Math.random,
  }: LocalLimiterOptions) {
    this.#setting = setting;
    this.#longestWaitMs = longestWaitMs;
    this.#save = save;
    this.#warn = warn;
    this.#warnOfLimit = warnOfLimit;
    this.#random = random;
    const nowMs = Date.now();
    const kept = plausible(afterClockJump(state, nowMs), nowMs);
    // A probe cannot outlive its process.
    this.#state = underSetting(withProbe(kept, false), setting);
  }

  acquire(lane: PermitLane, politeMs = 0): Promise<Acquired> {
    const nowMs = Date.now();
    const before = this.#present();
    const { state, got } = acquirePermit(before, lane, this.#setting, nowMs, {
      politeMs,
      underWay: this.#underWay.size,
      isUnheard: !this.#hasHeard,
    });
    if (got.kind === 'permit') {
      if (before.fullAtMs <= nowMs || got.permit.probe) this.#lag.tookFromFull(nowMs);
      this.#underWay.add(got.permit);
    }
    this.#become(state);
    return Promise.resolve(got);
  }

  release(permit: Permit, outcome: RequestOutcome): Promise<void> {
    const now = { longestWaitMs: this.#longestWaitMs, nowMs: Date.now(), random: this.#random() };
    this.#underWay.delete(permit);
    const present = this.#present();
    const lagged = { ...present, fullAtMs: present.fullAtMs + this.#lag.arrived(now.nowMs) };
    this.#become(releasePermit(lagged, permit, outcome, this.#setting, now));
    for (const listener of this.#listeners) listener();
    return Promise.resolve();
  }

  observe(reading: QuotaReading): void {
    const { warned } = this.#state;
    const nowMs = Date.now();
    const present = this.#present();
    const heard = observeReading(present, reading, nowMs);
    this.#become({ ...heard, fullAtMs: fullAtMsAfter(present, heard, this.#setting, nowMs) });
    this.#hasHeard = true;
    const limit = unknownLimit(heard, this.#setting);
    if (limit !== undefined) this.#warnOfLimit(limit);
    if (heard.warned && heard.quota && heard.warned !== warned) this.#warn(heard.warned.share, heard.quota);
  }

  observePlan(plan: Plan): void {
    this.#become(observeReportedPlan(this.#state, plan));
    for (const listener of this.#listeners) listener();
  }

  schedule(): Schedule {
    return scheduleOf(this.#present(), this.#setting, this.#longestWaitMs, Date.now());
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
    this.#save(state);
  }
}
