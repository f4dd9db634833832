import type { PlanSetting } from '../model/plan.ts';
import type { Breaker } from '../model/quota.ts';
import { afterRequest, type Circumstances, type RequestOutcome, statesOutage } from './circuit-breaker.ts';
import { type Learned, mostOfRefill, refusedWeighMs, sharedOut, windowSlotsMs } from './learned.ts';
import { learnFrom } from './learning.ts';
import type { Acquired, Permit, PermitLane } from './limiter.ts';
import { type LimiterState, withProbe } from './limiter-state.ts';
import {
  emptyBucket,
  keepingMs,
  noEmptierThanEmpty,
  type Pace,
  paceOf,
  plannedPace,
  planPace,
  settingKey,
  takeToken,
  tokenAtMs,
} from './pace.ts';
import { currentQuota, reserveUntilMs } from './quota.ts';

/** What a request needs before it may leave. */
export type PermitDecision =
  | Exclude<Acquired, { kind: 'permit' }>
  /**
   * One token of the bucket that has been there for `heldBackMs`; less than 0: one that is still to come will do, too.
   * `mostUnderWay`: requests, this one included.
   */
  | { kind: 'token'; permit: Permit; pace: Pace; heldBackMs: number; mostUnderWay: number };

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
  const pace = paceOf(state, setting);
  // A refused key is about the card lookup; the report is another endpoint.
  const isUnaffected = lane === 'report' && breaker.reason === 'key';
  const refused = isUnaffected ? undefined : refusal(state, lane, pace, nowMs);
  if (refused) return refused;
  const learned = sharedOut(state.learned, setting.processes ?? 1);
  const isUnsure = isUnconfirmed && setting.plan === 'auto';
  const most = Math.min(learned.inFlight, isUnsure ? FREE_BURST : learned.inFlight, mostOfRefill(state.learned, nowMs));
  const isFull = underWay >= most || isRestTaken(state, underWay, nowMs);
  if (isFull) return { kind: 'wait', untilMs: nowMs + pace.intervalMs };
  const slotsMs = windowSlotsMs(learned, underWay, nowMs);
  const slotMs = slotsMs[lane === 'renewals' ? Math.floor(slotsMs.length / 2) : 0] ?? nowMs;
  if (slotMs > nowMs) return { kind: 'wait', untilMs: slotMs };

  const freeSlots = slotsMs.filter((atMs) => atMs <= nowMs).length;
  return {
    kind: 'token',
    permit: { probe: breaker.state !== 'closed' && !isUnaffected, afterFailure: state.lastFailure, leftAtMs: nowMs },
    pace,
    heldBackMs: slotsMs.length > 0 ? withoutTokenMs(pace) : heldBackMs(breaker, lane, pace),
    mostUnderWay: Math.min(most, slotsMs.length > 0 ? underWay + freeSlots : most),
  };
}

/** A pause leaves the bucket empty; its probe needs no token, and leaves none. */
function heldBackMs({ reason }: Breaker, lane: PermitLane, pace: Pace): number {
  if (lane === 'renewals') return keepingMs(Math.floor(pace.capacity / 2), pace);
  return reason === 'pause' && lane === 'members' ? withoutTokenMs(pace) : 0;
}

/** Any token that is still to come will do: within a window none is needed. */
function withoutTokenMs({ capacity, intervalMs }: Pace): number {
  return -capacity * intervalMs;
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

  const { permit, pace, heldBackMs } = decision;
  const spentMs = takeToken(state.fullAtMs, nowMs, pace, heldBackMs);
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
  circumstances: Omit<Circumstances, 'quota'> & { underWay: number },
): LimiterState {
  const { nowMs, underWay } = circumstances;
  const isOfPace = currentQuota(state.quota, nowMs)?.remaining !== 0;
  const planned = plannedPace(state, setting);
  const isProbe = permit.probe;
  const request = { leftAtMs: permit.leftAtMs, nowMs, outcome, underWay, planned, isOfPace, isProbe };
  const learned = learnFrom(state.learned, request);
  const breaker =
    isKnownFailure(state, permit, outcome) && !statesOutage(outcome)
      ? state.breaker
      : afterRequest(state.breaker, isOfPace ? withSilence(outcome, learned, nowMs) : outcome, isProbe, {
          ...circumstances,
          quota: state.quota,
        });
  const isPauseNew = breaker.reason === 'pause' && breaker.untilMs !== state.breaker.untilMs;
  const isFailure = outcome.kind === 'serviceDown' && breaker !== state.breaker;
  const wasOpenForDay = state.breaker.reason === 'day';
  const after: LimiterState = {
    ...state,
    breaker,
    openedUnder: breaker.reason !== 'day' ? undefined : wasOpenForDay ? state.openedUnder : settingKey(setting),
    lastFailure: state.lastFailure + (isFailure ? 1 : 0),
    learned,
  };
  // The service delays: what it holds back already leaves no token.
  const isSlower = after.learned.pace === state.learned.pace && after.learned.inFlight < state.learned.inFlight;
  if (!isPauseNew && !isSlower) return after;
  return { ...after, fullAtMs: emptyBucket(isPauseNew ? breaker.untilMs : nowMs, paceOf(after, setting)) };
}

/** A service need not state for how long the requests that it has refused hold others back. */
function withSilence(outcome: RequestOutcome, learned: Learned, nowMs: number): RequestOutcome {
  const silenceMs = refusedWeighMs(learned, nowMs);
  if (outcome.kind !== 'rateLimited' || silenceMs === 0) return outcome;
  return { ...outcome, statedMs: Math.max(silenceMs, outcome.statedMs ?? 0) };
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
