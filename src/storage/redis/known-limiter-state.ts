import type { PlanSetting } from '../../model/plan.ts';
import { afterClockJump } from '../../quota/clock-jump.ts';
import type { Acquired, PermitLane } from '../../quota/limiter.ts';
import { INITIAL_LIMITER_STATE, type LimiterChange, type LimiterState, withProbe } from '../../quota/limiter-state.ts';
import { acquirePermit, type Contention } from '../../quota/permit.ts';
import { sameSchedule } from '../../quota/schedule.ts';
import { parted } from './isolation.ts';

/** What this process knows of the pacing of all. While it cannot ask them it keeps to its part. Asks nobody itself. */
export class KnownLimiterState {
  /** Whether this process has a probe under way. */
  #holdsProbe = false;
  readonly #whole: PlanSetting;
  /** As last heard, and as changed here since; all times by our clock. */
  #state = INITIAL_LIMITER_STATE;
  /** While alone: the plan's part, and the turns taken of it that the others know nothing of. */
  #alone: { setting: PlanSetting; spent: number } | undefined;
  #everJoined = false;
  /** Changes made here that the others know nothing of, and what was known before. */
  #unshared: { before: LimiterState; changes: LimiterChange[] } | undefined;

  /** Alone until it joins. */
  constructor(setting: PlanSetting, processes: number) {
    this.#whole = setting;
    this.part(processes);
  }

  get isAlone(): boolean {
    return this.#alone !== undefined;
  }

  /** Turns taken alone that the others know nothing of. */
  get spentAlone(): number {
    return this.#alone?.spent ?? 0;
  }

  get everJoined(): boolean {
    return this.#everJoined;
  }

  get setting(): PlanSetting {
    return this.#alone?.setting ?? this.#whole;
  }

  /** Alone, nobody else sees to it that our clock was set back. */
  get state(): LimiterState {
    return this.#alone ? afterClockJump(this.#state, Date.now()) : this.#state;
  }

  /** What this process can say for itself: another's probe is no part of it. */
  get own(): LimiterState {
    return withProbe(this.state, this.#holdsProbe);
  }

  set holdsProbe(holdsProbe: boolean) {
    this.#holdsProbe = holdsProbe;
    if (holdsProbe) this.#state = withProbe(this.#state, true);
  }

  takeAlone(lane: PermitLane, contention: Contention): Acquired {
    const { state, got } = acquirePermit(this.state, lane, this.setting, Date.now(), contention);
    this.#state = state;
    if (this.#alone && got.kind === 'permit') this.#alone.spent++;
    return got;
  }

  /** The bucket is full so much later; that of all is not touched. */
  delayAlone(lagMs: number): void {
    if (this.#alone) this.#state = { ...this.#state, fullAtMs: this.#state.fullAtMs + lagMs };
  }

  change(change: LimiterChange): void {
    const before = this.state;
    this.#unshared ??= { before, changes: [] };
    this.#unshared.changes.push(change);
    this.#state = change(before);
  }

  /** All changes that the others know nothing of, as one; it is up to the caller to tell them. */
  takeUnshared(): { before: LimiterState; change: LimiterChange } | undefined {
    const unshared = this.#unshared;
    this.#unshared = undefined;
    return unshared && { before: unshared.before, change: (state) => applied(unshared.changes, state) };
  }

  /** Takes over what all know, unless Redis has gone away since. @returns whether turns come at other times than it seemed */
  hear(state: LimiterState): boolean {
    if (this.#alone) return false;
    const known = this.#state;
    this.#state = applied(this.#unshared?.changes ?? [], state);
    return !sameSchedule(known, this.#state);
  }

  part(processes: number): void {
    const { setting, state } = parted(this.#state, {
      setting: this.#whole,
      processes: Math.max(1, processes),
      everJoined: this.#everJoined,
      ownProbe: this.#holdsProbe,
      nowMs: Date.now(),
    });
    this.#alone = { setting, spent: 0 };
    this.#state = state;
  }

  /** The others know of the turns that were taken alone. */
  charged(): void {
    if (this.#alone) this.#alone.spent = 0;
  }

  join(state: LimiterState): void {
    this.#alone = undefined;
    this.#everJoined = true;
    this.hear(state);
  }
}

function applied(changes: readonly LimiterChange[], state: LimiterState): LimiterState {
  return changes.reduce((changed, change) => change(changed), state);
}
