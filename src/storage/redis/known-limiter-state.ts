import type { PlanSetting } from '../../model/plan.ts';
import type { Acquired, PermitLane } from '../../quota/limiter.ts';
import {
  afterClockJump,
  INITIAL_LIMITER_STATE,
  type LimiterChange,
  type LimiterState,
  withProbe,
} from '../../quota/limiter-state.ts';
import { acquirePermit, type Contention, sameSchedule } from '../../quota/permit.ts';
import { isolatedLimiter } from './isolation.ts';

/** The limiter state as this process knows it, in memory: the shared one, or while isolated a share of it. */
export class KnownLimiterState {
  /** Whether this process has a probe under way. */
  #holdsProbe = false;
  readonly #whole: PlanSetting;
  /** As last read, with the changes made here since; all times by this process's clock. */
  #state = INITIAL_LIMITER_STATE;
  /** While isolated: the divided plan, and the permits given that are not charged to the shared bucket yet. */
  #isolated: { setting: PlanSetting; spent: number } | undefined;
  #hasJoined = false;
  /** Changes made here that are not in Redis yet, and the state before them. */
  #unpublished: { before: LimiterState; changes: LimiterChange[] } | undefined;

  /** Isolated until it joins. */
  constructor(setting: PlanSetting, processes: number) {
    this.#whole = setting;
    this.isolate(processes);
  }

  get isIsolated(): boolean {
    return this.#isolated !== undefined;
  }

  /** Permits given while isolated that are not charged to the shared bucket yet. */
  get spentWhileIsolated(): number {
    return this.#isolated?.spent ?? 0;
  }

  get hasJoined(): boolean {
    return this.#hasJoined;
  }

  get setting(): PlanSetting {
    return this.#isolated?.setting ?? this.#whole;
  }

  /** While isolated there is no clock of Redis to notice that this machine's clock was set back. */
  get state(): LimiterState {
    return this.#isolated ? afterClockJump(this.#state, Date.now()) : this.#state;
  }

  /** The state without the probe of another process. */
  get local(): LimiterState {
    return withProbe(this.state, this.#holdsProbe);
  }

  set holdsProbe(holdsProbe: boolean) {
    this.#holdsProbe = holdsProbe;
    if (holdsProbe) this.#state = withProbe(this.#state, true);
  }

  acquireIsolated(lane: PermitLane, contention: Contention): Acquired {
    const { state, acquired } = acquirePermit(this.state, lane, this.setting, Date.now(), contention);
    this.#state = state;
    if (this.#isolated && acquired.kind === 'permit') this.#isolated.spent++;
    return acquired;
  }

  /** Postpones when the local bucket is full; the shared one is not touched. */
  delayIsolated(lagMs: number): void {
    if (this.#isolated) this.#state = { ...this.#state, fullAtMs: this.#state.fullAtMs + lagMs };
  }

  change(change: LimiterChange): void {
    const before = this.state;
    this.#unpublished ??= { before, changes: [] };
    this.#unpublished.changes.push(change);
    this.#state = change(before);
  }

  /** All changes that are not in Redis yet, as one, for the caller to publish. */
  takeUnpublished(): { before: LimiterState; change: LimiterChange } | undefined {
    const unpublished = this.#unpublished;
    this.#unpublished = undefined;
    return unpublished && { before: unpublished.before, change: (state) => applied(unpublished.changes, state) };
  }

  /** Adopts the shared state, unless isolated meanwhile. @returns whether permits come at other times than before */
  adopt(state: LimiterState): boolean {
    if (this.#isolated) return false;
    const known = this.#state;
    this.#state = applied(this.#unpublished?.changes ?? [], state);
    return !sameSchedule(known, this.#state);
  }

  isolate(processes: number): void {
    const { setting, state } = isolatedLimiter(this.#state, {
      setting: this.#whole,
      processes: Math.max(1, processes),
      hasJoined: this.#hasJoined,
      holdsProbe: this.#holdsProbe,
      nowMs: Date.now(),
    });
    this.#isolated = { setting, spent: 0 };
    this.#state = state;
  }

  /** The permits given while isolated are charged to the shared bucket. */
  charged(): void {
    if (this.#isolated) this.#isolated.spent = 0;
  }

  join(state: LimiterState): void {
    this.#isolated = undefined;
    this.#hasJoined = true;
    this.adopt(state);
  }
}

function applied(changes: readonly LimiterChange[], state: LimiterState): LimiterState {
  return changes.reduce((changed, change) => change(changed), state);
}
