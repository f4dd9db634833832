import type { Plan, PlanSetting } from '../model/plan.ts';
import { type Breaker, CLOSED_BREAKER, type QuotaReading, type QuotaState } from '../model/quota.ts';
import { afterRequest, type Circumstances, type RequestOutcome, statesOutage } from './circuit-breaker.ts';
import { type LearnedBurst, learnBurst, learntPace } from './learned-burst.ts';
import type { Permit } from './limiter.ts';
import { limitOfNoPlan, partOf, planPace, settingKey } from './pace.ts';
import { currentQuota, isOfDay, mergeReading } from './quota.ts';
import { type Warned, warnedAfter } from './quota-warnings.ts';
import { addSample, type RemainingSample } from './rate-samples.ts';
import { emptyBucket, fullAtPace, type Pace } from './token-bucket.ts';

/** All that pacing knows, and a restart must not forget. */
export interface LimiterState {
  /** When the token bucket is full again. */
  fullAtMs: number;
  breaker: Breaker;
  /** What the operator had set when the breaker opened for the day, as `settingKey` writes it; else `undefined`. */
  openedUnder: string | undefined;
  /** Numbers the failures that were no part of an earlier one: of requests that left when that was known. */
  lastFailure: number;
  quota: QuotaState | undefined;
  /** As a usage report last named it. */
  plan: Plan | undefined;
  /** The daily limit in the headers when that report came; with another one the headers win. */
  planAtLimit: number | undefined;
  /** What 429s taught about the burst. */
  learnedBurst: LearnedBurst | undefined;
  /** How far the operator was warned. */
  warned: Warned | undefined;
  /** What remained over the last hour. */
  samples: readonly RemainingSample[];
}

export type LimiterChange = (state: LimiterState) => LimiterState;

/** A first start begins with a full bucket; a restart never does. */
export const INITIAL_LIMITER_STATE: LimiterState = {
  fullAtMs: 0,
  breaker: CLOSED_BREAKER,
  openedUnder: undefined,
  lastFailure: 0,
  quota: undefined,
  plan: undefined,
  planAtLimit: undefined,
  learnedBurst: undefined,
  warned: undefined,
  samples: [],
};

/** With a probe under way, or without. */
export function withProbe(state: LimiterState, isUnderWay: boolean): LimiterState {
  const { breaker } = state;
  const probed = isUnderWay ? 'halfOpen' : 'open';
  return breaker.state === 'closed' || breaker.state === probed
    ? state
    : { ...state, breaker: { ...breaker, state: probed } };
}

/** After a request ended. */
export function releasePermit(
  state: LimiterState,
  permit: Permit,
  outcome: RequestOutcome,
  setting: PlanSetting,
  circumstances: Omit<Circumstances, 'quota'>,
): LimiterState {
  const { nowMs } = circumstances;
  const now = { ...circumstances, quota: state.quota };
  const breaker =
    isKnownFailure(state, permit, outcome) && !statesOutage(outcome)
      ? state.breaker
      : afterRequest(state.breaker, outcome, permit.probe, now);
  const quota = currentQuota(state.quota, nowMs);
  const paused = breaker.reason === 'pause' && breaker.untilMs !== state.breaker.untilMs;
  const unforeseen = paused && state.breaker.state === 'closed' && isOfBurst(outcome) && quota?.remaining !== 0;
  const learnedBurst = unforeseen
    ? learnBurst(planPace(setting, quota?.limit, reportedPlan(state)), state.learnedBurst, quota?.resetsAtMs, nowMs)
    : state.learnedBurst;
  const lastFailure =
    outcome.kind === 'serviceDown' && breaker !== state.breaker ? state.lastFailure + 1 : state.lastFailure;
  const openedUnder =
    breaker.reason === 'day' ? (state.breaker.reason === 'day' ? state.openedUnder : settingKey(setting)) : undefined;
  const after = { ...state, breaker, openedUnder, lastFailure, learnedBurst };
  return paused ? { ...after, fullAtMs: emptyBucket(breaker.untilMs, paceOf(after, setting, nowMs)) } : after;
}

/**
 * At a start: a day that was closed under another plan, rate or burst (or by a version that did not note them) may have got
 * larger, so that its probe is due.
 */
export function underSetting(state: LimiterState, setting: PlanSetting): LimiterState {
  const { breaker, openedUnder } = state;
  if (breaker.reason !== 'day' || openedUnder === settingKey(setting)) return state;
  return { ...state, breaker: { ...breaker, untilMs: breaker.sinceMs } };
}

/** What breaks many connections at once is one failure of the service, however many requests were under way. */
function isKnownFailure(
  { lastFailure }: LimiterState,
  { probe, afterFailure }: Permit,
  { kind }: RequestOutcome,
): boolean {
  return kind === 'serviceDown' && !probe && afterFailure < lastFailure;
}

/** Who came too fast is let in again within a minute, whatever the algorithm; a longer wait is about something else. */
function isOfBurst(outcome: RequestOutcome): boolean {
  return outcome.kind === 'rateLimited' && (outcome.statedMs ?? 0) <= 60_000;
}

/** After the rate-limit headers of a response. Those of another window than the day's teach nothing of the day. */
export function observeReading(state: LimiterState, reading: QuotaReading, nowMs: number): LimiterState {
  const known = currentQuota(state.quota, nowMs);
  if (!isOfDay(known, reading)) return known === state.quota ? state : { ...state, quota: known };
  const quota = mergeReading(known, reading);
  return {
    ...state,
    quota,
    warned: warnedAfter(state.warned, quota, nowMs),
    samples: addSample(state.samples, quota, nowMs),
  };
}

/** What was learnt is of the whole plan, so it is divided last. */
export function paceOf(state: LimiterState, setting: PlanSetting, nowMs: number): Pace {
  const planned = planPace(setting, state.quota?.limit, reportedPlan(state));
  return partOf(learntPace(planned, state.learnedBurst, nowMs), setting.processes ?? 1);
}

/** When the bucket is full after other headers: what was missing takes longer at a slower pace. */
export function fullAtMsAfter(before: LimiterState, heard: LimiterState, setting: PlanSetting, nowMs: number): number {
  return fullAtPace(before.fullAtMs, nowMs, paceOf(before, setting, nowMs), paceOf(heard, setting, nowMs));
}

/** The daily limit of no known plan, of which the operator has to be told; `undefined` when there is nothing to tell. */
export function unknownLimit(state: LimiterState, setting: PlanSetting): number | undefined {
  return limitOfNoPlan(setting, state.quota?.limit, reportedPlan(state));
}

/** After a usage report. */
export function observeReportedPlan(state: LimiterState, plan: Plan): LimiterState {
  return { ...state, plan, planAtLimit: state.quota?.limit };
}

/** The plan of the last usage report, as long as the headers say the same daily limit as they did then. */
export function reportedPlan({ quota, plan, planAtLimit }: LimiterState): Plan | undefined {
  return planAtLimit === quota?.limit ? plan : undefined;
}
