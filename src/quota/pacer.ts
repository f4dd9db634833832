import type { Plan } from '../plans.ts';
import type { QuotaReading, QuotaState } from '../quota-state.ts';
import type { Gate, RequestOutcome } from './gate.ts';

export type { RequestOutcome } from './gate.ts';

/** Members wait for an answer; the background renews what was already shown and never takes a member's token. */
export type Lane = 'members' | 'background';

/**
 * A usage report takes a token when there is one. It is no question that waits, so it is never the probe, except of a
 * spent day, which it may probe at any time.
 */
export type TurnLane = Lane | 'report';

/** Leave to send one request now. To be given back with its outcome, whatever that is. */
export interface Turn {
  probe: boolean;
  /** The last failure that was known when it left, as `PacingState` numbers them. */
  afterFailure: number;
}

export type TurnOrWait =
  | { kind: 'turn'; turn: Turn }
  /** No turn before `untilMs`; a change may bring one sooner. */
  | { kind: 'wait'; untilMs: number }
  /** No turn for so long that nobody should wait for it. */
  | { kind: 'closed'; untilMs: number; why: ClosedWhy };

/**
 * `pause`: the service asked for a longer wait than anybody's. `reserve`: only for the background, while the day's last
 * requests are kept for members.
 */
export type ClosedWhy = Exclude<Gate['why'], 'open' | 'minute'> | 'pause' | 'reserve';

/** When turns come, seen from now. */
export interface Outlook {
  /** As it stands; unlike `closed`, it stays shut until a probe has succeeded. */
  gate: Gate;
  closed: { untilMs: number; why: ClosedWhy } | undefined;
  /** The service asked us to wait. */
  paused: boolean;
  /** Until when nothing is renewed in the background; `undefined` while it may be. */
  reservedUntilMs: number | undefined;
  /** When the n-th question from now gets its turn (n from 1), if nothing else happens. */
  turnAtMs: (position: number) => number;
}

/** May we ask now? Paces to the plan, and keeps still after a 429, an outage or a spent day. */
export interface Pacer {
  /** @param politeMs leaves a token to other processes until it has lain there for so long */
  take(lane: TurnLane, politeMs?: number): Promise<TurnOrWait>;
  /** Every turn taken ends here. */
  settle(turn: Turn, outcome: RequestOutcome): Promise<void>;
  /** The rate-limit headers of a response. */
  hear(reading: QuotaReading): void;
  /** The plan that a usage report named. */
  hearPlan(plan: Plan): void;
  outlook(): Outlook;
  /** What is believed of the day's requests; `undefined` until the service said something. */
  quota(): QuotaState | undefined;
  /** When nothing will remain of the day at the present rate; `undefined` when enough does. */
  runsOutAtMs(): number | undefined;
  /** Called whenever a turn may come sooner or later than it seemed. */
  onChange(listener: () => void): void;
}
