import type { PlanSetting } from '../../model/plan.ts';
import type { QuotaState } from '../../model/quota.ts';
import type { PermitLane } from '../../quota/limiter.ts';
import type { LimiterChange, LimiterState } from '../../quota/limiter-state.ts';
import type { Contention } from '../../quota/permit.ts';
import { isSameWarning } from '../../quota/quota-warnings.ts';
import { KnownLimiterState } from './known-limiter-state.ts';
import type { RedisBucket } from './redis-bucket.ts';
import type { RedisHealth } from './redis-link.ts';
import { RedisUnavailable } from './redis-unavailable.ts';
import type { SharedLimiterState } from './shared-limiter-state.ts';
import { SharedPermits, type Taken } from './shared-permits.ts';

export interface JointLimiterOptions {
  setting: PlanSetting;
  shared: SharedLimiterState;
  bucket: RedisBucket;
  link: { health: RedisHealth; onHealth(listener: (health: RedisHealth) => void): void };
  /** Processes last seen alive; told about once a second that Redis answers. */
  processesAlive: { size: number; onBeat(listener: () => void): void };
  /** Called once in each window for each share of the day that is spent, in one of the processes. */
  warn: (share: number, quota: QuotaState) => void;
}

/**
 * What several processes know of their pacing together: kept in step with what stands in Redis and, while Redis is away,
 * continued by what was last known of it. Nothing here rejects because Redis is away.
 */
export class JointLimiter {
  readonly #options: JointLimiterOptions;
  readonly #known: KnownLimiterState;
  readonly #permits: SharedPermits;
  readonly #onNews: () => void;
  #last: Promise<unknown> = Promise.resolve();

  /** @param onNews told when turns may come at other times than it seemed */
  constructor(options: JointLimiterOptions, onNews: () => void) {
    this.#options = options;
    this.#onNews = onNews;
    this.#known = new KnownLimiterState(options.setting, options.processesAlive.size);
    this.#permits = new SharedPermits(options);
    options.link.onHealth((health) => (health === 'usable' ? this.#look() : this.#part()));
    options.processesAlive.onBeat(() => this.#look());
    if (options.link.health === 'usable') this.#look();
  }

  get state(): LimiterState {
    return this.#known.state;
  }

  /** The plan, or this process's part of it. */
  get setting(): PlanSetting {
    return this.#known.setting;
  }

  /** One thing at a time is asked of Redis, so that nothing comes between a question and its answer. */
  withPermit<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** To be called in turn. */
  async take(lane: PermitLane, contention: Contention): Promise<Pick<Taken, 'got' | 'fromFull'>> {
    const taken = await this.#unlessUnavailable(() => this.#permits.take(this.#known.own, lane, contention));
    if (!taken) return { got: this.#known.takeAlone(lane, { ...contention, politeMs: 0 }) };
    this.#hear(taken.state);
    return taken;
  }

  /** Whether this process has a probe under way. */
  set holdsProbe(isUnderWay: boolean) {
    this.#known.holdsProbe = isUnderWay;
    this.#options.shared.holdsProbe = isUnderWay;
  }

  /** The bucket is full so much later. To be called in turn. */
  async delay(lagMs: number): Promise<void> {
    if (lagMs <= 0) return;
    if (this.#known.isAlone) this.#known.delayAlone(lagMs);
    else await this.#unlessUnavailable(() => this.#permits.delay(this.#known.own, lagMs));
  }

  /** Changes what is known here, at once. */
  change(change: LimiterChange): void {
    this.#known.change(change);
  }

  /** Tells all what was changed here. To be called in turn. */
  async share(): Promise<void> {
    const unshared = this.#known.takeUnshared();
    if (!unshared) return; // told together with an earlier one
    const { before, change } = unshared;
    const shared = await this.#unlessUnavailable(() => this.#permits.change(this.#known.own, change));
    this.#warn(shared?.before ?? before, shared?.after ?? change(before));
    if (shared) this.#hear(shared.after);
  }

  #warn(before: LimiterState, { warned, quota }: LimiterState): void {
    if (warned && quota && !isSameWarning(warned, before.warned)) this.#options.warn(warned.share, quota);
  }

  #hear(state: LimiterState): void {
    if (this.#known.hear(state)) this.#onNews();
  }

  /** Redis answers: what others did is heard; after a time alone, what was learnt and spent here is everybody's. */
  #look(): void {
    void this.withPermit(async () => {
      if (this.#known.isAlone) return this.#join();
      const state = await this.#unlessUnavailable(() => this.#permits.hear(this.#known.own));
      if (state) this.#hear(state);
    });
  }

  async #join(): Promise<void> {
    const known = this.#known;
    await this.share(); // it is known here already, and joins with that
    try {
      if (known.spentAlone > 0) await this.#permits.charge(known.own, known.spentAlone);
      known.charged(); // whatever comes after
      known.join(await this.#permits.join(known.own, { isStart: !known.everJoined }));
      this.#onNews();
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
    }
  }

  #part(): void {
    if (this.#known.isAlone) return;
    this.#known.part(this.#options.processesAlive.size);
    this.#onNews();
  }

  /** `undefined` without Redis. */
  async #unlessUnavailable<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#known.isAlone) return undefined;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
      this.#part();
      return undefined;
    }
  }
}
