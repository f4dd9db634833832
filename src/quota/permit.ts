import type { RequestOutcome } from '../model/errors.ts';
import type { Pace } from '../model/plan.ts';
import { PLAN_LIMITS, type PlanSetting } from '../model/plan.ts';
import type { Breaker, QuotaState } from '../model/quota.ts';
import { afterRequest, type Circumstances, isSatOut, statesOutage } from './circuit-breaker.ts';
import { currentQuota, reserveUntilMs } from './day-quota.ts';
import { countedAfter, countsAsFailure } from './failures.ts';
import { type Learned, mostOfRefill, NOTHING_LEARNED, refusedWeighMs, sharedOut, windowSlotsMs } from './learned.ts';
import { learnFrom } from './learning.ts';
import type { Acquired, Permit, PermitLane } from './limiter-port.ts';
import { type LimiterState, settingKey, withProbe } from './limiter-state.ts';
import { afterOurRequest } from './outside-spending.ts';
import { afterToken, boundedFullAtMs, emptyBucket, keepingMs, paceOf, plannedPace, tokenAtMs } from './pace.ts';

/** A token of the bucket, with which a request may leave. */
export interface WantedToken {
  kind: 'token';
  permit: Permit;
  lane: PermitLane;
  pace: Pace;
  /** Only one that has been in the bucket for this long; `undefined`: one that is still to come will do, too. */
  heldBackMs: number | undefined;
  /** Requests under way of all processes, this one included. */
  mostUnderWay: number;
}

/** What a request needs before it may leave. */
export type PermitDecision = Exclude<Acquired, { kind: 'permit' }> | WantedToken;

/** `wasFull`: our bucket or the service's was. `changed`: the state is another one by now, so it has to be decided again. */
export type Taken = { kind: 'taken'; wasFull: boolean } | { kind: 'wait'; untilMs: number } | { kind: 'changed' };

/** What else the decision depends on. */
export interface Contention {
  /** Requests that have left and have not ended. */
  underWay: number;
  /** This process has had no answer yet, so that what is known of the plan may be about another one. */
  isUnconfirmed: boolean;
}

/** Any plan allows as many requests at once. */
const FREE_BURST = PLAN_LIMITS.free.burst - 1;

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
  const inFlight = Math.min(learned.inFlight, mostInDoubt(breaker));
  const most = Math.min(inFlight, isUnsure ? FREE_BURST : inFlight, mostOfRefill(state.learned, nowMs));
  const isFull = underWay >= most || isRestTaken(state, underWay, nowMs);
  if (isFull) return { kind: 'wait', untilMs: nowMs + pace.intervalMs };
  const slotsMs = windowSlotsMs(learned, underWay, nowMs);
  const slotMs = slotsMs[leftFree(lane, slotsMs.length)] ?? nowMs;
  if (slotMs > nowMs) return { kind: 'wait', untilMs: slotMs };

  const freeSlots = slotsMs.filter((atMs) => atMs <= nowMs).length;
  return {
    kind: 'token',
    lane,
    permit: {
      probe: breaker.state !== 'closed' && !isUnaffected,
      leftAtMs: nowMs,
      ...(lane === 'watches' && { isForWatches: true }),
    },
    pace,
    heldBackMs: slotsMs.length > 0 ? undefined : heldBackMs(breaker, lane, pace), // a window alone counts
    mostUnderWay: Math.min(most, slotsMs.length > 0 ? underWay + freeSlots : most),
  };
}

/** After a failure no more requests are under way than before the first answer, until there is one. */
function mostInDoubt({ state, failures }: Breaker): number {
  return state === 'closed' && failures > 0 ? NOTHING_LEARNED.inFlight : Number.POSITIVE_INFINITY;
}

/** How many of so many tokens or places a lane leaves to members. For watches the bucket has to be full: it refills as fast. */
function leftFree(lane: PermitLane, capacity: number): number {
  if (lane === 'watches') return Math.max(0, capacity - 1);
  return lane === 'renewals' ? Math.floor(capacity / 2) : 0;
}

/** A pause leaves the bucket empty; its probe needs no token, and leaves none. */
function heldBackMs({ reason }: Breaker, lane: PermitLane, pace: Pace): number | undefined {
  if (reason === 'pause' && lane === 'members') return undefined;
  return keepingMs(leftFree(lane, pace.capacity), pace);
}

