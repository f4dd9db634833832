import type { PlanSetting } from '../../model/plan.ts';
import { type LimiterState, paceOf, withProbe } from '../../quota/limiter-state.ts';
import { emptyBucket, noEmptierThanEmpty, type Pace } from '../../quota/token-bucket.ts';

/** What a process that cannot ask the others goes on with. */
export interface Part {
  /** The plan, divided by the processes last seen alive. */
  setting: PlanSetting;
  state: LimiterState;
}

export interface Parting {
  setting: PlanSetting;
  /** Processes last seen alive, this one included. */
  processes: number;
  /** Whether the others were ever heard of. */
  everJoined: boolean;
  /** Whether this process has a probe under way; what became of another's is not to be known. */
  ownProbe: boolean;
  nowMs: number;
}

/** This process's part of what was left. A process that never heard of the others gets one token, and no burst. */
export function parted(state: LimiterState, { setting, processes, everJoined, ownProbe, nowMs }: Parting): Part {
  const own = { ...setting, processes };
  const part = paceOf(state, own, nowMs);
  const whole = paceOf(state, setting, nowMs);
  const fullAtMs = everJoined
    ? dividedFullAtMs(state.fullAtMs, { whole, part, processes, nowMs })
    : emptyBucket(nowMs, part) - part.intervalMs;
  return { setting: own, state: { ...withProbe(state, ownProbe), fullAtMs } };
}

/**
 * When this process's part of the bucket is full, once it is divided: everybody gets the same share of the tokens that
 * are left in it, rounded down.
 */
export function dividedFullAtMs(
  fullAtMs: number,
  { whole, part, processes, nowMs }: { whole: Pace; part: Pace; processes: number; nowMs: number },
): number {
  const missingMs = Math.max(0, noEmptierThanEmpty(fullAtMs, nowMs, whole) - nowMs);
  const left = Math.floor(whole.capacity - missingMs / whole.intervalMs);
  const own = Math.min(Math.floor(left / processes), part.capacity);
  return emptyBucket(nowMs, part) - own * part.intervalMs;
}
