import { afterClockJump } from './clock-jump.ts';
import { sameOutlook } from './outlook.ts';
import type { PlanSetting } from './pace.ts';
import type { TurnLane, TurnOrWait } from './pacer.ts';
import { FIRST_PACING, type PacingChange, type PacingState, withProbing } from './pacing.ts';
import { parted } from './parting.ts';
import { type Crowd, takeTurn } from './permission.ts';

/** What this process knows of the pacing of all. While it cannot ask them it keeps to its part. Asks nobody itself. */
export class KnownPacing {
  /** Whether this process has a probe under way. */
  #holdsProbe = false;
  readonly #whole: PlanSetting;
  /** As last heard, and as changed here since; all times by our clock. */
  #state = FIRST_PACING;
  /** While alone: the plan's part, and the turns taken of it that the others know nothing of. */
  #alone: { setting: PlanSetting; spent: number } | undefined;
  #everJoined = false;
  /** Changes made here that the others know nothing of, and what was known before. */
  #unshared: { before: PacingState; changes: PacingChange[] } | undefined;

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
  get state(): PacingState {
    return this.#alone ? afterClockJump(this.#state, Date.now()) : this.#state;
  }

  /** What this process can say for itself: another's probe is no part of it. */
  get own(): PacingState {
    return withProbing(this.state, this.#holdsProbe);
  }

  set holdsProbe(holdsProbe: boolean) {
    this.#holdsProbe = holdsProbe;
    if (holdsProbe) this.#state = withProbing(this.#state, true);
  }

  takeAlone(lane: TurnLane, crowd: Crowd): TurnOrWait {
    const { state, got } = takeTurn(this.state, lane, this.setting, Date.now(), crowd);
    this.#state = state;
    if (this.#alone && got.kind === 'turn') this.#alone.spent++;
    return got;
  }

  /** The bucket is full so much later; that of all is not touched. */
  delayAlone(lagMs: number): void {
    if (this.#alone) this.#state = { ...this.#state, fullAtMs: this.#state.fullAtMs + lagMs };
  }

  change(change: PacingChange): void {
    const before = this.state;
    this.#unshared ??= { before, changes: [] };
    this.#unshared.changes.push(change);
    this.#state = change(before);
  }

  /** All changes that the others know nothing of, as one; it is up to the caller to tell them. */
  takeUnshared(): { before: PacingState; change: PacingChange } | undefined {
    const unshared = this.#unshared;
    this.#unshared = undefined;
    return unshared && { before: unshared.before, change: (state) => applied(unshared.changes, state) };
  }

  /** Takes over what all know, unless Redis has gone away since. @returns whether turns come at other times than it seemed */
  hear(state: PacingState): boolean {
    if (this.#alone) return false;
    const known = this.#state;
    this.#state = applied(this.#unshared?.changes ?? [], state);
    return !sameOutlook(known, this.#state);
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

  join(state: PacingState): void {
    this.#alone = undefined;
    this.#everJoined = true;
    this.hear(state);
  }
}

function applied(changes: readonly PacingChange[], state: PacingState): PacingState {
  return changes.reduce((changed, change) => change(changed), state);
}
