import type { PlanSetting } from '../../model/plan.ts';
import type { PermitLane } from '../../quota/limiter.ts';
import type { LimiterChange, LimiterState, QuotaWarnings } from '../../quota/limiter-state.ts';
import type { Contention } from '../../quota/permit.ts';
import { KnownLimiterState } from './known-limiter-state.ts';
import type { RedisBucket } from './redis-bucket.ts';
import type { RedisHealth } from './redis-link.ts';
import { RedisUnavailable, unlessUnavailable } from './redis-unavailable.ts';
import type { SharedLimiterState } from './shared-limiter-state.ts';
import { type SharedAcquired, SharedPermits } from './shared-permits.ts';

export interface LimiterSyncOptions {
  setting: PlanSetting;
  shared: SharedLimiterState;
  bucket: RedisBucket;
  link: { health: RedisHealth; onHealth(listener: (health: RedisHealth) => void): void };
  /** `size`: processes last seen alive. `onHeartbeat`: called about once a second while Redis answers. */
  processesAlive: { size: number; onHeartbeat(listener: () => void): void };
  /** Each warning is given in one of the processes. */
  warnings: QuotaWarnings;
}

/**
 * Keeps the limiter state of this process in sync with the one in Redis and, while Redis is unavailable, continues with
 * what was last known. No method rejects because Redis is unavailable.
 */
export class LimiterSync {
  readonly #options: LimiterSyncOptions;
  readonly #known: KnownLimiterState;
  readonly #permits: SharedPermits;
  readonly #onChange: () => void;
  #last: Promise<unknown> = Promise.resolve();

  /** @param onChange called when permits may come at other times than before */
  constructor(options: LimiterSyncOptions, onChange: () => void) {
    this.#options = options;
    this.#onChange = onChange;
    this.#known = new KnownLimiterState(options.setting, options.processesAlive.size);
    this.#permits = new SharedPermits(options);
    options.link.onHealth((health) => (health === 'usable' ? this.#refresh() : this.#isolate()));
    options.processesAlive.onHeartbeat(() => this.#refresh());
    if (options.link.health === 'usable') this.#refresh();
  }

  get state(): LimiterState {
    return this.#known.state;
  }

  /** The plan, or while isolated this process's share of it. */
  get setting(): PlanSetting {
    return this.#known.setting;
  }

  /** Runs one piece of work at a time, so that no other command comes between a read and the write that follows. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** To be called within `exclusively`. */
  async acquire(lane: PermitLane, contention: Contention): Promise<Pick<SharedAcquired, 'acquired' | 'fromFull'>> {
    const shared = await this.#unlessUnavailable(() => this.#permits.acquire(this.#known.local, lane, contention));
    if (!shared) return { acquired: this.#known.acquireIsolated(lane, contention) };
    this.#adopt(shared.state);
    return shared;
  }

  /** Whether this process has a probe under way. */
  set holdsProbe(isUnderWay: boolean) {
    this.#known.holdsProbe = isUnderWay;
    this.#options.shared.holdsProbe = isUnderWay;
  }

  /** Postpones when the bucket is full. To be called within `exclusively`. */
  async delay(lagMs: number): Promise<void> {
    if (lagMs <= 0) return;
    if (this.#known.isIsolated) this.#known.delayIsolated(lagMs);
    else await this.#unlessUnavailable(() => this.#permits.delay(this.#known.local, lagMs));
  }

  /** Changes the state in this process, at once. */
  change(change: LimiterChange): void {
    this.#known.change(change);
  }

  /** Writes the changes made here to Redis. To be called within `exclusively`. */
  async publish(): Promise<void> {
    const unpublished = this.#known.takeUnpublished();
    if (!unpublished) return; // published together with an earlier change
    const { before, change } = unpublished;
    const published = await this.#unlessUnavailable(() => this.#permits.change(this.#known.local, change));
    const { warned, quota } = published?.after ?? change(before);
    this.#options.warnings.lowQuota((published?.before ?? before).warned, warned, quota);
    if (published) this.#adopt(published.after);
  }

  #adopt(state: LimiterState): void {
    if (this.#known.adopt(state)) this.#onChange();
  }

  /** Redis answers: reads what other processes changed or, after an isolation, publishes what was learned and spent. */
  #refresh(): void {
    void this.exclusively(async () => {
      if (this.#known.isIsolated) return unlessUnavailable(this.#join());
      const state = await this.#unlessUnavailable(() => this.#permits.read(this.#known.local));
      if (state) this.#adopt(state);
    });
  }

  async #join(): Promise<void> {
    const known = this.#known;
    await this.publish(); // for its warnings: the state itself is written by `join`
    const { spentWhileIsolated } = known;
    if (spentWhileIsolated > 0) await this.#permits.charge(known.local, spentWhileIsolated);
    known.charged(); // also when the next command fails
    known.join(await this.#permits.join(known.local, { isStart: !known.hasJoined }));
    this.#onChange();
  }

  #isolate(): void {
    if (this.#known.isIsolated) return;
    this.#known.isolate(this.#options.processesAlive.size);
    this.#onChange();
  }

  /** @returns `undefined` while isolated, or when the work finds that Redis is unavailable */
  async #unlessUnavailable<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#known.isIsolated) return undefined;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
      this.#isolate();
      return undefined;
    }
  }
}
