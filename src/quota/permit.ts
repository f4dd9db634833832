import type { RequestOutcome } from '../model/errors.ts';
import type { Pace, PlanSetting } from '../model/plan.ts';
import { type QuotaState, spentWindow, type WindowName, type WindowQuota } from '../model/quota.ts';
import { afterRequest, type Circumstances, statesOutage } from './circuit-breaker.ts';
import { currentQuota } from './day-quota.ts';
import { countedAfter, countsAsFailure } from './failures.ts';
import { type Learned, refusedWeighMs } from './learned.ts';
import { learnFrom, withEnded } from './learning.ts';
import type { Acquired, Permit, PermitLane } from './limiter-port.ts';
import { type LimiterState, settingKey, withProbe } from './limiter-state.ts';
import { afterToken, boundedFullAtMs, emptyBucket, paceOf, plannedPace, tokenAtMs } from './pace.ts';
import { afterRequests, isOfDay, leastOf, unstatedEndMs, windowsOf } from './windows.ts';

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
  // The clock may have been set back meanwhile: a request that leaves later would hold back all others until then.
  const leftAtMs = Math.min(permit.leftAtMs, nowMs);
  // An isolated process takes the others to spend as much: together they do not spend a window twice of which nothing is stated.
  const requests = countedIn(outcome) * (setting.processes ?? 1);
  const counted = { ...state, ...afterRequests(state, requests, leftAtMs, setting, nowMs) };
  const quota = currentQuota(counted.quota, nowMs);
  const least = spentOrLeast(counted, outcome.spentWindow, setting, nowMs);
  const isOfPace = currentQuota(least, nowMs)?.remaining !== 0;
  const planned = plannedPace(state, setting);
  const isProbe = permit.probe;
  const request = { leftAtMs, nowMs, outcome, underWay, planned, isOfPace, isProbe };
  const learned = learnFrom(state.learned, request);
  const news = newsOf(state, { leftAtMs }, isOfPace ? withSilence(outcome, state.learned, learned, nowMs) : outcome);
  const breaker = afterRequest(state.breaker, news, isProbe, {
    ...circumstances,
    leftAtMs,
    quota: least,
  });
  const isPauseNew = breaker.reason === 'pause' && breaker.untilMs !== state.breaker.untilMs;
  const hasCounted = news.kind === 'serviceDown' && breaker !== state.breaker;
  const wasSpent = spentWindow(state.breaker.reason) !== undefined;
  const after: LimiterState = {
    ...counted,
    ...(permit.isForWatches && { quota: withOneForWatches(quota) }),
    breaker,
    openedUnder: !spentWindow(breaker.reason) ? undefined : wasSpent ? state.openedUnder : settingKey(setting),
    counted: countedAfter(state.counted, outcome, hasCounted, nowMs),
    learned,
  };
  return isPauseNew ? { ...after, fullAtMs: emptyBucket(breaker.untilMs, paceOf(after, setting)) } : after;
}

/** The state when nobody will know how so many requests have ended: the service may have counted them in its windows. */
export function withLost(state: LimiterState, requests: number, setting: PlanSetting, nowMs: number): LimiterState {
  const { learned } = state;
  return {
    ...state,
    ...afterRequests(state, requests, Number.POSITIVE_INFINITY, setting, nowMs),
    ...(learned.window !== undefined && {
      learned: { ...learned, ended: withEnded(learned.ended, [requests, 0], nowMs) },
    }),
  };
}

/** The state after a start: a probe cannot outlive its process. That of a pause needs no token, but one that follows it does. */
export function withLostProbe(state: LimiterState, setting: PlanSetting, nowMs: number): LimiterState {
  const open = withProbe(state, false);
  const { breaker } = open;
  if (open === state || breaker.reason !== 'pause') return open;
  const untilMs = Math.max(breaker.untilMs, tokenAtMs(state.fullAtMs, nowMs, paceOf(state, setting)));
  return { ...open, breaker: { ...breaker, untilMs } };
}

/** How many requests the service has counted, as far as is known: one or none. */
export function countedIn({ kind, isCounted = kind === 'answered' }: RequestOutcome): number {
  return isCounted ? 1 : 0;
}

/** The window that a 429 has named, or the one that leaves least; the day as it was stated, though its reset may be past. */
function spentOrLeast(
  state: LimiterState,
  named: WindowName | undefined,
  setting: PlanSetting,
  nowMs: number,
): WindowQuota | undefined {
  const windows = windowsOf(state, setting, nowMs);
  if (!named) {
    const least = leastOf(windows);
    return !least || (isOfDay(least) && !least.isOurCount) ? state.quota : least;
  }
  const { resetsAtMs = unstatedEndMs(named, setting, nowMs) } = windows.find(({ per }) => per === named) ?? {};
  return { per: named, limit: undefined, remaining: 0, resetsAtMs, receivedAtMs: nowMs };
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

/** What an outcome says of the service: nothing more, if it is a failure that was known. */
function newsOf(
  { breaker, counted }: LimiterState,
  { leftAtMs }: Pick<Permit, 'leftAtMs'>,
  outcome: RequestOutcome,
): RequestOutcome {
  const isNews =
    outcome.kind !== 'serviceDown' || statesOutage(outcome) || countsAsFailure(breaker, counted, outcome, leftAtMs);
  return isNews ? outcome : { ...outcome, kind: 'abandoned' };
}
