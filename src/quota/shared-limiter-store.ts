import type { PlanSetting } from '../model/plan.ts';
import type { LimiterState } from './limiter-state.ts';
import { paceOf, reportedPlan } from './pace.ts';
import type { Taken, WantedToken } from './permit.ts';
import { currentQuota, windowEndsMs } from './quota.ts';

/** What all processes share, as last read. Each method costs one round trip, and resolves with `undefined` when it fails. */
export interface SharedLimiterStore {
  /** By this machine's clock; `undefined` when none is stored, or an invalid one. */
  readonly state: LimiterState | undefined;
  /** Another one when what is stored was lost meanwhile. Empty when nothing is stored. */
  readonly era: string;
  /** The process that has the probe under way; empty when there is none, or it is dead. */
  readonly probeOf: string;
  /** Requests of the other processes that are alive. */
  readonly underWayElsewhere: number;
  /** @param underWay requests of this process, as in the other methods: a lost answer is corrected by the next call */
  read(underWay: number): Promise<true | undefined>;
  /**
   * Takes a token, unless what permits depend on has changed since it was read, or as many requests are under way as remain.
   * If there is none for a member, the next is left to this process before others that ask later.
   *
   * @param underWay without this one
   */
  take(underWay: number, token: WantedToken): Promise<Taken | undefined>;
  /** Writes the state, unless another process has since it was read. @returns whether it was written */
  write(underWay: number, write: LimiterWrite): Promise<boolean | undefined>;
}

/** A state, and what others than its writer need to know of it. */
export interface LimiterWrite {
  state: LimiterState;
  /** Decisions about permits may be other ones than before, the bucket and what remains of the day apart. */
  isNews: boolean;
  /** What the change costs the bucket, besides what others take meanwhile. */
  chargedMs: number;
  /** The bucket is no emptier than empty when this is written, or at the end of a pause: the time in which it fills then. */
  fillsInMs: number;
  pausedUntilMs: number;
  /** Requests left of the day, and until when that holds. */
  remaining: { requests: number; untilMs: number } | undefined;
  /** Who holds the probe afterwards: no process, the writer, or the one that held it before. */
  prober: 'none' | 'writer' | 'same';
}

/** @param before `undefined` when nothing was stored */
export function limiterWrite(
  before: LimiterState | undefined,
  after: LimiterState,
  setting: PlanSetting,
  nowMs: number,
): LimiterWrite {
  const { state, reason, untilMs } = after.breaker;
  const quota = currentQuota(after.quota, nowMs);
  const { capacity, intervalMs } = paceOf(after, setting);
  return {
    state: after,
    isNews:
      !before || !sameSchedule(before, after) || before.lastFailure !== after.lastFailure || isOfWindow(before, after),
    chargedMs: Math.max(0, Math.max(after.fullAtMs, nowMs) - Math.max(before?.fullAtMs ?? 0, nowMs)),
    fillsInMs: capacity * intervalMs,
    pausedUntilMs: reason === 'pause' ? untilMs : 0,
    remaining: quota?.remaining === undefined ? undefined : { requests: quota.remaining, untilMs: windowEndsMs(quota) },
    prober: state !== 'halfOpen' ? 'none' : before?.breaker.state === 'halfOpen' ? 'same' : 'writer',
  };
}

/** How well the difference between two clocks is known. */
const SAME_TIME_MS = 100;

/** In a window every request that has ended keeps another one back. */
function isOfWindow(before: LimiterState, after: LimiterState): boolean {
  return after.learned.window !== undefined && before.learned !== after.learned;
}

/** Whether both give permits at the same times, the bucket apart. */
export function sameSchedule(a: LimiterState, b: LimiterState): boolean {
  return (
    a.breaker.state === b.breaker.state &&
    a.breaker.reason === b.breaker.reason &&
    Math.abs(a.breaker.untilMs - b.breaker.untilMs) <= SAME_TIME_MS &&
    reportedPlan(a) === reportedPlan(b) &&
    a.quota?.limit === b.quota?.limit &&
    a.learned.capacity === b.learned.capacity &&
    a.learned.window === b.learned.window &&
    a.learned.refill === b.learned.refill
  );
}
