import { type DescribedLimits, type Pace, PLAN_LIMITS, type PlanSetting, plansOf } from '../model/plan.ts';
import { type Learned, spacingMs } from './learned.ts';
import type { LimiterState } from './limiter-state.ts';

/**
 * When a token can be taken that has then been in the bucket for `heldBackMs`; `nowMs` or before means now.
 *
 * @param fullAtMs the whole state of a token bucket: when it will be full again (the generic cell rate algorithm's
 *   "theoretical arrival time"), so that it can be kept in one row and survive a restart
 */
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
 * 429: at ten requests a second, the first request of a cold process takes longer than a token takes to refill.
 *
 * @param takenAtMs when the first token was taken from a bucket that was full, the service's or ours
 * @param endedAtMs when the first request since then has ended, so that it has arrived
 */
export function refillLagMs(takenAtMs: number, endedAtMs: number): number {
  return Math.min(Math.max(0, endedAtMs - takenAtMs), LONGEST_LAG_MS);
}

/** The plan that counts until answers tell which it is, the service's smallest. */
function firstPlan(setting: PlanSetting): DescribedLimits | undefined {
  return Object.values(plansOf(setting))[0];
}

/** What a plan is known by. */
export type PlanFacts = Pick<LimiterState, 'quota' | 'plan' | 'planAtLimit'>;

export function isPlannedAlike(a: PlanFacts, b: PlanFacts): boolean {
  return a.quota?.limit === b.quota?.limit && a.plan === b.plan && a.planAtLimit === b.planAtLimit;
}

/** The pace at present. The burst was learned for the whole plan, so dividing by processes that are isolated comes last. */
export function paceOf(state: LimiterState, setting: PlanSetting): Pace {
  const { intervalMs, capacity, window } = learnedPace(state.learned, plannedPace(state, setting));
  const { processes = 1 } = setting;
  return { intervalMs: intervalMs * processes, capacity: Math.max(1, Math.floor(capacity / processes)), window };
}

/** Services count to the millisecond, and nginx rounds its rate: a little more than the interval is enough. */
const SLOWER_BY = 1.02;

/** The plan's pace, less what answers have shown it to be less. A window that refills at once does not count here. */
export function learnedPace(learned: Learned, planned: Pace): Pace {
  const evenlyMs = spacingMs(learned);
  const intervalMs = planned.intervalMs * SLOWER_BY ** (learned.slower?.steps ?? 0);
  if (evenlyMs !== undefined) return { intervalMs: Math.max(intervalMs, evenlyMs), capacity: 1 };
  return { ...planned, intervalMs, capacity: Math.min(planned.capacity, learned.capacity ?? planned.capacity) };
}

/**
 * The pace by the plan alone, for all processes together; Free's while no plan is known. One token of the burst is left
 * out: at the exact burst, clocks that differ by a few milliseconds cost a 429 every time.
 */
export function plannedPace(facts: PlanFacts, setting: PlanSetting): Pace {
  const limits = planInForce(facts, setting);
  const { requestsPerMinute = limits.requestsPerMinute, burst = limits.burst } = setting;
  const pace = { intervalMs: 60_000 / requestsPerMinute, capacity: Math.max(1, burst - 1) };
  return limits.isWindow ? { ...pace, window: Math.max(1, Math.floor(requestsPerMinute)) } : pace;
}

/** The limits of the plan that counts, as far as is known. */
export function planInForce(facts: PlanFacts, setting: PlanSetting): DescribedLimits {
  const found = planFound(facts, setting);
  return (found === undefined ? undefined : plansOf(setting)[found]) ?? firstPlan(setting) ?? PLAN_LIMITS.free;
}

/** When the bucket is full after other headers, which may tell of another plan: at a slower pace the missing tokens take longer, and a faster one fills it no sooner. */
export function fullAtMsAfter(before: LimiterState, after: LimiterState, setting: PlanSetting, nowMs: number): number {
  if (isPlannedAlike(before, after)) return before.fullAtMs;
  const [paceBefore, pace] = [paceOf(before, setting), paceOf(after, setting)];
  if (pace.intervalMs <= paceBefore.intervalMs) return before.fullAtMs;
  const missing = Math.max(0, boundedFullAtMs(before.fullAtMs, nowMs, paceBefore) - nowMs) / paceBefore.intervalMs;
  return boundedFullAtMs(nowMs + missing * pace.intervalMs, nowMs, pace);
}

/** The plan of the last usage report, while the headers state the daily limit that they stated then. */
export function reportedPlan({ quota, plan, planAtLimit }: PlanFacts): string | undefined {
  return planAtLimit === quota?.limit ? plan : undefined;
}

/**
 * The plan of the table that counts: the configured one or, with `auto`, that of a usage report, else that of the daily
 * limit in the headers. `undefined` while none is known; Enterprise has no row.
 */
export function planFound(facts: PlanFacts, setting: PlanSetting): string | undefined {
  const plans = plansOf(setting);
  const named = setting.plan === 'auto' ? reportedPlan(facts) : setting.plan;
  if (named !== undefined && Object.hasOwn(plans, named)) return named;
  const limit = facts.quota?.limit;
  return limit === undefined ? undefined : Object.keys(plans).find((plan) => plans[plan]?.requestsPerDay === limit);
}

/**
 * The daily limit from which `auto` cannot tell the plan, so that Free's pace is kept though more may be allowed;
 * `undefined` when the plan is known, or rate and burst are configured.
 */
export function unknownLimit(facts: PlanFacts, setting: PlanSetting): number | undefined {
  const { plan, requestsPerMinute, burst } = setting;
  const isConfigured = plan !== 'auto' || (requestsPerMinute !== undefined && burst !== undefined);
  return isConfigured || planFound(facts, setting) ? undefined : facts.quota?.limit;
}

/** The day's requests by the configuration alone; `undefined` where the plan has no figures, or the service no day. */
export function plannedDay(setting: PlanSetting): number | undefined {
  const limits = setting.plan === 'auto' ? firstPlan(setting) : plansOf(setting)[setting.plan];
  return setting.requestsPerDay ?? limits?.requestsPerDay;
}
