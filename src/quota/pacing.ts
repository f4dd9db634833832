import type { Plan } from '../plans.ts';
import type { QuotaReading, QuotaState } from '../quota-state.ts';
import { afterRequest, type Circumstances, type Gate, OPEN_GATE, type RequestOutcome, statesOutage } from './gate.ts';
import { type LearnedBurst, learnBurst, learntPace } from './learned-burst.ts';
import { limitOfNoPlan, type PlanSetting, partOf, planPace, settingKey } from './pace.ts';
import type { Turn } from './pacer.ts';
import { currentQuota, isOfDay, mergeReading } from './quota.ts';
import { addSample, type RemainingSample } from './rate-samples.ts';
import { emptyBucket, fullAtPace, type Pace } from './token-bucket.ts';
import { type Warned, warnedAfter } from './warnings.ts';

/** All that pacing knows, and a restart must not forget. */
export interface PacingState {
  /** When the token bucket is full again. */
  fullAtMs: number;
  gate: Gate;
  /** What the operator had set when the gate closed for the day, as `settingKey` writes it; else `undefined`. */
  closedUnder: string | undefined;
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

export type PacingChange = (state: PacingState) => PacingState;

/** A first start begins with a full bucket; a restart never does. */
export const FIRST_PACING: PacingState = {
  fullAtMs: 0,
  gate: OPEN_GATE,
  closedUnder: undefined,
  lastFailure: 0,
  quota: undefined,
  plan: undefined,
  planAtLimit: undefined,
  learnedBurst: undefined,
  warned: undefined,
  samples: [],
};

/** With a probe under way, or without. */
export function withProbing(state: PacingState, probing: boolean): PacingState {
  return state.gate.probing === probing ? state : { ...state, gate: { ...state.gate, probing } };
}

/** After a request ended. */
export function settleTurn(
  state: PacingState,
  turn: Turn,
  outcome: RequestOutcome,
  setting: PlanSetting,
  circumstances: Omit<Circumstances, 'quota'>,
): PacingState {
  const { nowMs } = circumstances;
  const now = { ...circumstances, quota: state.quota };
  const gate =
    isKnownFailure(state, turn, outcome) && !statesOutage(outcome)
      ? state.gate
      : afterRequest(state.gate, outcome, turn.probe, now);
  const quota = currentQuota(state.quota, nowMs);
  const paused = gate.why === 'minute' && gate.untilMs !== state.gate.untilMs;
  const unforeseen = paused && state.gate.why === 'open' && isOfBurst(outcome) && quota?.remaining !== 0;
  const learnedBurst = unforeseen
    ? learnBurst(planPace(setting, quota?.limit, reportedPlan(state)), state.learnedBurst, quota?.resetsAtMs, nowMs)
    : state.learnedBurst;
  const lastFailure = outcome.kind === 'down' && gate !== state.gate ? state.lastFailure + 1 : state.lastFailure;
  const closedUnder =
    gate.why === 'day' ? (state.gate.why === 'day' ? state.closedUnder : settingKey(setting)) : undefined;
  const after = { ...state, gate, closedUnder, lastFailure, learnedBurst };
  return paused ? { ...after, fullAtMs: emptyBucket(gate.untilMs, paceOf(after, setting, nowMs)) } : after;
}

/**
 * At a start: a day that was closed under another plan, rate or burst (or by a version that did not note them) may have got
 * larger, so that its probe is due.
 */
export function underSetting(state: PacingState, setting: PlanSetting): PacingState {
  const { gate, closedUnder } = state;
  if (gate.why !== 'day' || closedUnder === settingKey(setting)) return state;
  return { ...state, gate: { ...gate, untilMs: gate.sinceMs } };
}

/** What breaks many connections at once is one failure of the service, however many requests were under way. */
function isKnownFailure(
  { lastFailure }: PacingState,
  { probe, afterFailure }: Turn,
  { kind }: RequestOutcome,
): boolean {
  return kind === 'down' && !probe && afterFailure < lastFailure;
}

/** Who came too fast is let in again within a minute, whatever the algorithm; a longer wait is about something else. */
function isOfBurst(outcome: RequestOutcome): boolean {
  return outcome.kind === 'rate limited' && (outcome.statedMs ?? 0) <= 60_000;
}

/** After the rate-limit headers of a response. Those of another window than the day's teach nothing of the day. */
export function hearReading(state: PacingState, reading: QuotaReading, nowMs: number): PacingState {
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
export function paceOf(state: PacingState, setting: PlanSetting, nowMs: number): Pace {
  const planned = planPace(setting, state.quota?.limit, reportedPlan(state));
  return partOf(learntPace(planned, state.learnedBurst, nowMs), setting.processes ?? 1);
}

/** When the bucket is full after other headers: what was missing takes longer at a slower pace. */
export function fullAtMsAfter(before: PacingState, heard: PacingState, setting: PlanSetting, nowMs: number): number {
  return fullAtPace(before.fullAtMs, nowMs, paceOf(before, setting, nowMs), paceOf(heard, setting, nowMs));
}

/** The daily limit of no known plan, of which the operator has to be told; `undefined` when there is nothing to tell. */
export function unknownLimit(state: PacingState, setting: PlanSetting): number | undefined {
  return limitOfNoPlan(setting, state.quota?.limit, reportedPlan(state));
}

/** After a usage report. */
export function hearReportedPlan(state: PacingState, plan: Plan): PacingState {
  return { ...state, plan, planAtLimit: state.quota?.limit };
}

/** The plan of the last usage report, as long as the headers say the same daily limit as they did then. */
export function reportedPlan({ quota, plan, planAtLimit }: PacingState): Plan | undefined {
  return planAtLimit === quota?.limit ? plan : undefined;
}
