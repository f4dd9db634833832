import type { PlanSetting } from '../../model/plan.ts';
import type { Acquired, PermitLane } from '../../quota/limiter.ts';
import { type LimiterChange, type LimiterState, underSetting, withProbe } from '../../quota/limiter-state.ts';
import { type Pace, paceOf, tokenAtMs } from '../../quota/pace.ts';
import { type Contention, decidePermit, isProbeDue } from '../../quota/permit.ts';
import { rejoinedState } from './isolation.ts';
import type { RedisBucket } from './redis-bucket.ts';
import type { SharedLimiterState } from './shared-limiter-state.ts';

/** The result of asking for a permit, and the shared state after it. */
export interface SharedAcquired {
  state: LimiterState;
  acquired: Acquired;
  /** The bucket was full before. */
  fromFull?: boolean;
}

/**
 * Permits from one state and one bucket for all processes. Where Redis has lost them, they are written anew from what this
 * process knows (`local`), without a new burst. Methods throw RedisUnavailable.
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

  /** The shared state. Costs one command. */
  async read(local: LimiterState): Promise<LimiterState> {
    return (await this.#shared.read()) ?? this.join(local);
  }

  /** Changes the shared state; `local` is changed already. Costs one command, if no other process changes it meanwhile. */
  async change(
    local: LimiterState,
    change: LimiterChange,
  ): Promise<{ before: LimiterState | undefined; after: LimiterState }> {
    const { before, after } = await this.#shared.update((current) => current && change(current));
    return { before, after: after ?? (await this.join(local)) };
  }

  /** Like `acquirePermit`, with the shared state. Costs two commands, and three more for the probe. */
  async acquire(local: LimiterState, lane: PermitLane, contention: Contention): Promise<SharedAcquired> {
    const shared = await this.read(local);
    const decision = decidePermit(shared, lane, this.#setting, Date.now(), contention);
    if (decision.kind !== 'token') return { state: shared, acquired: decision };
    const fromFull = shared.fullAtMs <= Date.now();

    const { permit, pace, heldBackMs, free } = decision;
    const { taken, fullAtMs } = free
      ? { taken: true, fullAtMs: shared.fullAtMs }
      : await this.#bucket.take(pace, heldBackMs);
    const state = { ...shared, fullAtMs };
    if (!taken)
      return { state, acquired: { kind: 'wait', untilMs: tokenAtMs(fullAtMs, Date.now(), pace, heldBackMs) } };
    return permit.probe
      ? this.#acquireProbe(state, lane, pace)
      : { state, acquired: { kind: 'permit', permit }, fromFull };
  }

  /** For the time in which this bucket refilled and the service's did not. */
  async delay(local: LimiterState, lagMs: number): Promise<void> {
    await this.#bucket.delay(this.#pace(local), lagMs);
  }

  /** For requests that were sent without a shared permit. */
  async charge(local: LimiterState, requests: number): Promise<void> {
    await this.#bucket.charge(this.#pace(local), requests);
  }

  /** Adds what this process knows to the shared state. The very first process leaves the bucket full. */
  async join(local: LimiterState, { isStart = false } = {}): Promise<LimiterState> {
    // Redis has also lost how much was spent. The bucket first, so that no other process finds it full.
    if (!isStart && (await this.#shared.read()) === undefined) await this.#bucket.empty(this.#pace(local));
    return this.#shared.join((current) =>
      rejoinedState(current && isStart ? underSetting(current, this.#setting) : current, local),
    );
  }

  /** One process of all gets it. */
  async #acquireProbe(state: LimiterState, lane: PermitLane, pace: Pace): Promise<SharedAcquired> {
    const { before, after } = await this.#shared.update((current) =>
      current && isProbeDue(current, lane, Date.now()) ? withProbe(current, true) : current,
    );
    if (!before || !after || before === after) {
      return { state: after ?? state, acquired: { kind: 'wait', untilMs: Date.now() + pace.intervalMs } };
    }
    if (before.breaker.reason === 'pause') await this.#bucket.empty(pace); // a pause ends with an empty bucket
    return { state: after, acquired: { kind: 'permit', permit: { probe: true, afterFailure: after.lastFailure } } };
  }

  #pace(local: LimiterState): Pace {
    return paceOf(local, this.#setting, Date.now());
  }
}
