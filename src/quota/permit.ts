import type { PlanSetting } from '../model/plan.ts';
import type { Breaker } from '../model/quota.ts';
import { afterRequest, type Circumstances, type RequestOutcome, statesOutage } from './circuit-breaker.ts';
import type { Acquired, Permit, PermitLane, Schedule } from './limiter.ts';
import { type LimiterState, withProbe } from './limiter-state.ts';
import {
  emptyBucket,
  keepingMs,
  learnBurst,
  noEmptierThanEmpty,
  type Pace,
  paceOf,
  planPace,
  reportedPlan,
  settingKey,
  takeToken,
  tokenAtMs,
} from './pace.ts';
import { currentQuota, reserveUntilMs } from './quota.ts';

/** What a request needs before it may leave. */
export type PermitDecision =
  | Exclude<Acquired, { kind: 'permit' }>
  /** One token of the bucket. `free`: none is needed, and the bucket is left empty. */
  | { kind: 'token'; permit: Permit; pace: Pace; heldBackMs: number; free: boolean };

/** What else the decision depends on. */
export interface Contention {
  /** Requests of this process that have left and have not ended. */
  underWay: number;
  /** This process has had no answer yet, so that what is known of the plan may be about another one. */
  isUnconfirmed: boolean;
}

/** Any plan allows as many requests at once. */
const FREE_BURST = planPace({ plan: 'free' }, undefined).capacity;

/** Whether a request may leave as soon as there is a token for it. */
export function decidePermit(
  state: LimiterState,
  lane: PermitLane,
  setting: PlanSetting,
  nowMs: number,
  { underWay, isUnconfirmed }: Contention,
): PermitDecision {
  const { breaker } = state;
  const pace = paceOf(state, setting, nowMs);
  // A refused key is about the card lookup; the report is another endpoint.
  const isUnaffected = lane === 'report' && breaker.reason === 'key';
  const refused = isUnaffected ? undefined : refusal(state, lane, pace, nowMs);
  if (refused) return refused;
  const isUnsure = isUnconfirmed && setting.plan === 'auto';
  if (isRestTaken(state, underWay, nowMs) || (isUnsure && underWay >= FREE_BURST))
    return { kind: 'wait', untilMs: nowMs + pace.intervalMs };

  const heldBackMs = lane === 'renewals' ? keepingMs(Math.floor(pace.capacity / 2), pace) : 0;
  return {
    kind: 'token',
    permit: { probe: breaker.state !== 'closed' && !isUnaffected, afterFailure: state.lastFailure },
    pace,
    heldBackMs,
    // A pause leaves the bucket empty; its probe needs no token, and leaves none.
    free: breaker.reason === 'pause' && lane === 'members',
  };
}

/** A permit, or when to ask again; and the state after that. */
export function acquirePermit(
  state: LimiterState,
  lane: PermitLane,
  setting: PlanSetting,
  nowMs: number,
  contention: Contention,
): { state: LimiterState; acquired: Acquired } {
  const decision = decidePermit(state, lane, setting, nowMs, contention);
  if (decision.kind !== 'token') return { state, acquired: decision };

  const { permit, pace, heldBackMs, free } = decision;
  const spentMs = takeToken(state.fullAtMs, nowMs, pace, heldBackMs) ?? (free ? emptyBucket(nowMs, pace) : undefined);
  if (spentMs !== undefined) {
    const probed = permit.probe ? withProbe(state, true) : state;
    return { state: { ...probed, fullAtMs: spentMs }, acquired: { kind: 'permit', permit } };
  }
  // Bounded: after a clock was set back the bucket would otherwise stay empty until the clock has caught up.
  const boundedMs = noEmptierThanEmpty(state.fullAtMs, nowMs, pace);
  const untilMs = tokenAtMs(boundedMs, nowMs, pace, heldBackMs);
  return { state: { ...state, fullAtMs: boundedMs }, acquired: { kind: 'wait', untilMs } };
}

/** The state after a request has ended. */
export function releasePermit(
  state: LimiterState,
  permit: Permit,
  outcome: RequestOutcome,
  setting: PlanSetting,
  circumstances: Omit<Circumstances, 'quota'>,
): LimiterState {
  const { nowMs } = circumstances;
  const breaker =
    isKnownFailure(state, permit, outcome) && !statesOutage(outcome)
      ? state.breaker
      : afterRequest(state.breaker, outcome, permit.probe, { ...circumstances, quota: state.quota });
  const quota = currentQuota(state.quota, nowMs);
  const isPauseNew = breaker.reason === 'pause' && breaker.untilMs !== state.breaker.untilMs;
  const isUnforeseen = isPauseNew && state.breaker.state === 'closed' && isOfBurst(outcome) && quota?.remaining !== 0;
  const isFailure = outcome.kind === 'serviceDown' && breaker !== state.breaker;
  const wasOpenForDay = state.breaker.reason === 'day';
  const after: LimiterState = {
    ...state,
    breaker,
    openedUnder: breaker.reason !== 'day' ? undefined : wasOpenForDay ? state.openedUnder : settingKey(setting),
    lastFailure: state.lastFailure + (isFailure ? 1 : 0),
    learnedBurst: isUnforeseen
      ? learnBurst(planPace(setting, quota?.limit, reportedPlan(state)), state.learnedBurst, quota?.resetsAtMs, nowMs)
      : state.learnedBurst,
  };
  return isPauseNew ? { ...after, fullAtMs: emptyBucket(breaker.untilMs, paceOf(after, setting, nowMs)) } : after;
}

