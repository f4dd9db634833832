import type { PlanSetting } from '../model/plan.ts';
import type { Breaker } from '../model/quota.ts';
import type { Acquired, Permit, PermitLane } from './limiter.ts';
import { type LimiterState, paceOf, withProbe } from './limiter-state.ts';
import { planPace } from './pace.ts';
import { currentQuota } from './quota.ts';
import { reserveUntilMs } from './reserve.ts';
import { emptyBucket, keepingMs, noEmptierThanEmpty, type Pace, takeToken, tokenAtMs } from './token-bucket.ts';

/** What stands between a question and its request. */
export type PermitDecision =
  | Exclude<Acquired, { kind: 'permit' }>
  /** One token of the bucket. `free`: none is needed, the bucket is left empty. */
  | { kind: 'token'; permit: Permit; pace: Pace; heldBackMs: number; free: boolean };

/** What is to be reckoned with besides what is known of the service. */
export interface Contention {
  /** Tokens are left for others until they have lain there for so long. */
  politeMs: number;
  /** Requests that have left and have not ended. */
  underWay: number;
  /** This process has heard no answer yet: what is known of the plan may be of another one. */
  isUnheard: boolean;
}

/** What any plan takes at once. */
const FREE_BURST = planPace({ plan: 'free' }, undefined).capacity;

/** Whether a request may leave once there is a token for it. */
export function decidePermit(
  state: LimiterState,
  lane: PermitLane,
  setting: PlanSetting,
  nowMs: number,
  { politeMs, underWay, isUnheard }: Contention,
): PermitDecision {
  const { breaker } = state;
  const pace = paceOf(state, setting, nowMs);
  // A refused key is a matter of the card lookup; the report is another endpoint.
  const elsewhere = lane === 'report' && breaker.reason === 'key';
  const refused = elsewhere ? undefined : refusal(state, lane, pace, nowMs);
  if (refused) return refused;
  const isUnsure = isUnheard && setting.plan === 'auto';
  if (isRestTaken(state, underWay, nowMs) || (isUnsure && underWay >= FREE_BURST))
    return { kind: 'wait', untilMs: nowMs + pace.intervalMs };

  const probe = breaker.state !== 'closed' && !elsewhere;
  const keptMs = lane === 'renewals' ? keepingMs(Math.floor(pace.capacity / 2), pace) : 0;
  // A pause leaves the bucket empty; its probe needs no token, and leaves none.
  const free = breaker.reason === 'pause' && lane === 'members';
  return {
    kind: 'token',
    permit: { probe, afterFailure: state.lastFailure },
    pace,
    heldBackMs: keptMs + politeMs,
    free,
  };
}

/** Leave to send one request, or when to ask again; and the state after that. */
export function acquirePermit(
  state: LimiterState,
  lane: PermitLane,
  setting: PlanSetting,
  nowMs: number,
  contention: Contention,
): { state: LimiterState; got: Acquired } {
  const permitted = decidePermit(state, lane, setting, nowMs, contention);
  if (permitted.kind !== 'token') return { state, got: permitted };

  const { permit, pace, heldBackMs, free } = permitted;
  const spentMs = takeToken(state.fullAtMs, nowMs, pace, heldBackMs) ?? (free ? emptyBucket(nowMs, pace) : undefined);
  if (spentMs !== undefined) {
    return { state: { ...launched(state, permit), fullAtMs: spentMs }, got: { kind: 'permit', permit } };
  }
  // Kept bounded: after a clock was set back the bucket would else stay empty until the clock has caught up.
  const boundedMs = noEmptierThanEmpty(state.fullAtMs, nowMs, pace);
  const untilMs = tokenAtMs(boundedMs, nowMs, pace, heldBackMs);
  return { state: { ...state, fullAtMs: boundedMs }, got: { kind: 'wait', untilMs } };
}

/** A request leaves. */
export function launched(state: LimiterState, { probe }: Pick<Permit, 'probe'>): LimiterState {
  return probe ? withProbe(state, true) : state;
}

/** The probe of an open breaker may leave now. */
export function isProbeDue({ breaker }: LimiterState, lane: PermitLane, nowMs: number): boolean {
  return breaker.state === 'open' && (breaker.untilMs <= nowMs || mayProbeEarly(breaker, lane));
}

/** A day may have got larger meanwhile, and who asks for a report wants to know. */
function mayProbeEarly({ reason }: Breaker, lane: PermitLane): boolean {
  return lane === 'report' && reason === 'day';
}

/**
 * What is under way may take all that remains. Whether the service has counted some of it already nobody can tell, so
 * none counts as counted; with nothing under way one more may always leave, and its answer tells.
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
