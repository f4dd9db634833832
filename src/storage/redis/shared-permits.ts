import type { PlanSetting } from '../../model/plan.ts';
import type { Acquired, PermitLane } from '../../quota/limiter.ts';
import { type LimiterChange, type LimiterState, paceOf, underSetting } from '../../quota/limiter-state.ts';
import { type Contention, decidePermit, isProbeDue, launched } from '../../quota/permit.ts';
import { type Pace, tokenAtMs } from '../../quota/token-bucket.ts';
import type { RedisBucket } from './redis-bucket.ts';
import { rejoined } from './rejoin.ts';
import type { SharedLimiterState } from './shared-limiter-state.ts';

/** What came of asking for a turn, and what all know after it. */
export interface Taken {
  state: LimiterState;
  got: Acquired;
  /** The bucket was full before. */
  fromFull?: boolean;
}

/**
 * Turns that all processes share: one state, one bucket. Where Redis has lost them, they are written again by what this
 * process knows (`own`), without a new burst. Its methods throw RedisUnavailable.
 */
export class SharedPermits {
  readonly #setting: PlanSetting;
  readonly #shared: SharedLimiterState;
  readonly #bucket: RedisBucket;

  constructor({ setting, shared, bucket }: { setting: PlanSetting; shared: SharedLimiterState; bucket: RedisBucket }) {
    this.#setting = setting;
    this.#shared = shared;
    this.#bucket = bucket;
  }

  /** What all know now. Costs one command. */
  async hear(own: LimiterState): Promise<LimiterState> {
    return (await this.#shared.read()) ?? this.join(own);
  }

  /** Changes what all know. `own` has been changed already. Costs one command, if nobody else changes it meanwhile. */
  async change(
    own: LimiterState,
    change: LimiterChange,
  ): Promise<{ before: LimiterState | undefined; after: LimiterState }> {
    const { before, after } = await this.#shared.update((there) => there && change(there));
    return { before, after: after ?? (await this.join(own)) };
  }

  /** Like takeTurn, with the state as all know it. Costs two commands, and three more for the probe. */
  async take(own: LimiterState, lane: PermitLane, contention: Contention): Promise<Taken> {
    const heard = await this.hear(own);
    const permitted = decidePermit(heard, lane, this.#setting, Date.now(), contention);
    if (permitted.kind !== 'token') return { state: heard, got: permitted };
    const fromFull = heard.fullAtMs <= Date.now();

    const { permit, pace, heldBackMs, free } = permitted;
    const { taken, fullAtMs } = free
      ? { taken: true, fullAtMs: heard.fullAtMs }
      : await this.#bucket.take(pace, heldBackMs);
    const state = { ...heard, fullAtMs };
    if (!taken) return { state, got: { kind: 'wait', untilMs: tokenAtMs(fullAtMs, Date.now(), pace, heldBackMs) } };
    return permit.probe ? this.#takeProbe(state, lane, pace) : { state, got: { kind: 'permit', permit }, fromFull };
  }

  /** For the time in which the bucket seemed to refill, and the service's did not. */
  async delay(own: LimiterState, lagMs: number): Promise<void> {
    await this.#bucket.delay(this.#pace(own), lagMs);
  }

  /** For requests that left without asking. */
  async charge(own: LimiterState, requests: number): Promise<void> {
    await this.#bucket.charge(this.#pace(own), requests);
  }

  /** Adds what is known here to what all know. The very first process of all leaves the bucket full. */
  async join(own: LimiterState, { isStart = false } = {}): Promise<LimiterState> {
    // How much was spent is lost, too; the bucket first, so that nobody finds it full and goes on.
    if (!isStart && (await this.#shared.read()) === undefined) await this.#bucket.empty(this.#pace(own));
    return this.#shared.join((there) => rejoined(there && isStart ? underSetting(there, this.#setting) : there, own));
  }

  /** One of all processes gets it. */
  async #takeProbe(state: LimiterState, lane: PermitLane, pace: Pace): Promise<Taken> {
    const { before, after } = await this.#shared.update((there) =>
      there && isProbeDue(there, lane, Date.now()) ? launched(there, { probe: true }) : there,
    );
    if (!before || !after || before === after) {
      return { state: after ?? state, got: { kind: 'wait', untilMs: Date.now() + pace.intervalMs } };
    }
    if (before.breaker.reason === 'pause') await this.#bucket.empty(pace); // as a pause leaves it
    return { state: after, got: { kind: 'permit', permit: { probe: true, afterFailure: after.lastFailure } } };
  }

  #pace(own: LimiterState): Pace {
    return paceOf(own, this.#setting, Date.now());
  }
}
