import type { Plan } from '../../model/plan.ts';
import type { QuotaReading, QuotaState } from '../../model/quota.ts';
import type { RequestOutcome } from '../../quota/circuit-breaker.ts';
import type { Acquired, Limiter, Permit, PermitLane, Schedule } from '../../quota/limiter.ts';
import {
  fullAtMsAfter,
  type LimiterChange,
  observeReading,
  observeReportedPlan,
  releasePermit,
  unknownLimit,
} from '../../quota/limiter-state.ts';
import { currentQuota } from '../../quota/quota.ts';
import { runsOutAtMs } from '../../quota/rate-samples.ts';
import { RefillLag } from '../../quota/refill-lag.ts';
import { scheduleOf } from '../../quota/schedule.ts';
import { JointLimiter, type JointLimiterOptions } from './joint-limiter.ts';

export interface RedisLimiterOptions extends JointLimiterOptions {
  /** What anybody waits for at most. */
  longestWaitMs: number;
  /** Called with a daily limit that fits no plan, each time that it is heard. */
  warnOfLimit: (limit: number) => void;
  random?: () => number;
}

/**
 * The pacer of a process that shares its quota with others: one state and one bucket for all, in Redis. While Redis is
 * away it goes on by what it last knew, under an insurance limit: the plan divided by the processes last seen alive.
 */
export class RedisLimiter implements Limiter {
  readonly #options: RedisLimiterOptions;
  readonly #joint: JointLimiter;
  readonly #listeners: (() => void)[] = [];
  readonly #lag = new RefillLag();
  /** Of this process; those of the others are not known. */
  readonly #underWay = new Set<Permit>();
  #hasHeard = false;

  constructor(options: RedisLimiterOptions) {
    this.#options = options;
    this.#joint = new JointLimiter(options, () => this.#tell());
  }

  acquire(lane: PermitLane, politeMs = 0): Promise<Acquired> {
    return this.#joint.withPermit(async () => {
      const contention = { politeMs, underWay: this.#underWay.size, isUnheard: !this.#hasHeard };
      const { got, fromFull } = await this.#joint.take(lane, contention);
      if (got.kind !== 'permit') return got;
      if (fromFull || got.permit.probe) this.#lag.tookFromFull(Date.now());
      if (got.permit.probe) this.#joint.holdsProbe = true;
      this.#underWay.add(got.permit);
      return got;
    });
  }

  async release(permit: Permit, outcome: RequestOutcome): Promise<void> {
    const { longestWaitMs, random = Math.random } = this.#options;
    const now = { longestWaitMs, nowMs: Date.now(), random: random() };
    this.#underWay.delete(permit);
    const lagMs = this.#lag.arrived(now.nowMs);
    this.#joint.change((state) => releasePermit(state, permit, outcome, this.#joint.setting, now));
    // The probe is held until all know what became of it; else another could leave meanwhile.
    await this.#joint.withPermit(async () => {
      await this.#joint.share();
      if (permit.probe) this.#joint.holdsProbe = false;
      await this.#joint.delay(lagMs);
    });
    this.#tell();
  }

  observe(reading: QuotaReading): void {
    const nowMs = Date.now();
    const { state: before, setting } = this.#joint;
    void this.#change((state) => observeReading(state, reading, nowMs));
    this.#hasHeard = true;
    const { state } = this.#joint;
    const owedMs = fullAtMsAfter(before, state, setting, nowMs) - before.fullAtMs;
    void this.#joint.withPermit(() => this.#joint.delay(owedMs));
    const limit = unknownLimit(state, this.#options.setting);
    if (limit !== undefined) this.#options.warnOfLimit(limit);
  }

  observePlan(plan: Plan): void {
    void this.#change((state) => observeReportedPlan(state, plan)).then(() => this.#tell());
  }

  schedule(): Schedule {
    return scheduleOf(this.#joint.state, this.#joint.setting, this.#options.longestWaitMs, Date.now());
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#joint.state.quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.#joint.state.samples, this.quota(), Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Changes what is known here at once, and then what all know. */
  #change(change: LimiterChange): Promise<void> {
    this.#joint.change(change);
    return this.#joint.withPermit(() => this.#joint.share());
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