/** The state after a token was taken, unless there is none yet. */
export function spendToken(
  state: LimiterState,
  { permit, pace, heldBackMs }: WantedToken,
  nowMs: number,
): { state: LimiterState; taken: Taken } {
  // Bounded: after a clock was set back the bucket would otherwise stay empty until the clock has caught up.
  const fullAtMs = boundedFullAtMs(state.fullAtMs, nowMs, pace);
  const untilMs = heldBackMs === undefined ? nowMs : tokenAtMs(fullAtMs, nowMs, pace, heldBackMs);
  if (untilMs > nowMs) return { state: { ...state, fullAtMs }, taken: { kind: 'wait', untilMs } };
  const probed = permit.probe ? withProbe(state, true) : state;
  // After a pause the service's bucket may be full.
  const wasFull = permit.probe || state.fullAtMs <= nowMs;
  return { state: { ...probed, fullAtMs: afterToken(fullAtMs, nowMs, pace) }, taken: { kind: 'taken', wasFull } };
}

/** The state after a request has ended. */
export function releasePermit(
  state: LimiterState,
  permit: Permit,
  outcome: RequestOutcome,
  setting: PlanSetting,
  circumstances: Omit<Circumstances, 'quota' | 'leftAtMs'> & { underWay: number },
): LimiterState {
  const { nowMs, underWay } = circumstances;
  const quota = currentQuota(state.quota, nowMs);
  const isOfPace = quota?.remaining !== 0;
  const planned = plannedPace(state, setting);
  const { probe: isProbe, leftAtMs } = permit;
  const request = { leftAtMs, nowMs, outcome, underWay, planned, isOfPace, isProbe };
  const learned = learnFrom(state.learned, request);
  const news = newsOf(state, permit, isOfPace ? withSilence(outcome, state.learned, learned, nowMs) : outcome);
  const breaker = afterRequest(state.breaker, news, isProbe, { ...circumstances, leftAtMs, quota: state.quota });
  const isPauseNew = breaker.reason === 'pause' && breaker.untilMs !== state.breaker.untilMs;
  const hasCounted = news.kind === 'serviceDown' && breaker !== state.breaker;
  const wasOpenForDay = state.breaker.reason === 'day';
  const after: LimiterState = {
    ...state,
    quota: permit.isForWatches ? withOneForWatches(quota) : state.quota,
    breaker,
    openedUnder: breaker.reason !== 'day' ? undefined : wasOpenForDay ? state.openedUnder : settingKey(setting),
    counted: countedAfter(state.counted, outcome, hasCounted, nowMs),
    learned,
    outside: afterOurRequest(state.outside, quota, {
      leftAtMs,
      cards: outcome.cards,
      underWay,
      isIsolated: setting.processes !== undefined,
    }),
  };
  return isPauseNew ? { ...after, fullAtMs: emptyBucket(breaker.untilMs, paceOf(after, setting)) } : after;
}

function withOneForWatches(quota: QuotaState | undefined): QuotaState | undefined {
  return quota && { ...quota, forWatches: (quota.forWatches ?? 0) + 1 };
}

/**
 * A service need not state for how long the requests that it has refused hold others back. Nor do those that were given up
 * because it delays: their timeout is no failure, but asks for silence like a 429.
 */
function withSilence(outcome: RequestOutcome, before: Learned, learned: Learned, nowMs: number): RequestOutcome {
  if (learned.heldUntilMs > Math.max(before.heldUntilMs, nowMs))
    return { ...outcome, kind: 'rateLimited', statedMs: learned.heldUntilMs - nowMs };
  const silenceMs = refusedWeighMs(learned, nowMs);
  if (outcome.kind !== 'rateLimited' || silenceMs === 0) return outcome;
  return { ...outcome, statedMs: Math.max(silenceMs, outcome.statedMs ?? 0) };
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
  // The day may have become larger, and a member who wants the report asks exactly that.
  if (state === 'open' && reason === 'day' && lane === 'report') return undefined;
  if (untilMs > nowMs && isSatOut(breaker)) return { kind: 'wait', untilMs };
  if (reason && untilMs > nowMs) return { kind: 'blocked', reason, untilMs };
  if (state === 'halfOpen' || ((lane === 'report' || lane === 'watches') && state !== 'closed'))
    return { kind: 'wait', untilMs: nowMs + pace.intervalMs };
  const reservedUntilMs = reserveUntilMs(currentQuota(quota, nowMs), nowMs);
  if (lane !== 'members' && lane !== 'report' && reservedUntilMs !== undefined) {
    return { kind: 'blocked', reason: 'reserve', untilMs: reservedUntilMs };
  }
  return undefined;
}

/** What an outcome says of the service: nothing more, if it is a failure that was known. */
function newsOf({ breaker, counted }: LimiterState, { leftAtMs }: Permit, outcome: RequestOutcome): RequestOutcome {
  const isNews =
    outcome.kind !== 'serviceDown' || statesOutage(outcome) || countsAsFailure(breaker, counted, outcome, leftAtMs);
  return isNews ? outcome : { ...outcome, kind: 'abandoned' };
}
