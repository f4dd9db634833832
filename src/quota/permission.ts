import type { Gate } from './gate.ts';
import { type PlanSetting, planPace } from './pace.ts';
import type { Turn, TurnLane, TurnOrWait } from './pacer.ts';
import { type PacingState, paceOf, withProbing } from './pacing.ts';
import { currentQuota } from './quota.ts';
import { reserveUntilMs } from './reserve.ts';
import { emptyBucket, keepingMs, noEmptierThanEmpty, type Pace, takeToken, tokenAtMs } from './token-bucket.ts';

/** What stands between a question and its request. */
export type Permission =
  | Exclude<TurnOrWait, { kind: 'turn' }>
  /** One token of the bucket. `free`: none is needed, the bucket is left empty. */
  | { kind: 'token'; turn: Turn; pace: Pace; heldBackMs: number; free: boolean };

/** What is to be reckoned with besides what is known of the service. */
export interface Crowd {
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
export function permission(
  state: PacingState,
  lane: TurnLane,
  setting: PlanSetting,
  nowMs: number,
  { politeMs, underWay, isUnheard }: Crowd,
): Permission {
  const { gate } = state;
  const pace = paceOf(state, setting, nowMs);
  // A refused key is a matter of the card lookup; the report is another endpoint.
  const elsewhere = lane === 'report' && gate.why === 'key';
  const refused = elsewhere ? undefined : refusal(state, lane, pace, nowMs);
  if (refused) return refused;
  const isUnsure = isUnheard && setting.plan === 'auto';
  if (isRestTaken(state, underWay, nowMs) || (isUnsure && underWay >= FREE_BURST))
    return { kind: 'wait', untilMs: nowMs + pace.intervalMs };

  const probe = gate.why !== 'open' && !elsewhere;
  const keptMs = lane === 'background' ? keepingMs(Math.floor(pace.capacity / 2), pace) : 0;
  // A pause leaves the bucket empty; its probe needs no token, and leaves none.
  const free = gate.why === 'minute' && lane === 'members';
  return { kind: 'token', turn: { probe, afterFailure: state.lastFailure }, pace, heldBackMs: keptMs + politeMs, free };
}

/** Leave to send one request, or when to ask again; and the state after that. */
export function takeTurn(
  state: PacingState,
  lane: TurnLane,
  setting: PlanSetting,
  nowMs: number,
  crowd: Crowd,
): { state: PacingState; got: TurnOrWait } {
  const permitted = permission(state, lane, setting, nowMs, crowd);
  if (permitted.kind !== 'token') return { state, got: permitted };

  const { turn, pace, heldBackMs, free } = permitted;
  const spentMs = takeToken(state.fullAtMs, nowMs, pace, heldBackMs) ?? (free ? emptyBucket(nowMs, pace) : undefined);
  if (spentMs !== undefined) {
    return { state: { ...launched(state, turn), fullAtMs: spentMs }, got: { kind: 'turn', turn } };
  }
  // Kept bounded: after a clock was set back the bucket would else stay empty until the clock has caught up.
  const boundedMs = noEmptierThanEmpty(state.fullAtMs, nowMs, pace);
  const untilMs = tokenAtMs(boundedMs, nowMs, pace, heldBackMs);
  return { state: { ...state, fullAtMs: boundedMs }, got: { kind: 'wait', untilMs } };
}

/** A request leaves. */
export function launched(state: PacingState, { probe }: Pick<Turn, 'probe'>): PacingState {
  return probe ? withProbing(state, true) : state;
}

/** The probe of a closed gate may leave now. */
export function isProbeDue({ gate }: PacingState, lane: TurnLane, nowMs: number): boolean {
  return gate.why !== 'open' && (gate.untilMs <= nowMs || reopens(gate, lane)) && !gate.probing;
}

/** A day may have got larger meanwhile, and who asks for a report wants to know. */
function reopens({ why }: Gate, lane: TurnLane): boolean {
  return lane === 'report' && why === 'day';
}

/**
 * What is under way may take all that remains. Whether the service has counted some of it already nobody can tell, so
 * none counts as counted; with nothing under way one more may always leave, and its answer tells.
 */
function isRestTaken({ quota }: PacingState, underWay: number, nowMs: number): boolean {
  return underWay > 0 && underWay >= (currentQuota(quota, nowMs)?.remaining ?? Number.POSITIVE_INFINITY);
}

function refusal(
  { gate, quota }: PacingState,
  lane: TurnLane,
  pace: Pace,
  nowMs: number,
): Exclude<TurnOrWait, { kind: 'turn' }> | undefined {
  const { why, untilMs, probing } = gate;
  if (reopens(gate, lane) && !probing) return undefined;
  if (why === 'minute' && untilMs > nowMs) return { kind: 'wait', untilMs };
  if (why !== 'open' && why !== 'minute' && untilMs > nowMs) return { kind: 'closed', why, untilMs };
  if (probing || (lane === 'report' && why !== 'open')) return { kind: 'wait', untilMs: nowMs + pace.intervalMs };
  const reservedUntilMs = reserveUntilMs(currentQuota(quota, nowMs), nowMs);
  if (lane === 'background' && reservedUntilMs !== undefined) {
    return { kind: 'closed', why: 'reserve', untilMs: reservedUntilMs };
  }
  return undefined;
}
