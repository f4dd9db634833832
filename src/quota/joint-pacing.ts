import type { QuotaState } from '../quota-state.ts';
import { RedisAway } from '../redis/redis-errors.ts';
import type { RedisHealth } from '../redis/redis-link.ts';
import { KnownPacing } from './known-pacing.ts';
import type { PlanSetting } from './pace.ts';
import type { TurnLane } from './pacer.ts';
import type { PacingChange, PacingState } from './pacing.ts';
import type { Crowd } from './permission.ts';
import type { RedisBucket } from './redis-bucket.ts';
import type { SharedPacing } from './shared-pacing.ts';
import { SharedTurns, type Taken } from './shared-turns.ts';
import { isSameWarning } from './warnings.ts';

export interface JointPacingOptions {
  setting: PlanSetting;
  shared: SharedPacing;
  bucket: RedisBucket;
  link: { health: RedisHealth; onHealth(listener: (health: RedisHealth) => void): void };
  /** Processes last seen alive; told about once a second that Redis answers. */
  fleet: { size: number; onBeat(listener: () => void): void };
  /** Called once in each window for each share of the day that is spent, in one of the processes. */
  warn: (share: number, quota: QuotaState) => void;
}

/**
 * What several processes know of their pacing together: kept in step with what stands in Redis and, while Redis is away,
 * continued by what was last known of it. Nothing here rejects because Redis is away.
 */
export class JointPacing {
  readonly #options: JointPacingOptions;
  readonly #known: KnownPacing;
  readonly #turns: SharedTurns;
  readonly #onNews: () => void;
  #last: Promise<unknown> = Promise.resolve();

  /** @param onNews told when turns may come at other times than it seemed */
  constructor(options: JointPacingOptions, onNews: () => void) {
    this.#options = options;
    this.#onNews = onNews;
    this.#known = new KnownPacing(options.setting, options.fleet.size);
    this.#turns = new SharedTurns(options);
    options.link.onHealth((health) => (health === 'usable' ? this.#look() : this.#part()));
    options.fleet.onBeat(() => this.#look());
    if (options.link.health === 'usable') this.#look();
  }

  get state(): PacingState {
    return this.#known.state;
  }

  /** The plan, or this process's part of it. */
  get setting(): PlanSetting {
    return this.#known.setting;
  }

  /** One thing at a time is asked of Redis, so that nothing comes between a question and its answer. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** To be called in turn. */
  async take(lane: TurnLane, crowd: Crowd): Promise<Pick<Taken, 'got' | 'fromFull'>> {
    const taken = await this.#unlessAway(() => this.#turns.take(this.#known.own, lane, crowd));
    if (!taken) return { got: this.#known.takeAlone(lane, { ...crowd, politeMs: 0 }) };
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
    else await this.#unlessAway(() => this.#turns.delay(this.#known.own, lagMs));
  }

  /** Changes what is known here, at once. */
  change(change: PacingChange): void {
    this.#known.change(change);
  }

  /** Tells all what was changed here. To be called in turn. */
  async share(): Promise<void> {
    const unshared = this.#known.takeUnshared();
    if (!unshared) return; // told together with an earlier one
    const { before, change } = unshared;
    const shared = await this.#unlessAway(() => this.#turns.change(this.#known.own, change));
    this.#warn(shared?.before ?? before, shared?.after ?? change(before));
    if (shared) this.#hear(shared.after);
  }

  #warn(before: PacingState, { warned, quota }: PacingState): void {
    if (warned && quota && !isSameWarning(warned, before.warned)) this.#options.warn(warned.share, quota);
  }

  #hear(state: PacingState): void {
    if (this.#known.hear(state)) this.#onNews();
  }

  /** Redis answers: what others did is heard; after a time alone, what was learnt and spent here is everybody's. */
  #look(): void {
    void this.inTurn(async () => {
      if (this.#known.isAlone) return this.#join();
      const state = await this.#unlessAway(() => this.#turns.hear(this.#known.own));
      if (state) this.#hear(state);
    });
  }

  async #join(): Promise<void> {
    const known = this.#known;
    await this.share(); // it is known here already, and joins with that
    try {
      if (known.spentAlone > 0) await this.#turns.charge(known.own, known.spentAlone);
      known.charged(); // whatever comes after
      known.join(await this.#turns.join(known.own, { isStart: !known.everJoined }));
      this.#onNews();
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
    }
  }

  #part(): void {
    if (this.#known.isAlone) return;
    this.#known.part(this.#options.fleet.size);
    this.#onNews();
  }

  /** `undefined` without Redis. */
  async #unlessAway<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#known.isAlone) return undefined;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
      this.#part();
      return undefined;
    }
  }
}
