import { PLAN_LIMITS, type Plan, type PlanLimits } from '../model/plan.ts';
import { DAY_MS } from '../time/utc-day.ts';
import { arrive, type Counted, count, NOTHING_COUNTED, passTime, type ServiceLimiter } from './service-limiters.ts';

/** "custom" in the service's table; these figures are our choice. */
const ENTERPRISE: PlanLimits = { requestsPerDay: 1_000_000, requestsPerMinute: 2_000, burst: 4_000 };

/** Usage so far. A change of plan keeps it and changes only the limits. */
export interface LimitState {
  /** Counts the requests of a minute. */
  limiter: ServiceLimiter;
  minute: Counted;
  /** Requests counted since the last reset. */
  used: number;
  resetsAtMs: number;
}

export type Verdict =
  | { allowed: true; delayMs: number }
  | { allowed: false; reason: 'minute' | 'day'; retryAfterMs: number };

/** The next reset of the day's count after `nowMs`. */
export type NextReset = (nowMs: number) => number;

/**
 * The plan's limits with overrides.
 *
 * @throws RangeError when a limit would allow no request.
 */
export function limitsOf(plan: Plan, replaced: Partial<PlanLimits> = {}): PlanLimits {
  const limits = { ...(plan === 'enterprise' ? ENTERPRISE : PLAN_LIMITS[plan]) };
  for (const name of ['requestsPerDay', 'requestsPerMinute', 'burst'] as const) {
    limits[name] = replaced[name] ?? limits[name];
    if (!Number.isFinite(limits[name]) || limits[name] < 1) {
      throw new RangeError(`${name} must be a number of at least 1, not ${limits[name]}.`);
    }
  }
  return limits;
}

/** A limiter that has counted nothing, and an untouched day. */
export function freshLimits(nowMs: number, nextReset: NextReset): LimitState {
  return {
    limiter: 'token bucket',
    minute: { ...NOTHING_COUNTED, atMs: nowMs },
    used: 0,
    resetsAtMs: nextReset(nowMs),
  };
}

/** The state at a later time: the bucket refills or the window passes, the day resets. */
export function advance(state: LimitState, limits: PlanLimits, nowMs: number, nextReset: NextReset): LimitState {
  const minute = passTime(state.minute, state.limiter, limits, nowMs);
  if (nowMs < state.resetsAtMs) return { ...state, minute };
  return { ...state, minute, used: 0, resetsAtMs: nextReset(nowMs) };
}

/**
 * One request at the time of the state: whether it is allowed, and the state after it. The day is checked first: without
 * requests left today, waiting for the minute is useless.
 */
export function admit(state: LimitState, limits: PlanLimits): { verdict: Verdict; state: LimitState } {
  if (state.used >= limits.requestsPerDay) {
    const retryAfterMs = Math.max(0, state.resetsAtMs - state.minute.atMs);
    return { verdict: { allowed: false, reason: 'day', retryAfterMs }, state };
  }
  const { ruling, counted: minute } = arrive(state.minute, state.limiter, limits);
  if ('delayMs' in ruling)
    return { verdict: { allowed: true, ...ruling }, state: { ...state, minute, used: state.used + 1 } };
  return { verdict: { allowed: false, reason: 'minute', ...ruling }, state: { ...state, minute } };
}

/** Counts a request whatever the limits. */
export function spend(state: LimitState): LimitState {
  return { ...state, minute: count(state.minute, state.limiter), used: state.used + 1 };
}

/** Another limiter begins with nothing counted; the day goes on. */
export function changeLimiter(state: LimitState, limiter: ServiceLimiter): LimitState {
  return { ...state, limiter, minute: { ...NOTHING_COUNTED, atMs: state.minute.atMs } };
}

/**
 * The state at the start of a full day, as a new window. Within one window clients use the lower of two overlapping
 * figures, so more requests in the same window would look like a late answer.
 */
export function newDay(state: LimitState): LimitState {
  return { ...state, used: 0, resetsAtMs: state.minute.atMs + DAY_MS };
}

export function dayRemaining(state: LimitState, limits: PlanLimits): number {
  return Math.max(0, limits.requestsPerDay - state.used);
}
