import type { QuotaReading, QuotaState } from '../quota-state.ts';
import { afterRequest, type Gate, OPEN_GATE, type RequestOutcome } from './gate.ts';
import { type PlanSetting, planPace } from './pace.ts';
import type { Lane, Outlook, Pacer, Turn, TurnOrWait } from './pacer.ts';
import { currentQuota, mergeReading } from './quota.ts';
import { emptyBucket, noEmptierThanEmpty, type Pace, takeToken, tokenAtMs } from './token-bucket.ts';

/** All that a restart must not forget. */
export interface PacingState {
  /** When the token bucket is full again. */
  fullAtMs: number;
  gate: Gate;
  quota: QuotaState | undefined;
}

export interface LocalPacerOptions {
  setting: PlanSetting;
  /** From before the restart; a first start begins with a full bucket. */
  state?: PacingState | undefined;
  save: (state: PacingState) => void;
  random?: () => number;
}

/** The pacer of a single process: a token bucket behind a gate, both kept across restarts. */
export class LocalPacer implements Pacer {
  readonly #setting: PlanSetting;
  readonly #save: (state: PacingState) => void;
  readonly #random: () => number;
  readonly #listeners: (() => void)[] = [];
  #state: PacingState;

  constructor({ setting, state, save, random = Math.random }: LocalPacerOptions) {
    this.#setting = setting;
    this.#save = save;
    this.#random = random;
    this.#state = state
      ? { ...state, gate: { ...state.gate, probing: false } } // a probe cannot outlive its process
      : { fullAtMs: 0, gate: OPEN_GATE, quota: undefined };
  }

  take(lane: Lane): Promise<TurnOrWait> {
    return Promise.resolve(this.#take(lane, Date.now()));
  }

  settle(turn: Turn, outcome: RequestOutcome): Promise<void> {
    const nowMs = Date.now();
    const gate = afterRequest(this.#state.gate, outcome, turn.probe, {
      quota: currentQuota(this.#state.quota, nowMs),
      nowMs,
      random: this.#random(),
    });
    const paused = gate.why === 'minute' && gate.untilMs !== this.#state.gate.untilMs;
    const fullAtMs = paused ? emptyBucket(gate.untilMs, this.#pace()) : this.#state.fullAtMs;
    this.#become({ ...this.#state, fullAtMs, gate });
    for (const listener of this.#listeners) listener();
    return Promise.resolve();
  }

  hear(reading: QuotaReading): void {
    this.#become({ ...this.#state, quota: mergeReading(currentQuota(this.#state.quota, Date.now()), reading) });
  }

  outlook(): Outlook {
    const nowMs = Date.now();
    const { gate, fullAtMs } = this.#state;
    const pace = this.#pace();
    const { why } = gate;
    return {
      closed: why === 'open' || why === 'minute' || gate.untilMs <= nowMs ? undefined : { why, untilMs: gate.untilMs },
      turnAtMs: (position) => {
        const firstMs = Math.max(nowMs, why === 'minute' ? gate.untilMs : 0);
        if (why === 'minute') return firstMs + (position - 1) * pace.intervalMs;
        return Math.max(firstMs, tokenAtMs(Math.max(fullAtMs, nowMs), nowMs, pace) + (position - 1) * pace.intervalMs);
      },
    };
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#state.quota, Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #take(lane: Lane, nowMs: number): TurnOrWait {
    const { gate, fullAtMs } = this.#state;
    const pace = this.#pace();
    if (gate.why !== 'open' && gate.untilMs > nowMs) {
      const { why, untilMs } = gate;
      return why === 'minute' ? { kind: 'wait', untilMs } : { kind: 'closed', why, untilMs };
    }
    if (gate.probing) return { kind: 'wait', untilMs: nowMs + pace.intervalMs };

    const probe = gate.why !== 'open';
    const keepTokens = lane === 'background' ? Math.floor(pace.capacity / 2) : 0;
    const spentMs =
      gate.why === 'minute' && lane === 'members'
        ? emptyBucket(nowMs, pace) // the probe needs no token, and leaves none
        : takeToken(fullAtMs, nowMs, pace, keepTokens);
    if (spentMs === undefined) {
      // Kept so: after a clock was set back the bucket would else stay empty until the clock has caught up.
      const boundedMs = noEmptierThanEmpty(fullAtMs, nowMs, pace);
      if (boundedMs !== fullAtMs) this.#become({ ...this.#state, fullAtMs: boundedMs });
      return { kind: 'wait', untilMs: tokenAtMs(boundedMs, nowMs, pace, keepTokens) };
    }

    this.#become({ ...this.#state, fullAtMs: spentMs, gate: { ...gate, probing: probe } });
    return { kind: 'turn', turn: { probe } };
  }

  #pace(): Pace {
    return planPace(this.#setting, this.#state.quota?.limit);
  }

  #become(state: PacingState): void {
    this.#state = state;
    this.#save(state);
  }
}