/** The day may have become larger, and a member who wants the report asks exactly that. */
function mayProbeEarly({ reason }: Breaker, lane: PermitLane): boolean {
  return lane === 'report' && reason === 'day';
}

/**
 * The requests under way may take all that remains. It is unknown which of them the service has counted already, so none
 * is taken as counted; with nothing under way one more may always leave, and its answer tells.
 */
function isRestTaken({ quota }: LimiterState, underWay: number, nowMs: number): boolean {
  return underWay > 0 && underWay >= (currentQuota(quota, nowMs)?.remaining ?? Number.POSITIVE_INFINITY);
}

function refusal(
  { breaker, quota }: LimiterState,
  lane: PermitLane,
  pace: Pace,
  nowMs: number,
): Exclude<Acquired, { kind: 'permit' }> | undefined {
  const { state, reason, untilMs } = breaker;
  if (state === 'open' && mayProbeEarly(breaker, lane)) return undefined;
  if (reason === 'pause' && untilMs > nowMs) return { kind: 'wait', untilMs };
  if (reason && untilMs > nowMs) return { kind: 'blocked', reason, untilMs };
  if (state === 'halfOpen' || (lane === 'report' && state !== 'closed'))
    return { kind: 'wait', untilMs: nowMs + pace.intervalMs };
  const reservedUntilMs = reserveUntilMs(currentQuota(quota, nowMs), nowMs);
  if (lane === 'renewals' && reservedUntilMs !== undefined) {
    return { kind: 'blocked', reason: 'reserve', untilMs: reservedUntilMs };
  }
  return undefined;
}

/** Many connections that break at once are one failure of the service, however many requests were under way. */
function isKnownFailure({ lastFailure }: LimiterState, permit: Permit, { kind }: RequestOutcome): boolean {
  return kind === 'serviceDown' && !permit.probe && permit.afterFailure < lastFailure;
}

/** A request that came too fast is allowed again within a minute, whatever the algorithm; a longer wait is about more. */
function isOfBurst(outcome: RequestOutcome): boolean {
  return outcome.kind === 'rateLimited' && (outcome.statedMs ?? 0) <= 60_000;
}

/** How well the difference between two clocks is known. */
const SAME_TIME_MS = 100;

/** When permits are expected at that pace. @param longestWaitMs a longer pause blocks, and is not sat out */
export function scheduleOf(state: LimiterState, setting: PlanSetting, longestWaitMs: number, nowMs: number): Schedule {
  const { reason, untilMs } = state.breaker;
  const pace = paceOf(state, setting, nowMs);
  const isSatOut = reason === 'pause' && untilMs - nowMs <= longestWaitMs;
  const pausedUntilMs = Math.max(nowMs, reason === 'pause' ? untilMs : 0);
  return {
    breaker: state.breaker,
    paused: reason === 'pause' && untilMs > nowMs,
    blocked: reason && untilMs > nowMs && !isSatOut ? { reason, untilMs } : undefined,
    reservedUntilMs: reserveUntilMs(currentQuota(state.quota, nowMs), nowMs),
    permitAtMs: (position) => {
      if (reason === 'pause') return pausedUntilMs + (position - 1) * pace.intervalMs;
      const firstMs = tokenAtMs(Math.max(state.fullAtMs, nowMs), nowMs, pace);
      return Math.max(nowMs, firstMs + (position - 1) * pace.intervalMs);
    },
  };
}

/** Whether both give permits at the same times, the bucket apart. */
export function sameSchedule(a: LimiterState, b: LimiterState): boolean {
  return (
    a.breaker.state === b.breaker.state &&
    a.breaker.reason === b.breaker.reason &&
    Math.abs(a.breaker.untilMs - b.breaker.untilMs) <= SAME_TIME_MS &&
    reportedPlan(a) === reportedPlan(b) &&
    a.quota?.limit === b.quota?.limit &&
    a.learnedBurst?.capacity === b.learnedBurst?.capacity
  );
}
