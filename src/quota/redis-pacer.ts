import type { Plan } from '../plans.ts';
import type { QuotaReading, QuotaState } from '../quota-state.ts';
import { RedisAway } from '../redis/redis-errors.ts';
import type { RedisHealth } from '../redis/redis-link.ts';
import type { RequestOutcome } from './gate.ts';
import type { PlanSetting } from './pace.ts';
import type { Outlook, Pacer, Turn, TurnLane, TurnOrWait } from './pacer.ts';
import {
  FIRST_PACING,
  hearReading,
  launched,
  outlookOf,
  type PacingState,
  paceOf,
  permission,
  settleTurn,
  takeTurn,
} from './pacing.ts';
import { currentQuota } from './quota.ts';
import { runsOutAtMs } from './rate-samples.ts';
import type { RedisBucket } from './redis-bucket.ts';
import { dividedFullAtMs, rejoined } from './rejoin.ts';
import type { SharedPacing } from './shared-pacing.ts';
import { emptyBucket, tokenAtMs } from './token-bucket.ts';

export interface RedisPacerOptions {
  setting: PlanSetting;
  shared: SharedPacing;
  bucket: RedisBucket;
  link: { health: RedisHealth; onHealth(listener: (health: RedisHealth) => void): void };
  /** Processes last seen alive; told about once a second that Redis answers. */
  fleet: { size: number; onBeat(listener: () => void): void };
  /** Called once in each window for each share of the day that is spent, in one of the processes. */
  warn: (share: number, quota: QuotaState) => void;
  random?: () => number;
}

/** How old what others did may be for those who only look; a turn is never granted without asking. */
const HEAR_EVERY_MS = 900;

/**
 * The pacer of a process that shares its quota with others: one state and one bucket for all, in Redis. While Redis is
 * away it goes on by what it last knew, under an insurance limit: the plan divided by the processes last seen alive.
 */
export class RedisPacer implements Pacer {
  readonly #options: RedisPacerOptions;
  readonly #listeners: (() => void)[] = [];
  /** As last heard, and as changed here since; all times by our clock. */
  #state = FIRST_PACING;
  /** While Redis is away: the plan's share, and what was spent of it. */
  #alone: { setting: PlanSetting; spent: number } | undefined;
  #everJoined = false;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #changes: Promise<unknown> = Promise.resolve();

