import type { RequestOutcome } from '../model/errors.ts';
import type { Breaker, BreakerReason, QuotaReading, WindowQuota } from '../model/quota.ts';
import type { Doubt } from './failures.ts';

/**
 * In the order of permits. Members wait for an answer; renewals refresh what was already shown, and never take a member's
 * token; what is renewed for watches was asked for by nobody just now.
 */
export const LANES = ['members', 'renewals', 'watches'] as const;
export type Lane = (typeof LANES)[number];

/**
 * A usage report takes a token only when there is one. It does not wait in the queue, so it is never the probe, except
 * while the breaker is open for the day: then it may probe at any time.
 */
export type PermitLane = Lane | 'report';

/** Allows one request to be sent now. To be released with its outcome, whatever that is. */
export interface Permit {
  /** Its outcome decides whether the breaker closes. */
  probe: boolean;
  /** When it was given. */
  leftAtMs: number;
  isForWatches?: boolean;
}

export type Acquired =
  | { kind: 'permit'; permit: Permit }
  /** No permit before `untilMs`; a change may bring one sooner. */
  | { kind: 'wait'; untilMs: number }
  /** No permit for longer than anybody should wait. */
  | ({ kind: 'blocked' } & Blocked);

/** `reserve`: no renewals, for watches or not, while the day's last requests are kept for members. */
export type BlockedReason = BreakerReason | 'reserve';

export interface Blocked {
  untilMs: number;
  reason: BlockedReason;
}

/** What follows from the state of a limiter, as seen now. */
export interface LimiterView {
  /** Unlike a refusal, it stays open until a probe has succeeded. */
  readonly breaker: Breaker;
  /** What answers have shown the service to allow, where that is less than the plan. */
  readonly learned: { window: number | undefined; capacity: number | undefined };
  /** The service asked us to wait. */
  readonly paused: boolean;
  /** This process cannot reach the Redis that it shares the quota over: it goes on with its part of the plan. */
  readonly isIsolated: boolean;
  /** The window that leaves least; `undefined` while nothing is known. */
  readonly quota: WindowQuota | undefined;
  /** All that are known. */
  readonly windows: readonly WindowQuota[];
  /** What remains beyond what is kept for members' missing cards; infinite while that is unknown. */
  readonly unreserved: number;
  /** Why all of the lane are answered at once; `undefined` while waiting makes sense. */
  refusalFor(lane: PermitLane): Blocked | undefined;
  /**
   * When the n-th permit from now (n from 1) is given, to one of the lane, if nothing else happens. The first: now, or in
   * the past, exactly when one would be given now.
   */
  forecast(lane: PermitLane, position: number): number;
}

/** Hands out permits at the plan's pace, and none after a 429, in an outage or on a spent day. No method rejects. */
export interface Limiter {
  acquire(lane: PermitLane): Promise<Acquired>;
  release(permit: Permit, outcome: RequestOutcome): Promise<void>;
  /** The rate-limit headers of a response. */
  observe(reading: QuotaReading): void;
  /** The plan that a usage report named. */
  observePlan(plan: string): void;
  view(): LimiterView;
  /** The window that leaves least, as in the view. */
  quota(): WindowQuota | undefined;
  /** When nothing will remain of the day at the present rate; `undefined` when enough does. */
  runsOutAtMs(): number | undefined;
  /** `undefined` while the service answers. */
  doubt(): Doubt | undefined;
  /** Called whenever permits may come at other times than the view said. */
  onChange(listener: () => void): void;
}
