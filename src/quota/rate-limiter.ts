import type { RequestOutcome } from '../model/errors.ts';
import { type PlanSetting, type Plans, plansOf } from '../model/plan.ts';
import type { QuotaReading, QuotaState } from '../model/quota.ts';
import { isSatOut } from './circuit-breaker.ts';
import { addSample, currentQuota, isOfDay, mergeReading, reserveUntilMs, runsOutAtMs } from './day-quota.ts';
import { type Doubt, doubtOf } from './failures.ts';
import { sharedOut, WINDOW_MS, windowSlotsMs } from './learned.ts';
import type { Change, LimiterCell } from './limiter-cell.ts';
import type { Acquired, Limiter, Permit, PermitLane, Schedule } from './limiter-port.ts';
import type { LimiterState } from './limiter-state.ts';
import { isKeyShared } from './outside-spending.ts';
import { fullAtMsAfter, paceOf, plannedPace, refillLagMs, tokenAtMs } from './pace.ts';
import { decidePermit, releasePermit } from './permit.ts';

export interface LimiterOptions {
  /** `LONGEST_WAIT_SECONDS`: longer pauses are not sat out. */
  longestWaitMs: number;
  random?: () => number;
}

/** Decides on the state in its cell. Outcomes, headers and reports change that state, and the schedule follows from it. */
export class RateLimiter implements Limiter {
  readonly #cell: LimiterCell;
  readonly #options: LimiterOptions;
  readonly #listeners: (() => void)[] = [];
  #isUnconfirmed = true;
  /** Until a request has ended since: when the first token was taken from a full bucket. */
  #tookFromFullAtMs: number | undefined;

  constructor(cell: LimiterCell, options: LimiterOptions) {
    this.#cell = cell;
    this.#options = options;
    cell.onChange(() => this.#notify());
  }

  async acquire(lane: PermitLane): Promise<Acquired> {
    const cell = this.#cell;
    const decide = (state: LimiterState, underWay: number) => {
      const contention = { underWay, isUnconfirmed: this.#isUnconfirmed };
      return decidePermit(state, lane, cell.setting, Date.now(), contention);
    };
    for (let isFresh = false; ; isFresh = true) {
      const decision = decide(cell.state, cell.underWay);
      if (decision.kind !== 'token') {
        // Another process may have ended what refuses it.
        if (isFresh || !(await cell.refresh())) return decision;
        continue;
      }
      const taken = await cell.take(decision, decide);
      if (taken.kind === 'wait') return taken;
      if (taken.kind === 'changed') continue;
      // A bucket of one is always full when its token is taken. One that delays does not refuse what comes too early.
      const isExact = decision.pace.capacity > 1 || cell.state.learned.heldUntilMs === 0;
      if (taken.wasFull && isExact) this.#tookFromFullAtMs ??= Date.now();
      return { kind: 'permit', permit: decision.permit };
    }
  }

  async release(permit: Permit, outcome: RequestOutcome): Promise<void> {
    const { longestWaitMs, random = Math.random } = this.#options;
    const underWay = Math.max(0, this.#cell.underWay - 1);
    const now = { longestWaitMs, nowMs: Date.now(), random: random(), underWay };
    const lagMs = refillLagMs(this.#tookFromFullAtMs ?? now.nowMs, now.nowMs);
    this.#tookFromFullAtMs = undefined;
    const apply = (state: LimiterState) => {
      const lagged = { ...state, fullAtMs: state.fullAtMs + lagMs };
      return releasePermit(lagged, permit, outcome, this.#cell.setting, now);
    };
    await this.#change({ apply, ended: permit, cards: outcome.cards ?? 1 });
  }

  observe(reading: QuotaReading): void {
    const nowMs = Date.now();
    const apply = (state: LimiterState) => {
      const after = observeReading(state, reading, plansOf(this.#cell.setting), nowMs);
      return { ...after, fullAtMs: fullAtMsAfter(state, after, this.#cell.setting, nowMs) };
    };
    void this.#cell.change({ apply, isReading: true });
    this.#isUnconfirmed = false;
  }

  observePlan(plan: string): void {
    void this.#change({ apply: (state) => ({ ...state, plan, planAtLimit: state.quota?.limit }) });
  }

  schedule(): Schedule {
    const { state, setting, underWay } = this.#cell;
    return scheduleOf(state, setting, this.#options.longestWaitMs, Date.now(), underWay);
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#cell.state.quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.#cell.state.samples, this.quota(), Date.now());
  }

  plannedIntervalMs(): number {
    return plannedPace(this.#cell.state, this.#cell.setting).intervalMs;
  }

  doubt(): Doubt | undefined {
    const { breaker, counted } = this.#cell.state;
    return doubtOf(breaker, counted, Date.now());
  }

  isKeyShared(): boolean {
    return isKeyShared(this.#cell.state.outside, Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
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
function observeReading(state: LimiterState, reading: QuotaReading, plans: Plans, nowMs: number): LimiterState {
  const known = currentQuota(state.quota, nowMs);
  if (!isOfDay(known, reading, plans)) return known === state.quota ? state : { ...state, quota: known };
  const quota = mergeReading(known, reading);
  return { ...state, quota, samples: addSample(state.samples, quota, nowMs) };
}

/**
 * When permits are expected at that pace.
 *
 * @param longestWaitMs a longer pause blocks, and is not sat out
 * @param underWay requests, each of which takes a place in a window
 */
export function scheduleOf(
  state: LimiterState,
  setting: PlanSetting,
  longestWaitMs: number,
  nowMs: number,
  underWay: number,
): Schedule {
  const { reason, untilMs } = state.breaker;
  const pace = paceOf(state, setting);
  const isWaitedFor = isSatOut(state.breaker);
  const pausedUntilMs = Math.max(nowMs, isWaitedFor ? untilMs : 0);
  const ofWindowMs = windowSlotsMs(sharedOut(state.learned, setting.processes ?? 1), underWay, nowMs);
  const slotsMs = ofWindowMs.map((atMs) => Math.max(atMs, pausedUntilMs));
  return {
    breaker: state.breaker,
    isIsolated: setting.processes !== undefined,
    learned: { window: state.learned.window, capacity: state.learned.capacity },
    paused: reason === 'pause' && untilMs > nowMs,
    blocked:
      reason && untilMs > nowMs && !(isWaitedFor && untilMs - nowMs <= longestWaitMs) ? { reason, untilMs } : undefined,
    reservedUntilMs: reserveUntilMs(currentQuota(state.quota, nowMs), nowMs),
    permitAtMs: (position) => {
      if (slotsMs.length > 0) {
        const rounds = Math.floor((position - 1) / slotsMs.length);
        return (slotsMs[(position - 1) % slotsMs.length] ?? nowMs) + rounds * WINDOW_MS;
      }
      if (reason === 'pause') return pausedUntilMs + (position - 1) * pace.intervalMs;
      const firstMs = tokenAtMs(Math.max(state.fullAtMs, nowMs), nowMs, pace);
      return Math.max(pausedUntilMs, firstMs + (position - 1) * pace.intervalMs);
    },
  };
}
