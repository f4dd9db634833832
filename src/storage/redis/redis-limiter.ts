import type { Plan } from '../../model/plan.ts';
import type { QuotaReading, QuotaState } from '../../model/quota.ts';
import type { RequestOutcome } from '../../quota/circuit-breaker.ts';
import type { Acquired, Limiter, Permit, PermitLane, Schedule } from '../../quota/limiter.ts';
import { type LimiterChange, observeReading, observeReportedPlan } from '../../quota/limiter-state.ts';
import { fullAtMsAfter, RefillLag, reportedPlan, unknownLimit } from '../../quota/pace.ts';
import { releasePermit, scheduleOf } from '../../quota/permit.ts';
import { currentQuota, runsOutAtMs } from '../../quota/quota.ts';
import { LimiterSync, type LimiterSyncOptions } from './limiter-sync.ts';

export interface RedisLimiterOptions extends LimiterSyncOptions {
  /** The longest wait that a lookup may have. */
  longestWaitMs: number;
  random?: () => number;
}

/**
 * The limiter of processes that share a quota: one state and one bucket for all, in Redis. While isolated it continues
 * with what it last knew, at the plan divided by the processes last seen alive.
 */
export class RedisLimiter implements Limiter {
  readonly #options: RedisLimiterOptions;
  readonly #sync: LimiterSync;
  readonly #listeners: (() => void)[] = [];
  readonly #lag = new RefillLag();
  /** Of this process; those of other processes are not known. */
  readonly #underWay = new Set<Permit>();
  #isUnconfirmed = true;

  constructor(options: RedisLimiterOptions) {
    this.#options = options;
    this.#sync = new LimiterSync(options, () => this.#notify());
  }

  acquire(lane: PermitLane): Promise<Acquired> {
    return this.#sync.exclusively(async () => {
      const contention = { underWay: this.#underWay.size, isUnconfirmed: this.#isUnconfirmed };
      const { acquired, fromFull } = await this.#sync.acquire(lane, contention);
      if (acquired.kind !== 'permit') return acquired;
      if (fromFull || acquired.permit.probe) this.#lag.tookFromFull(Date.now());
      if (acquired.permit.probe) this.#sync.holdsProbe = true;
      this.#underWay.add(acquired.permit);
      return acquired;
    });
  }

  async release(permit: Permit, outcome: RequestOutcome): Promise<void> {
    const { longestWaitMs, random = Math.random } = this.#options;
    const now = { longestWaitMs, nowMs: Date.now(), random: random() };
    this.#underWay.delete(permit);
    const lagMs = this.#lag.arrived(now.nowMs);
    this.#sync.change((state) => releasePermit(state, permit, outcome, this.#sync.setting, now));
    // The probe is held until its outcome is published; otherwise another process could send one meanwhile.
    await this.#sync.exclusively(async () => {
      await this.#sync.publish();
      if (permit.probe) this.#sync.holdsProbe = false;
      await this.#sync.delay(lagMs);
    });
    this.#notify();
  }

  observe(reading: QuotaReading): void {
    const nowMs = Date.now();
    const { state: before, setting } = this.#sync;
    void this.#change((state) => observeReading(state, reading, nowMs));
    this.#isUnconfirmed = false;
    const { state } = this.#sync;
    const delayMs = fullAtMsAfter(before, state, setting, nowMs) - before.fullAtMs;
    void this.#sync.exclusively(() => this.#sync.delay(delayMs));
    const { setting: whole, warnings } = this.#options;
    warnings.unknownLimit(unknownLimit(whole, state.quota?.limit, reportedPlan(state)));
  }

  observePlan(plan: Plan): void {
    void this.#change((state) => observeReportedPlan(state, plan)).then(() => this.#notify());
  }

  schedule(): Schedule {
    return scheduleOf(this.#sync.state, this.#sync.setting, this.#options.longestWaitMs, Date.now());
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#sync.state.quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.#sync.state.samples, this.quota(), Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Changes the state in this process at once, and then in Redis. */
  #change(change: LimiterChange): Promise<void> {
    this.#sync.change(change);
    return this.#sync.exclusively(() => this.#sync.publish());
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
