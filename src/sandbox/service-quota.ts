import type { Plan, PlanLimits } from '../model/plan.ts';
import type { CardServiceState } from './card-service-controls.ts';
import {
  advance,
  bucketRemaining,
  dayRemaining,
  freshLimits,
  judge,
  type LimitState,
  limitsOf,
  type NextReset,
  newDay,
  spend,
  type Verdict,
} from './service-limits.ts';

/** The usage of one key, with an injected clock. */
export class ServiceQuota {
  readonly #nowMs: () => number;
  readonly #nextReset: NextReset;
  #limits: PlanLimits;
  #state: LimitState;

  constructor(limits: PlanLimits, nowMs: () => number, nextReset: NextReset) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#nextReset = nextReset;
    this.#state = freshLimits(nowMs(), nextReset);
  }

  get limits(): PlanLimits {
    return this.#limits;
  }

  /** The current usage. */
  get state(): LimitState {
    this.#state = advance(this.#state, this.#limits, this.#nowMs(), this.#nextReset);
    return this.#state;
  }

  /** Keeps the usage; tokens until now are refilled at the old rate. */
  changePlan(plan: Plan): void {
    this.#state = this.state;
    this.#limits = limitsOf(plan);
  }

  /** Counts the request if it is allowed. */
  admit(): Verdict {
    const verdict = judge(this.state, this.#limits);
    if (verdict.allowed) this.count();
    return verdict;
  }

  count(): void {
    this.#state = spend(this.state);
  }

  useUp(): void {
    this.#state = { ...this.state, used: this.#limits.requestsPerDay };
  }

  beginDay(): void {
    this.#state = newDay(this.state);
  }

  figures(): Omit<CardServiceState, 'switches'> {
    const state = this.state;
    return {
      dayLimit: this.#limits.requestsPerDay,
      dayRemaining: dayRemaining(state, this.#limits),
      resetsAtMs: state.resetsAtMs,
      minuteRate: this.#limits.requestsPerMinute,
      burst: this.#limits.burst,
      minuteRemaining: bucketRemaining(state, this.#limits),
    };
  }
}
