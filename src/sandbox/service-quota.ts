import type { Plan, PlanLimits } from '../model/plan.ts';
import type { CardServiceState } from './card-service-controls.ts';
import { NOTHING_COUNTED, remaining, type ServiceLimiter } from './service-limiters.ts';
import {
  admit,
  advance,
  changeLimiter,
  dayRemaining,
  freshLimits,
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

  constructor(limits: PlanLimits, nowMs: () => number, nextReset: NextReset, used: number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#nextReset = nextReset;
    this.#state = { ...freshLimits(nowMs(), nextReset), used };
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

  changeLimiter(limiter: ServiceLimiter): void {
    this.#state = changeLimiter(this.state, limiter);
  }

  /** Counts the request if it is allowed. @param times as so many, or not at all */
  admit(times = 1): Verdict {
    let { verdict, state } = admit(this.state, this.#limits);
    for (let counted = 1; counted < times && verdict.allowed; counted++) {
      ({ verdict, state } = admit(state, this.#limits));
    }
    if (times === 1 || verdict.allowed) this.#state = state;
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
      mostAtOnce: remaining(NOTHING_COUNTED, state.limiter, this.#limits),
      minuteRemaining: remaining(state.minute, state.limiter, this.#limits),
    };
  }
}
