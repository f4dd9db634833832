import { PLAN_LIMITS, PLANS, type Plan, type PlanSetting } from '../model/plan.ts';
import { type Learned, spacingMs } from './learned.ts';
import type { LimiterState } from './limiter-state.ts';

/** How fast a bucket fills and how much it holds. */
export interface Pace {
  /** One token comes in this time. */
  intervalMs: number;
  /** Tokens that a full bucket holds. */
  capacity: number;
}

/**
 * A token bucket whose whole state is one number, the time at which it will be full again (the generic cell rate
 * algorithm's "theoretical arrival time"), so that it can be kept in one row and survive a restart.
 *
 * @param heldBackMs takes only a token that has been in the bucket for this long
 * @returns when the bucket will be full after a token is taken now; `undefined` when there is none to take
 */
export function takeToken(fullAtMs: number, nowMs: number, pace: Pace, heldBackMs = 0): number | undefined {
  return tokenAtMs(fullAtMs, nowMs, pace, heldBackMs) > nowMs ? undefined : afterToken(fullAtMs, nowMs, pace);
}

/** When a token can be taken that has then been there for `heldBackMs`; `nowMs` or before means now. */
export function tokenAtMs(fullAtMs: number, nowMs: number, pace: Pace, heldBackMs = 0): number {
  return boundedFullAtMs(fullAtMs, nowMs, pace) - (pace.capacity - 1) * pace.intervalMs + heldBackMs;
}

/** When the bucket will be full after a token is taken now; one that has none stays empty. */
export function afterToken(fullAtMs: number, nowMs: number, pace: Pace): number {
  const missingUntilMs = Math.max(boundedFullAtMs(fullAtMs, nowMs, pace), nowMs);
  return boundedFullAtMs(missingUntilMs + pace.intervalMs, nowMs, pace);
}

/** The `heldBackMs` at which a token that is taken leaves `tokens` others in the bucket, or all that it can hold. */
export function keepingMs(tokens: number, { capacity, intervalMs }: Pace): number {
  return Math.min(tokens, capacity - 1) * intervalMs;
}

/** When a bucket will be full after a change of pace: it misses as many tokens as before. A faster pace fills it no sooner. */
export function fullAtPace(fullAtMs: number, nowMs: number, before: Pace, after: Pace): number {
  if (after.intervalMs <= before.intervalMs) return fullAtMs;
  const missing = Math.max(0, boundedFullAtMs(fullAtMs, nowMs, before) - nowMs) / before.intervalMs;
  return boundedFullAtMs(nowMs + missing * after.intervalMs, nowMs, after);
}

/** The state of a bucket without tokens. */
export function emptyBucket(nowMs: number, pace: Pace): number {
  return nowMs + pace.capacity * pace.intervalMs;
}

/** An empty bucket instead of one that looks emptier, as after a clock was set back or a change of pace. */
export function boundedFullAtMs(fullAtMs: number, nowMs: number, pace: Pace): number {
  return Math.min(fullAtMs, emptyBucket(nowMs, pace));
}

/** A round trip to the service takes less, also for the first request of a process; anything longer is the service's time. */
const LONGEST_LAG_MS = 250;

/**
 * By how much the service's bucket refills later than ours: its clock starts when the first request of a full bucket
 * arrives there, ours when the token was taken. Ignored, the lag uses up the token that is kept back, and a burst costs a
 * 429: at ten requests a second, the first request of a cold process takes longer than a token takes to refill. After a
 * pause the service's bucket may be full, too, so its probe counts as a first request.
 */
export class RefillLag {
  #takenAtMs: number | undefined;

  /** A token was taken from a bucket that is full, ours or the service's. */
  tookFromFull(nowMs: number): void {
    this.#takenAtMs ??= nowMs;
  }

  /** A request has ended, so it has arrived. @returns by how much later the bucket is full; 0 from the second call on */
  arrived(nowMs: number): number {
    const takenAtMs = this.#takenAtMs;
    this.#takenAtMs = undefined;
    return takenAtMs === undefined ? 0 : Math.min(Math.max(0, nowMs - takenAtMs), LONGEST_LAG_MS);
  }
}

/** The pace at present. The burst was learned for the whole plan, so dividing by processes comes last. */
export function paceOf(state: LimiterState, setting: PlanSetting): Pace {
  return dividedPace(learnedPace(state.learned, plannedPace(state, setting)), setting.processes ?? 1);
}

