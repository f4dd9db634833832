import type { RequestOutcome } from '../model/errors.ts';
import { type Pace, type PlanSetting, plansOf } from '../model/plan.ts';
import type { QuotaReading, WindowQuota } from '../model/quota.ts';
import { addSample, currentQuota, isReadingOfDay, mergeReading, runsOutAtMs } from './day-quota.ts';
import { type Doubt, doubtOf } from './failures.ts';
import type { Change, LimiterCell } from './limiter-cell.ts';
import type { Acquired, Limiter, Permit, PermitLane } from './limiter-port.ts';
import type { LimiterState } from './limiter-state.ts';
import { StateView } from './limiter-view.ts';
import { fullAtMsAfter, refillLagMs } from './pace.ts';
import { releasePermit } from './permit.ts';
import { leastOf, windowsOf, withReading } from './windows.ts';

export interface LimiterOptions {
  /** `LONGEST_WAIT_SECONDS`: longer pauses are not sat out. */
  longestWaitMs: number;
  random?: () => number;
}

const ANSWERS_AVERAGED = 4;

/** Decides on the state in its cell. Outcomes, headers and reports change that state, and the view follows from it. */
export class RateLimiter implements Limiter {
  readonly #cell: LimiterCell;
  readonly #options: LimiterOptions;
  readonly #listeners: (() => void)[] = [];
  #isUnconfirmed = true;
  /** Until a request has ended since: when the first token was taken from a full bucket. */
  #tookFromFullAtMs: number | undefined;
  /** What the last answers have taken, on average; 0 before the first. */
  #answersTakeMs = 0;
  #lastLeftAtMs = Number.POSITIVE_INFINITY;
  #derived: { of: readonly unknown[]; view: StateView } | undefined;

  constructor(cell: LimiterCell, options: LimiterOptions) {
    this.#cell = cell;
    this.#options = options;
    cell.onChange(() => this.#notify());
  }

  async acquire(lane: PermitLane): Promise<Acquired> {
    const cell = this.#cell;
    const decide = (state: LimiterState, underWay: number) => this.#viewOf(state, underWay).decide(lane);
    for (let isFresh = false; ; isFresh = true) {
      const decision = this.view().decide(lane);
      if (decision.kind !== 'token') {
        // Another process may have ended what refuses it.
        if (isFresh || !(await cell.refresh())) return decision;
        continue;
      }
      const taken = await cell.take(decision, decide);
      if (taken.kind === 'wait') return taken;
      if (taken.kind === 'changed') continue;
      this.#took(decision.pace, taken.wasFull);
      return { kind: 'permit', permit: decision.permit };
    }
  }

  /** A bucket of one is always full when its token is taken. One that delays does not refuse what comes too early. */
  #took({ capacity }: Pace, wasFull: boolean): void {
    const isExact = capacity > 1 || this.#cell.state.learned.heldUntilMs === 0;
    if (wasFull && isExact) this.#tookFromFullAtMs ??= Date.now();
    this.#lastLeftAtMs = performance.now();
  }

  async release(permit: Permit, outcome: RequestOutcome): Promise<void> {
    const { longestWaitMs, random = Math.random } = this.#options;
    const underWay = Math.max(0, this.#cell.underWay - 1);
    const now = { longestWaitMs, nowMs: Date.now(), random: random(), underWay };
    const lagMs = refillLagMs(this.#tookFromFullAtMs ?? now.nowMs, now.nowMs);
    this.#tookFromFullAtMs = undefined;
    if (outcome.kind !== 'abandoned') {
      const tookMs = Math.max(0, now.nowMs - permit.leftAtMs);
      this.#answersTakeMs += (tookMs - this.#answersTakeMs) / (this.#answersTakeMs === 0 ? 1 : ANSWERS_AVERAGED);
    }
    const apply = (state: LimiterState) => {
      const lagged = { ...state, fullAtMs: state.fullAtMs + lagMs };
      return releasePermit(lagged, permit, outcome, this.#cell.setting, now);
    };
    await this.#change({ apply, ended: permit, outcome });
  }

  observe(reading: QuotaReading): void {
    const nowMs = Date.now();
    const apply = (state: LimiterState) => {
      const after = observeReading(state, reading, this.#cell.setting, nowMs);
      return { ...after, fullAtMs: fullAtMsAfter(state, after, this.#cell.setting, nowMs) };
    };
    void this.#cell.change({ apply, isReading: true });
    this.#isUnconfirmed = false;
  }

  observePlan(plan: string): void {
    void this.#change({ apply: (state) => ({ ...state, plan, planAtLimit: state.quota?.limit }) });
  }

  view(): StateView {
    const { state, underWay, setting } = this.#cell;
    const of = [state, underWay, setting, this.#isUnconfirmed, Date.now()] as const;
    if (of.some((each, at) => each !== this.#derived?.of[at]))
      this.#derived = { of, view: this.#viewOf(state, underWay) };
    return (this.#derived as { view: StateView }).view;
  }

  quota(): WindowQuota | undefined {
    return leastOf(windowsOf(this.#cell.state, this.#cell.setting, Date.now()));
  }

  runsOutAtMs(): number | undefined {
    const { samples, quota } = this.#cell.state;
    return runsOutAtMs(samples, currentQuota(quota, Date.now()), Date.now());
  }

  doubt(): Doubt | undefined {
    const { breaker, counted } = this.#cell.state;
    return doubtOf(breaker, counted, Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A request that left last and is still under way shows that the answers have become slower. */
  #viewOf(state: LimiterState, underWay: number): StateView {
    const lastMs = underWay > 0 ? performance.now() - this.#lastLeftAtMs : 0;
    const { longestWaitMs } = this.#options;
    const known = { isUnconfirmed: this.#isUnconfirmed, answersTakeMs: Math.max(this.#answersTakeMs, lastMs) };
    return new StateView({ state, underWay, setting: this.#cell.setting, longestWaitMs, ...known }, Date.now());
  }

  async #change(change: Change): Promise<void> {
    await this.#cell.change(change);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The state after the rate-limit headers of a response. Those of another window than the day's are ignored. */
function observeReading(state: LimiterState, reading: QuotaReading, setting: PlanSetting, nowMs: number): LimiterState {
  const { per = 'day' } = reading;
  if (per !== 'day') return { ...state, windows: withReading(state, per, reading, setting) };
  const known = currentQuota(state.quota, nowMs);
  if (!isReadingOfDay(known, reading, plansOf(setting)))
    return known === state.quota ? state : { ...state, quota: known };
  const quota = mergeReading(known, reading);
  return { ...state, quota, samples: addSample(state.samples, quota, nowMs) };
}
