import { PLAN_LIMITS, type Plan, type PlanLimits } from '../model/plan.ts';
import { DAY_MS } from '../model/quota.ts';

const MINUTE_MS = 60_000;
/** Less than a millionth of a request: rounding errors, which must not cost a request. */
const ROUNDING = 1e-6;

/** "custom" in the service's table; these figures are our choice. */
const ENTERPRISE: PlanLimits = { requestsPerDay: 1_000_000, requestsPerMinute: 2_000, burst: 4_000 };

/** Usage so far. A change of plan keeps it and changes only the limits. */
export interface LimitState {
  /** Tokens missing from the full bucket at `spentAtMs`. */
  spent: number;
  spentAtMs: number;
  /** Requests counted since the last reset. */
  used: number;
  resetsAtMs: number;
}

export type Verdict = { allowed: true } | { allowed: false; reason: 'minute' | 'day'; retryAfterMs: number };

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

/** A full bucket and an untouched day. */
export function freshLimits(nowMs: number, nextReset: NextReset): LimitState {
  return { spent: 0, spentAtMs: nowMs, used: 0, resetsAtMs: nextReset(nowMs) };
}

/** The state at a later time: the bucket refills, the day resets. A clock that is set back changes nothing. */
export function advance(state: LimitState, limits: PlanLimits, nowMs: number, nextReset: NextReset): LimitState {
  const passedMs = Math.max(0, nowMs - state.spentAtMs);
  const spent = Math.max(0, state.spent - (passedMs * limits.requestsPerMinute) / MINUTE_MS);
  const day =
    nowMs >= state.resetsAtMs
      ? { used: 0, resetsAtMs: nextReset(nowMs) }
      : { used: state.used, resetsAtMs: state.resetsAtMs };
  return { spent, spentAtMs: nowMs, ...day };
}

/**
 * Whether the current state allows one more request. The day is checked first: without requests left today, waiting for
 * the minute is useless.
 */
export function judge(state: LimitState, limits: PlanLimits): Verdict {
  if (state.used >= limits.requestsPerDay) {
    return { allowed: false, reason: 'day', retryAfterMs: Math.max(0, state.resetsAtMs - state.spentAtMs) };
  }
  const missing = state.spent + 1 - limits.burst;
  if (missing <= ROUNDING) return { allowed: true };
  const retryAfterMs = Math.ceil((missing * MINUTE_MS) / limits.requestsPerMinute - ROUNDING);
  return { allowed: false, reason: 'minute', retryAfterMs };
}

export function spend(state: LimitState): LimitState {
  return { ...state, spent: state.spent + 1, used: state.used + 1 };
}

/**
 * The state at the start of a full day, as a new window. Within one window clients use the lower of two overlapping
 * figures, so more requests in the same window would look like a late answer.
 */
export function newDay(state: LimitState): LimitState {
  return { ...state, used: 0, resetsAtMs: state.spentAtMs + DAY_MS };
}

export function dayRemaining(state: LimitState, limits: PlanLimits): number {
  return Math.max(0, limits.requestsPerDay - state.used);
}

/** Whole requests that the bucket allows right now. */
export function bucketRemaining(state: LimitState, limits: PlanLimits): number {
  return Math.max(0, Math.floor(limits.burst - state.spent + ROUNDING));
}
