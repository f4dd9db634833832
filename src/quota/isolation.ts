import type { PlanSetting } from '../model/plan.ts';
import type { Breaker } from '../model/quota.ts';
import type { Learned } from './learned.ts';
import { type LimiterState, underSetting } from './limiter-state.ts';
import { emptyBucket, noEmptierThanEmpty, type Pace, paceOf } from './pace.ts';
import { asReading, mergeReading } from './quota.ts';

/** What a process that cannot reach Redis goes on with. */
export interface IsolatedLimiter {
  /** The plan, divided by the processes last seen alive. */
  setting: PlanSetting;
  state: LimiterState;
}

export interface Isolation {
  setting: PlanSetting;
  /** Processes last seen alive, this one included. */
  processes: number;
  /** Whether this process has ever read the shared state. */
  hasJoined: boolean;
  nowMs: number;
}

/** This process's share of what was left. A process that never read the shared state gets one token and no burst. */
export function isolatedLimiter(
  state: LimiterState,
  { setting, processes, hasJoined, nowMs }: Isolation,
): IsolatedLimiter {
  const divided = { ...setting, processes };
  const share = paceOf(state, divided);
  const whole = paceOf(state, setting);
  const fullAtMs = hasJoined
    ? dividedFullAtMs(state.fullAtMs, { whole, share, processes, nowMs })
    : emptyBucket(nowMs, share) - share.intervalMs;
  return { setting: divided, state: { ...state, fullAtMs } };
}

/** When this process's bucket is full: each process gets the same number of the tokens that are left, rounded down. */
export function dividedFullAtMs(
  fullAtMs: number,
  { whole, share, processes, nowMs }: { whole: Pace; share: Pace; processes: number; nowMs: number },
): number {
  const missingMs = Math.max(0, noEmptierThanEmpty(fullAtMs, nowMs, whole) - nowMs);
  const left = Math.floor(whole.capacity - missingMs / whole.intervalMs);
  const tokens = Math.min(Math.floor(left / processes), share.capacity);
  return emptyBucket(nowMs, share) - tokens * share.intervalMs;
}

export interface Rejoining {
  /** Of all processes together. */
  setting: PlanSetting;
  /** Permits given while isolated. */
  spent: number;
  /** At the first time of a process: when the bucket is full if none is stored. */
  firstFullAtMs: number | undefined;
  /** Redis has lost what this process had joined, and with it how much was spent: no tokens are left. */
  isLost: boolean;
  nowMs: number;
}

/** The shared state after a process has joined: with what it knows, charged with what it spent alone. */
export function joinedState(
  shared: LimiterState | undefined,
  local: LimiterState,
  { setting, spent, firstFullAtMs, isLost, nowMs }: Rejoining,
): LimiterState {
  const both = rejoinedState(shared, local);
  const state = firstFullAtMs === undefined ? both : underSetting(both, setting);
  const pace = paceOf(state, setting);
  const keptMs = isLost ? undefined : (shared?.fullAtMs ?? firstFullAtMs);
  const fullAtMs = keptMs ?? emptyBucket(nowMs, pace);
  return { ...state, fullAtMs: Math.max(fullAtMs, nowMs) + spent * pace.intervalMs };
}

/**
 * The shared state after an isolated process has added what it knows: the longer of two pauses, the lower of two figures.
 *
 * @param shared `undefined` when nothing is stored: then what is known here becomes the shared state
 */
export function rejoinedState(shared: LimiterState | undefined, local: LimiterState): LimiterState {
  if (shared === undefined) return local;
  const isLonger = local.breaker.state !== 'closed' && local.breaker.untilMs > shared.breaker.untilMs;
  const { breaker, openedUnder } = isLonger || holdsItsProbe(shared.breaker, local.breaker) ? local : shared;
  const reported = local.plan === undefined ? shared : local;
  return {
    ...shared,
    breaker,
    openedUnder,
    lastFailure: Math.max(local.lastFailure, shared.lastFailure),
    quota: lowerQuota(shared.quota, local.quota),
    plan: reported.plan,
    planAtLimit: reported.planAtLimit,
    learned: bothLearned(shared.learned, local.learned),
    warned: (local.warned?.windowEndsMs ?? 0) > (shared.warned?.windowEndsMs ?? 0) ? local.warned : shared.warned,
  };
}

/** Another process that was isolated, too, cannot have known of the probe. */
function holdsItsProbe(shared: Breaker, local: Breaker): boolean {
  return local.state === 'halfOpen' && shared.state === 'open' && local.reason === shared.reason;
}

/** Merges the newer as if both answers had been under way together. */
function lowerQuota(shared: LimiterState['quota'], local: LimiterState['quota']): LimiterState['quota'] {
  if (shared === undefined || local === undefined) return shared ?? local;
  const [older, newer] = shared.receivedAtMs < local.receivedAtMs ? [shared, local] : [local, shared];
  return mergeReading(older, { ...asReading(newer), sentAtMs: older.receivedAtMs - 1 });
}

/** The slowest first. */
const REFILLS: readonly Learned['refill'][] = ['evenly', 'untried', 'atOnce'];

/** What two processes have learned apart from each other: of two limits the lower one. */
function bothLearned(a: Learned, b: Learned): Learned {
  if (a.pace !== b.pace) return a.servedAtMs < b.servedAtMs ? b : a;
  const lower = (one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY) => {
    const lowest = Math.min(one, other);
    return Number.isFinite(lowest) ? lowest : undefined;
  };
  // What both have of the time before they were isolated is the same.
  const ended = new Map(a.ended.map((of) => [of[0], of]));
  for (const [slice, served, refused] of b.ended) {
    const [, known, knownRefused] = ended.get(slice) ?? [slice, 0, 0];
    ended.set(slice, [slice, Math.max(served, known), Math.max(refused, knownRefused)]);
  }
  return {
    ...(a.servedAtMs < b.servedAtMs ? b : a),
    window: lower(a.window, b.window),
    refill: REFILLS.find((refill) => a.refill === refill || b.refill === refill) ?? 'untried',
    capacity: lower(a.capacity, b.capacity),
    inFlight: Math.min(a.inFlight, b.inFlight),
    isStarting: a.isStarting && b.isStarting,
    quietSinceMs: Math.max(a.quietSinceMs, b.quietSinceMs),
    ended: [...ended.values()].sort(([one], [other]) => one - other),
  };
}
