import type { Plan } from '../model/plan.ts';
import type { Breaker, BreakerReason, QuotaReading, QuotaState } from '../model/quota.ts';
import type { RequestOutcome } from './circuit-breaker.ts';

export type { RequestOutcome } from './circuit-breaker.ts';

/** Members wait for an answer; the background renews what was already shown and never takes a member's token. */
export type Lane = 'members' | 'renewals';

/**
 * A usage report takes a token when there is one. It is no question that waits, so it is never the probe, except of a
 * spent day, which it may probe at any time.
 */
export type PermitLane = Lane | 'report';

/** Leave to send one request now. To be given back with its outcome, whatever that is. */
export interface Permit {
  probe: boolean;
  /** The last failure that was known when it left, as `LimiterState` numbers them. */
  afterFailure: number;
}

export type Acquired =
  | { kind: 'permit'; permit: Permit }
  /** No turn before `untilMs`; a change may bring one sooner. */
  | { kind: 'wait'; untilMs: number }
  /** No turn for so long that nobody should wait for it. */
  | { kind: 'blocked'; untilMs: number; reason: BlockedReason };

/**
 * `pause`: the service asked for a longer wait than anybody's. `reserve`: only for the background, while the day's last
 * requests are kept for members.
 */
export type BlockedReason = BreakerReason | 'reserve';

/** When turns come, seen from now. */
export interface Schedule {
  /** As it stands; unlike `closed`, it stays shut until a probe has succeeded. */
  breaker: Breaker;
  blocked: { untilMs: number; reason: BlockedReason } | undefined;
  /** The service asked us to wait. */
  paused: boolean;
  /** Until when nothing is renewed in the background; `undefined` while it may be. */
  reservedUntilMs: number | undefined;
  /** When the n-th question from now gets its turn (n from 1), if nothing else happens. */
  permitAtMs: (position: number) => number;
}

/** May we ask now? Paces to the plan, and keeps still after a 429, an outage or a spent day. */
export interface Limiter {
  /** @param politeMs leaves a token to other processes until it has lain there for so long */
  acquire(lane: PermitLane, politeMs?: number): Promise<Acquired>;
  /** Every turn taken ends here. */
  release(permit: Permit, outcome: RequestOutcome): Promise<void>;
  /** The rate-limit headers of a response. */
  observe(reading: QuotaReading): void;
  /** The plan that a usage report named. */
  observePlan(plan: Plan): void;
  schedule(): Schedule;
  /** What is believed of the day's requests; `undefined` until the service said something. */
  quota(): QuotaState | undefined;
  /** When nothing will remain of the day at the present rate; `undefined` when enough does. */
  runsOutAtMs(): number | undefined;
  /** Called whenever a turn may come sooner or later than it seemed. */
  onChange(listener: () => void): void;
}