  constructor(options: RedisPacerOptions) {
    this.#options = options;
    options.link.onHealth((health) => (health === 'usable' ? this.#join() : this.#part()));
    options.fleet.onBeat(() => this.#beat());
    this.#part();
    if (options.link.health === 'usable') this.#join();
  }

  async take(lane: TurnLane, politeMs = 0): Promise<TurnOrWait> {
    await this.#changes;
    if (this.#alone) return this.#takeAlone(lane, this.#alone);
    try {
      return await this.#takeShared(lane, politeMs);
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
      this.#part();
      return this.take(lane, politeMs);
    }
  }

  async settle(turn: Turn, outcome: RequestOutcome): Promise<void> {
    const now = { nowMs: Date.now(), random: (this.#options.random ?? Math.random)() };
    await this.#change((state) => settleTurn(state, turn, outcome, this.#setting, now));
    this.#tell();
  }

  hear(reading: QuotaReading): void {
    const nowMs = Date.now();
    void this.#change((state) => hearReading(state, reading, nowMs));
  }

  hearPlan(plan: Plan): void {
    void this.#change((state) => ({ ...state, plan })).then(() => this.#tell());
  }

  outlook(): Outlook {
    return outlookOf(this.#state, this.#setting, Date.now());
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#state.quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.#state.samples, this.quota(), Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get #setting(): PlanSetting {
    return this.#alone?.setting ?? this.#options.setting;
  }

  async #takeShared(lane: TurnLane, politeMs: number): Promise<TurnOrWait> {
    const { bucket, setting } = this.#options;
    if (!(await this.#hear())) return this.take(lane, politeMs);
    const nowMs = Date.now();
    const permitted = permission(this.#state, lane, setting, nowMs, politeMs);
    if (permitted.kind !== 'token') return permitted;

    const { turn, pace, heldBackMs, free } = permitted;
    if (!free) {
      const { taken, fullAtMs } = await bucket.take(pace, heldBackMs);
      this.#state = { ...this.#state, fullAtMs };
      if (!taken) return { kind: 'wait', untilMs: tokenAtMs(fullAtMs, nowMs, pace, heldBackMs) };
    }
    if (!turn.probe) return { kind: 'turn', turn };

    const afterPause = this.#state.gate.why === 'minute';
    if (!(await this.#claimProbe())) return { kind: 'wait', untilMs: nowMs + pace.intervalMs };
    if (afterPause) await bucket.empty(pace);
    return { kind: 'turn', turn };
  }

  /** One of all processes gets it. */
  async #claimProbe(): Promise<boolean> {
    const isDue = ({ gate }: PacingState) => gate.why !== 'open' && gate.untilMs <= Date.now() && !gate.probing;
    const { before, after } = await this.#options.shared.update((state = FIRST_PACING) =>
      isDue(state) ? launched(state, { probe: true }) : state,
    );
    this.#state = after;
    return before !== undefined && isDue(before);
  }

  #takeAlone(lane: TurnLane, alone: { setting: PlanSetting; spent: number }): TurnOrWait {
    const { state, got } = takeTurn(this.#state, lane, alone.setting, Date.now());
    this.#state = state;
    if (got.kind === 'turn') alone.spent++;
    return got;
  }

  /** Changes what is known here at once, and then what all know. Never rejects. */
  #change(change: (state: PacingState) => PacingState): Promise<void> {
    const known = this.#state;
    this.#state = change(known);
    if (this.#alone) {
      this.#warn(known, this.#state);
      return Promise.resolve();
    }
    return this.#inTurn(async () => {
      const { before = FIRST_PACING, after } = await this.#options.shared.update((state = FIRST_PACING) =>
        change(state),
      );
      this.#state = after;
      this.#warn(before, after);
    });
  }

  /** One after the other. Without Redis what is known here has to do. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(work).catch((error: unknown) => {
      if (!(error instanceof RedisAway)) throw error;
    });
    this.#changes = done.catch(() => {});
    return done;
  }

  #warn(before: PacingState, { warned, quota }: PacingState): void {
    if (warned && quota && warned !== before.warned) this.#options.warn(warned.share, quota);
  }

  /** Redis is away: from here on this process has its own part of what was left. */
  #part(): void {
    if (this.#alone) return;
    const { setting, fleet } = this.#options;
    const processes = Math.max(1, fleet.size);
    const nowMs = Date.now();
    const whole = paceOf(this.#state, setting, nowMs);
    this.#alone = { setting: { ...setting, processes }, spent: 0 };
    const part = paceOf(this.#state, this.#alone.setting, nowMs);
    const fullAtMs = this.#everJoined
      ? dividedFullAtMs(this.#state.fullAtMs, whole, part, processes, nowMs)
      : emptyBucket(nowMs, part) - part.intervalMs; // a start grants one token, and no burst
    this.#state = { ...this.#state, fullAtMs, gate: { ...this.#state.gate, probing: false } };
    this.#tell();
  }

  /** Redis is back: what was learnt and spent meanwhile is everybody's. */
  #join(): void {
    const { shared, bucket, setting } = this.#options;
    void this.#inTurn(async () => {
      if (!this.#alone) return;
      const { spent } = this.#alone;
      const own = this.#state;
      const { before, after } = await shared.update((there) => rejoined(there, own));
      const pace = paceOf(after, setting, Date.now());
      // Redis has lost its data, and with it how much was spent.
      if (before === undefined && this.#everJoined) await bucket.empty(pace);
      else if (spent > 0) await bucket.charge(pace, spent);
      this.#alone = undefined;
      this.#everJoined = true;
      this.#state = after;
      this.#tell();
    });
  }

  /** @returns false when Redis has lost its data: what is known here is written again, first of all */
  async #hear(): Promise<boolean> {
    const state = await this.#options.shared.read();
    this.#heardAtMs = Date.now();
    if (state) this.#state = state;
    else {
      this.#part();
      this.#join();
    }
    return state !== undefined;
  }

  #beat(): void {
    if (this.#alone) {
      this.#join(); // parted from a Redis that was not away
      return;
    }
    if (Math.abs(Date.now() - this.#heardAtMs) < HEAR_EVERY_MS) return;
    const { gate } = this.#state;
    void this.#inTurn(async () => void (await this.#hear())).then(() => {
      const { why, untilMs, probing } = this.#state.gate;
      if (why !== gate.why || untilMs !== gate.untilMs || probing !== gate.probing) this.#tell();
    });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
