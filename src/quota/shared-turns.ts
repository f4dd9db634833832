import type { PlanSetting } from './pace.ts';
import type { TurnLane, TurnOrWait } from './pacer.ts';
import { type PacingChange, type PacingState, paceOf, underSetting } from './pacing.ts';
import { type Crowd, isProbeDue, launched, permission } from './permission.ts';
import type { RedisBucket } from './redis-bucket.ts';
import { rejoined } from './rejoin.ts';
import type { SharedPacing } from './shared-pacing.ts';
import { type Pace, tokenAtMs } from './token-bucket.ts';

/** What came of asking for a turn, and what all know after it. */
export interface Taken {
  state: PacingState;
  got: TurnOrWait;
  /** The bucket was full before. */
  fromFull?: boolean;
}

/**
 * Turns that all processes share: one state, one bucket. Where Redis has lost them, they are written again by what this
 * process knows (`own`), without a new burst. Its methods throw RedisAway.
 */
export class SharedTurns {
  readonly #setting: PlanSetting;
  readonly #shared: SharedPacing;
  readonly #bucket: RedisBucket;

  constructor({ setting, shared, bucket }: { setting: PlanSetting; shared: SharedPacing; bucket: RedisBucket }) {
    this.#setting = setting;
    this.#shared = shared;
    this.#bucket = bucket;
  }

  /** What all know now. Costs one command. */
  async hear(own: PacingState): Promise<PacingState> {
    return (await this.#shared.read()) ?? this.join(own);
  }

  /** Changes what all know. `own` has been changed already. Costs one command, if nobody else changes it meanwhile. */
  async change(
    own: PacingState,
    change: PacingChange,
  ): Promise<{ before: PacingState | undefined; after: PacingState }> {
    const { before, after } = await this.#shared.update((there) => there && change(there));
    return { before, after: after ?? (await this.join(own)) };
  }

  /** Like takeTurn, with the state as all know it. Costs two commands, and three more for the probe. */
  async take(own: PacingState, lane: TurnLane, crowd: Crowd): Promise<Taken> {
    const heard = await this.hear(own);
    const permitted = permission(heard, lane, this.#setting, Date.now(), crowd);
    if (permitted.kind !== 'token') return { state: heard, got: permitted };
    const fromFull = heard.fullAtMs <= Date.now();

    const { turn, pace, heldBackMs, free } = permitted;
    const { taken, fullAtMs } = free
      ? { taken: true, fullAtMs: heard.fullAtMs }
      : await this.#bucket.take(pace, heldBackMs);
    const state = { ...heard, fullAtMs };
    if (!taken) return { state, got: { kind: 'wait', untilMs: tokenAtMs(fullAtMs, Date.now(), pace, heldBackMs) } };
    return turn.probe ? this.#takeProbe(state, lane, pace) : { state, got: { kind: 'turn', turn }, fromFull };
  }

  /** For the time in which the bucket seemed to refill, and the service's did not. */
  async delay(own: PacingState, lagMs: number): Promise<void> {
    await this.#bucket.delay(this.#pace(own), lagMs);
  }

  /** For requests that left without asking. */
  async charge(own: PacingState, requests: number): Promise<void> {
    await this.#bucket.charge(this.#pace(own), requests);
  }

  /** Adds what is known here to what all know. The very first process of all leaves the bucket full. */
  async join(own: PacingState, { isStart = false } = {}): Promise<PacingState> {
    // How much was spent is lost, too; the bucket first, so that nobody finds it full and goes on.
    if (!isStart && (await this.#shared.read()) === undefined) await this.#bucket.empty(this.#pace(own));
    return this.#shared.join((there) => rejoined(there && isStart ? underSetting(there, this.#setting) : there, own));
  }

  /** One of all processes gets it. */
  async #takeProbe(state: PacingState, lane: TurnLane, pace: Pace): Promise<Taken> {
    const { before, after } = await this.#shared.update((there) =>
      there && isProbeDue(there, lane, Date.now()) ? launched(there, { probe: true }) : there,
    );
    if (!before || !after || before === after) {
      return { state: after ?? state, got: { kind: 'wait', untilMs: Date.now() + pace.intervalMs } };
    }
    if (before.gate.why === 'minute') await this.#bucket.empty(pace); // as a pause leaves it
    return { state: after, got: { kind: 'turn', turn: { probe: true, afterFailure: after.lastFailure } } };
  }

  #pace(own: PacingState): Pace {
    return paceOf(own, this.#setting, Date.now());
  }
}
