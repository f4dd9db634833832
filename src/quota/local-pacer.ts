import type { Plan } from '../plans.ts';
import type { QuotaReading, QuotaState } from '../quota-state.ts';
import { afterClockJump } from './clock-jump.ts';
import type { RequestOutcome } from './gate.ts';
import { outlookOf } from './outlook.ts';
import type { PlanSetting } from './pace.ts';
import type { Outlook, Pacer, Turn, TurnLane, TurnOrWait } from './pacer.ts';
import {
  FIRST_PACING,
  fullAtMsAfter,
  hearReading,
  hearReportedPlan,
  type PacingState,
  settleTurn,
  underSetting,
  unknownLimit,
  withProbing,
} from './pacing.ts';
import { takeTurn } from './permission.ts';
import { plausible } from './plausible.ts';
import { currentQuota } from './quota.ts';
import { runsOutAtMs } from './rate-samples.ts';
import { RefillLag } from './refill-lag.ts';

export interface LocalPacerOptions {
  setting: PlanSetting;
  /** What anybody waits for at most. */
  longestWaitMs: number;
  /** From before the restart. */
  state?: PacingState | undefined;
  save: (state: PacingState) => void;
  /** Called once in each window for each share of the day that is spent. */
  warn: (share: number, quota: QuotaState) => void;
  /** Called with a daily limit that fits no plan, each time that it is heard. */
  warnOfLimit: (limit: number) => void;
  random?: () => number;
}

/** The pacer of a single process. */
export class LocalPacer implements Pacer {
  readonly #setting: PlanSetting;
  readonly #longestWaitMs: number;
  readonly #save: (state: PacingState) => void;
  readonly #warn: (share: number, quota: QuotaState) => void;
  readonly #warnOfLimit: (limit: number) => void;
  readonly #random: () => number;
  readonly #listeners: (() => void)[] = [];
  readonly #lag = new RefillLag();
  readonly #underWay = new Set<Turn>();
  #hasHeard = false;
  #state: PacingState;

  constructor({
    setting,
    longestWaitMs,
    state = FIRST_PACING,
    save,
    warn,
    warnOfLimit,
    random = Math.random,
  }: LocalPacerOptions) {
    this.#setting = setting;
    this.#longestWaitMs = longestWaitMs;
    this.#save = save;
    this.#warn = warn;
    this.#warnOfLimit = warnOfLimit;
    this.#random = random;
    const nowMs = Date.now();
    const kept = plausible(afterClockJump(state, nowMs), nowMs);
    // A probe cannot outlive its process.
    this.#state = underSetting(withProbing(kept, false), setting);
  }

  take(lane: TurnLane, politeMs = 0): Promise<TurnOrWait> {
    const nowMs = Date.now();
    const before = this.#present();
    const { state, got } = takeTurn(before, lane, this.#setting, nowMs, {
      politeMs,
      underWay: this.#underWay.size,
      isUnheard: !this.#hasHeard,
    });
    if (got.kind === 'turn') {
      if (before.fullAtMs <= nowMs || got.turn.probe) this.#lag.tookFromFull(nowMs);
      this.#underWay.add(got.turn);
    }
    this.#become(state);
    return Promise.resolve(got);
  }

  settle(turn: Turn, outcome: RequestOutcome): Promise<void> {
    const now = { longestWaitMs: this.#longestWaitMs, nowMs: Date.now(), random: this.#random() };
    this.#underWay.delete(turn);
    const present = this.#present();
    const lagged = { ...present, fullAtMs: present.fullAtMs + this.#lag.arrived(now.nowMs) };
    this.#become(settleTurn(lagged, turn, outcome, this.#setting, now));
    for (const listener of this.#listeners) listener();
    return Promise.resolve();
  }

  hear(reading: QuotaReading): void {
    const { warned } = this.#state;
    const nowMs = Date.now();
    const present = this.#present();
    const heard = hearReading(present, reading, nowMs);
    this.#become({ ...heard, fullAtMs: fullAtMsAfter(present, heard, this.#setting, nowMs) });
    this.#hasHeard = true;
    const limit = unknownLimit(heard, this.#setting);
    if (limit !== undefined) this.#warnOfLimit(limit);
    if (heard.warned && heard.quota && heard.warned !== warned) this.#warn(heard.warned.share, heard.quota);
  }

  hearPlan(plan: Plan): void {
    this.#become(hearReportedPlan(this.#state, plan));
    for (const listener of this.#listeners) listener();
  }

  outlook(): Outlook {
    return outlookOf(this.#present(), this.#setting, this.#longestWaitMs, Date.now());
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#present().quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.#state.samples, this.quota(), Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #present(): PacingState {
    return afterClockJump(this.#state, Date.now());
  }

  #become(state: PacingState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#save(state);
  }
}