/** The plan's pace, less what answers have shown it to be less. A window that refills at once does not count here. */
export function learnedPace(learned: Learned, planned: Pace): Pace {
  const evenlyMs = spacingMs(learned);
  if (evenlyMs !== undefined) return { intervalMs: Math.max(planned.intervalMs, evenlyMs), capacity: 1 };
  return { ...planned, capacity: Math.min(planned.capacity, learned.capacity ?? planned.capacity) };
}

/** The pace by the plan alone, for all processes together. */
export function plannedPace(state: LimiterState, setting: PlanSetting): Pace {
  return planPace(setting, state.quota?.limit, reportedPlan(state));
}

/** When the bucket is full after other headers: the missing tokens take longer at a slower pace. */
export function fullAtMsAfter(before: LimiterState, after: LimiterState, setting: PlanSetting, nowMs: number): number {
  return fullAtPace(before.fullAtMs, nowMs, paceOf(before, setting), paceOf(after, setting));
}

/** The plan of the last usage report, while the headers state the daily limit that they stated then. */
export function reportedPlan({ quota, plan, planAtLimit }: LimiterState): Plan | undefined {
  return planAtLimit === quota?.limit ? plan : undefined;
}

/** The plan whose pace `auto` keeps to; `undefined` when it is not known or Enterprise, and with any other setting. */
export function planFound(state: LimiterState, { plan }: PlanSetting): Plan | undefined {
  const reported = reportedPlan(state);
  if (plan !== 'auto' || reported === 'enterprise') return undefined;
  const limit = state.quota?.limit;
  return reported ?? PLANS.find((name) => name !== 'enterprise' && PLAN_LIMITS[name].requestsPerDay === limit);
}

/**
 * The pace that a plan allows, with one token of its burst left out: at the exact burst, clocks that differ by a few
 * milliseconds cost a 429 every time.
 *
 * @param dailyLimit as the headers last stated it; one that matches no plan keeps Free's pace
 * @param reported the plan of a usage report (see `reportedPlan`); overrules the daily limit
 */
export function planPace(setting: PlanSetting, dailyLimit: number | undefined, reported?: Plan): Pace {
  const limits = planLimits(setting.plan === 'auto' ? (reported ?? 'auto') : setting.plan, dailyLimit);
  const requestsPerMinute = setting.requestsPerMinute ?? limits.requestsPerMinute;
  const burst = setting.burst ?? limits.burst;
  return { intervalMs: 60_000 / requestsPerMinute, capacity: Math.max(1, burst - 1) };
}

/** The pace of each of several processes that cannot coordinate. */
export function dividedPace({ intervalMs, capacity }: Pace, processes: number): Pace {
  return { intervalMs: intervalMs * processes, capacity: Math.max(1, Math.floor(capacity / processes)) };
}

/**
 * The daily limit from which `auto` cannot tell the plan, so that Free's pace is kept though more may be allowed;
 * `undefined` when the plan is known, or rate and burst are configured.
 */
export function unknownLimit(
  { plan, requestsPerMinute, burst }: PlanSetting,
  dailyLimit: number | undefined,
  reported?: Plan,
): number | undefined {
  if (plan !== 'auto' || (reported !== undefined && reported !== 'enterprise')) return undefined;
  if (requestsPerMinute !== undefined && burst !== undefined) return undefined;
  return limitsByDay(dailyLimit) ? undefined : dailyLimit;
}

/** The day's requests by the configuration alone; `undefined` for Enterprise, whose limit is custom. */
export function plannedDay({ plan }: PlanSetting): number | undefined {
  return plan === 'enterprise' ? undefined : PLAN_LIMITS[plan === 'auto' ? 'free' : plan].requestsPerDay;
}

function planLimits(plan: Plan | 'auto', dailyLimit: number | undefined) {
  if (plan !== 'auto' && plan !== 'enterprise') return PLAN_LIMITS[plan];
  // Enterprise has no row: its figures are configured or, under `auto`, those that the daily limit suggests.
  return limitsByDay(dailyLimit) ?? PLAN_LIMITS.free;
}

function limitsByDay(dailyLimit: number | undefined) {
  return Object.values(PLAN_LIMITS).find(({ requestsPerDay }) => requestsPerDay === dailyLimit);
}
