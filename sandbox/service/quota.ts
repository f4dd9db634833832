import { DAY_MS } from '../../src/time.ts';
import {
  arrive,
  type Counted,
  count,
  NOTHING_COUNTED,
  PLAN_LIMITS,
  type Plan,
  type PlanLimits,
  passTime,
  type Ruling,
  remaining,
  type ServiceLimiter,
} from './limiters.ts';

/** The next reset of the day's count after `nowMs`. */
export type NextReset = (nowMs: number) => number;

/** The current figures of one key. */
export interface QuotaFigures {
  dayLimit: number;
  dayRemaining: number;
  resetsAtMs: number;
  minuteRate: number;
  /** The most that the limiter allows at once. */
  mostAtOnce: number;
  /** Whole requests that the limiter allows right now. */
  minuteRemaining: number;
}

/**
 * The plan's limits with overrides.
 *
 * @throws RangeError when a limit would allow no request.
 */
export function limitsOf(plan: Plan, replaced: Partial<PlanLimits> = {}): PlanLimits {
  const limits: PlanLimits = { ...PLAN_LIMITS[plan] };
  for (const name of ['requestsPerDay', 'requestsPerMinute', 'burst'] as const) {
    limits[name] = replaced[name] ?? limits[name];
    if (!Number.isFinite(limits[name]) || limits[name] < 1) {
      throw new RangeError(`${name} must be a number of at least 1, not ${limits[name]}.`);
    }
  }
  return limits;
}

/** The usage of one key, with an injected clock. */
export class ServiceQuota {
  readonly #nowMs: () => number;
  readonly #nextReset: NextReset;
  #limits: PlanLimits;
  #limiter: ServiceLimiter = 'token bucket';
  #minute: Counted;
  /** Requests counted since the last reset of the day. */
  #used: number;
  #resetsAtMs: number;

  constructor(limits: PlanLimits, nowMs: () => number, nextReset: NextReset, used = 0) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#nextReset = nextReset;
    this.#minute = { ...NOTHING_COUNTED, atMs: nowMs() };
    this.#used = used;
    this.#resetsAtMs = nextReset(nowMs());
  }

  /** Keeps the usage; tokens until now are refilled at the old rate. */
  changePlan(plan: Plan): void {
    this.#passTime();
    this.#limits = limitsOf(plan);
  }

  /** Another limiter begins with nothing counted; the day goes on. */
  changeLimiter(limiter: ServiceLimiter): void {
    this.#limiter = limiter;
    this.#minute = { ...NOTHING_COUNTED, atMs: this.#nowMs() };
  }

  /**
   * Counts the request if it is allowed. The day is checked first: without requests left today, waiting for the minute is
   * useless.
   *
   * @param times as so many, or not at all
   */
  admit(times = 1): Ruling {
    this.#passTime();
    if (this.#used + times > this.#limits.requestsPerDay) {
      return { retryAfterMs: Math.max(0, this.#resetsAtMs - this.#minute.atMs) };
    }
    let { ruling, counted } = arrive(this.#minute, this.#limiter, this.#limits);
    for (let arrived = 1; arrived < times && 'delayMs' in ruling; arrived++) {
      ({ ruling, counted } = arrive(counted, this.#limiter, this.#limits));
    }
    const isAllowed = 'delayMs' in ruling;
    if (isAllowed || times === 1) this.#minute = counted;
    if (isAllowed) this.#used += times;
    return ruling;
  }

  /** Counts a request whatever the limits. */
  count(): void {
    this.#passTime();
    this.#minute = count(this.#minute);
    this.#used++;
  }

  useUp(): void {
    this.#passTime();
    this.#used = this.#limits.requestsPerDay;
  }

  /**
   * Begins a full day as a new window. Within one window clients use the lower of two overlapping figures, so more requests
   * in the same window would look like a late answer.
   */
  beginDay(): void {
    this.#used = 0;
    this.#resetsAtMs = this.#nowMs() + DAY_MS;
  }

  figures(): QuotaFigures {
    this.#passTime();
    return {
      dayLimit: this.#limits.requestsPerDay,
      dayRemaining: Math.max(0, this.#limits.requestsPerDay - this.#used),
      resetsAtMs: this.#resetsAtMs,
      minuteRate: this.#limits.requestsPerMinute,
      mostAtOnce: remaining(NOTHING_COUNTED, this.#limiter, this.#limits),
      minuteRemaining: remaining(this.#minute, this.#limiter, this.#limits),
    };
  }

  /** The bucket refills or the window passes, and the day resets. */
  #passTime(): void {
    const nowMs = this.#nowMs();
    this.#minute = passTime(this.#minute, this.#limiter, this.#limits, nowMs);
    if (nowMs < this.#resetsAtMs) return;
    this.#used = 0;
    this.#resetsAtMs = this.#nextReset(nowMs);
  }
}
