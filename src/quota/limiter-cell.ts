import type { Events } from '../model/events.ts';
import type { PlanSetting } from '../model/plan.ts';
import type { Permit } from './limiter.ts';
import type { LimiterState } from './limiter-state.ts';
import type { PermitDecision, Taken, WantedToken } from './permit.ts';
import type { QuotaWarnings } from './quota-warnings.ts';

/** A change of the state, and what is special about it. */
export interface Change {
  apply: (state: LimiterState) => LimiterState;
  /** The permit whose outcome it is. */
  ended?: Permit;
  /** It may be stored together with the outcome that follows. */
  isReading?: boolean;
}

/** Where the state of a limiter is: in this process, whose cell answers at once, or in Redis with a copy here. */
export interface LimiterCell {
  /** The state as of now, by this machine's clock. */
  readonly state: LimiterState;
  /** The plan, or while isolated this process's share of it. */
  readonly setting: PlanSetting;
  /** The processes that it shares the state with cannot be reached. */
  readonly isIsolated: boolean;
  /** Requests that have left and have not ended, of all processes. */
  readonly underWay: number;
  /** @param decide decides again on a state that has changed meanwhile, and on requests under way besides this one */
  take(token: WantedToken, decide: Decide): Taken | Promise<Taken>;
  /** Reads what other processes and a clock that was set back have changed. @returns whether to decide again */
  refresh(): boolean | Promise<boolean>;
  /** Changes the state at once. Resolves when the change is stored, or this process is isolated. */
  change(change: Change): void | Promise<void>;
  /** Called when other processes have changed when permits are expected. */
  onChange(listener: () => void): void;
}

export type Decide = (state: LimiterState, underWay: number) => PermitDecision;

export interface CellOptions {
  setting: PlanSetting;
  warnings: QuotaWarnings;
  /** Told of every change. */
  events?: Events;
}
