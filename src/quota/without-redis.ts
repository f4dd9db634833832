import type { PlanSetting } from '../model/plan.ts';
import { type LimiterState, underSetting } from './limiter-state.ts';
import { boundedFullAtMs, emptyBucket, paceOf } from './pace.ts';
import { joinedWindows } from './windows.ts';

/**
 * When the bucket of a process that cannot reach Redis is full: each process gets the same number of the tokens that are
 * left, rounded down.
 *
 * @param share the plan, divided by the processes last seen alive
 * @param hasJoined a process that never read the shared state gets one token and no burst
 */
export function isolatedFullAtMs(state: LimiterState, share: PlanSetting, hasJoined: boolean, nowMs: number): number {
  const { processes = 1 } = share;
  const whole = paceOf(state, { ...share, processes: 1 });
  const { intervalMs, capacity } = paceOf(state, share);
  const missingMs = Math.max(0, boundedFullAtMs(state.fullAtMs, nowMs, whole) - nowMs);
  const left = Math.floor(whole.capacity - missingMs / whole.intervalMs);
  const tokens = hasJoined ? Math.min(Math.floor(left / processes), capacity) : 1;
  return nowMs + (capacity - tokens) * intervalMs;
}

/** How many cards requests were for, and how many of them the service has counted. */
export interface EndedRequests {
  cards: number;
  counted: number;
}

/** What becomes shared when a process joins. */
export interface Joining {
  /** What the process knows. */
  local: LimiterState;
  /** The whole plan. */
  setting: PlanSetting;
  /** Permits given while isolated. */
  spent: number;
  /** The requests that have ended since, and were not told to the others. */
  ended: EndedRequests;
  /** At the first time of a process: when the bucket is full if none is stored. */
  firstFullAtMs: number | undefined;
  /** Redis has lost what this process had joined, and with it how much was spent: no tokens are left. */
  isLost: boolean;
  nowMs: number;
}

/**
 * The shared state after a process has joined: charged with what it spent alone. What it learned alone is dropped, but for
 * a breaker that is open for longer, a probe that is under way, and newer figures of the day.
 *
 * @param shared `undefined` when nothing is stored: then what this process knows becomes the shared state
 */
export function joinedState(shared: LimiterState | undefined, joining: Joining): LimiterState {
  const { local, setting, spent, firstFullAtMs, isLost, nowMs } = joining;
  const known = shared ? withOwnNews(shared, joining) : local;
  const state = firstFullAtMs === undefined ? known : underSetting(known, setting);
  const pace = paceOf(state, setting);
  const keptMs = isLost ? undefined : (shared?.fullAtMs ?? firstFullAtMs);
  const fullAtMs = keptMs ?? emptyBucket(nowMs, pace);
  return { ...state, fullAtMs: Math.max(fullAtMs, nowMs) + spent * pace.intervalMs };
}

function withOwnNews(shared: LimiterState, { local, setting, ended, nowMs }: Joining): LimiterState {
  const { state, untilMs } = local.breaker;
  const isProbing = state === 'halfOpen' && shared.breaker.untilMs <= nowMs;
  const isLonger = state !== 'closed' && untilMs > shared.breaker.untilMs;
  const { breaker, openedUnder } = isProbing || isLonger ? local : shared;
  const isNewer = (local.quota?.receivedAtMs ?? 0) > (shared.quota?.receivedAtMs ?? 0);
  const { quota } = isNewer ? local : shared;
  const windows = joinedWindows(shared, local, ended.counted, setting, nowMs);
  return {
    ...shared,
    ...windows,
    breaker,
    openedUnder,
    quota,
  };
}
