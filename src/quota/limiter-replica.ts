import type { PlanSetting } from '../model/plan.ts';
import { isolatedLimiter, joinedState } from './isolation.ts';
import type { Acquired, Permit } from './limiter.ts';
import { afterClockJump, INITIAL_LIMITER_STATE, type LimiterState, plausible, withProbe } from './limiter-state.ts';
import { PendingChanges, rewriteTurn } from './pending-changes.ts';
import type { Told } from './quota-warnings.ts';
import type { SharedLimiterOptions } from './shared-limiter.ts';
import { limiterWrite, type SharedLimiterStore, sameSchedule } from './shared-limiter-store.ts';
import type { Change } from './stateful-limiter.ts';

/** The shared state as one process knows it: as last read, with the changes made here; or while isolated a share of it. */
export class LimiterReplica {
  /** Of this process, with those that are being acquired. */
  readonly permits = new Set<Permit>();
  readonly #options: SharedLimiterOptions;
  readonly #notify: () => void;
  readonly #firstFullAtMs: number;
  #state: LimiterState;
  /** They are in the state above. */
  readonly #pending = new PendingChanges((changes) => this.#write(changes));
  /** While isolated: the divided plan, the permits given that are not charged to the shared bucket yet, and what is logged. */
  #isolated: { setting: PlanSetting; spent: number; told: Told } | undefined;
  #joining: Promise<void> | undefined;
  /** Of what this process has joined last. */
  #era: string | undefined;

  /** @param notify called when permits may come at other times than before */
  constructor(options: SharedLimiterOptions, notify: () => void) {
    const { link, processesAlive, initial = INITIAL_LIMITER_STATE } = options;
    const nowMs = Date.now();
    this.#options = options;
    this.#notify = notify;
    this.#state = plausible(afterClockJump(initial, nowMs), nowMs);
    this.#firstFullAtMs = this.#state.fullAtMs;
    this.#isolate();
    link.onHealth((health) => (health === 'usable' ? this.#join() : this.#isolate()));
    processesAlive.onHeartbeat(() => this.#keepUp());
    if (link.health === 'usable') this.#join();
  }

  /** While isolated there is no clock of the store to notice that this machine's clock was set back, and no other's probe. */
  get state(): LimiterState {
    return this.#isolated ? withProbe(afterClockJump(this.#state, Date.now()), this.#holdsProbe) : this.#state;
  }

  /** The plan, or while isolated this process's share of it. */
  get setting(): PlanSetting {
    return this.#isolated?.setting ?? this.#options.setting;
  }

  get isIsolated(): boolean {
    return this.#isolated !== undefined;
  }

  /** Whether the one probe of all processes is this one's. */
  get isProber(): boolean {
    return !this.#isolated && this.#options.store.probeOf === this.#options.processesAlive.id;
  }

  /** Including requests whose outcome is not in the store yet: what remains of the day is lowered with it. */
  get underWay(): number {
    return this.permits.size + this.#pending.ended.length;
  }

  /** Of the other processes, as last read. */
  get underWayElsewhere(): number {
    return this.#isolated ? 0 : this.#options.store.underWayElsewhere;
  }

  /** Resolves when no join is under way. */
  async joined(): Promise<void> {
    await this.#joining;
  }

  async refresh(): Promise<void> {
    await this.call((store) => store.read(this.underWay));
  }

  /** While isolated: the state after a permit was asked for. */
  spend(state: LimiterState, acquired: Acquired): void {
    this.#state = state;
    if (acquired.kind !== 'permit') return;
    this.permits.add(acquired.permit);
    if (this.#isolated) this.#isolated.spent++;
  }

  /** Changes the state in this process at once. Resolves when that is in the store, or this process is isolated. */
  async change(change: Change): Promise<void> {
    if (change.ended) this.permits.delete(change.ended);
    this.#state = change.apply(this.state);
    this.#options.events?.publish('limiter', this.#state);
    if (this.#isolated && this.#joining === undefined) {
      this.#options.warnings.changed(this.#isolated.told, this.#state);
      this.#isolated.told = this.#state;
    } else {
      this.#pending.add(change);
      if (!change.isReading || this.permits.size === 0) await this.#pending.written(change, () => this.#joining);
    }
  }

  /** Calls the store, and adopts what it answers. @returns `undefined` when it cannot be reached */
  async call<T>(work: (store: SharedLimiterStore) => Promise<T | undefined>): Promise<T | undefined> {
    const result = await work(this.#options.store);
    if (result === undefined) this.#isolate();
    else this.#adopt();
    return result;
  }

  get #shared(): LimiterState | undefined {
    const { state, probeOf } = this.#options.store;
    // A probe that this process acquired without receiving the answer counts as ended.
    const isProbing = probeOf === this.#options.processesAlive.id ? this.#holdsProbe : probeOf !== '';
    return state && plausible(withProbe(state, isProbing), Date.now());
  }

  /** Until its outcome is in the store: otherwise another process could send one meanwhile. */
  get #holdsProbe(): boolean {
    return [...this.permits, ...this.#pending.ended].some(({ probe }) => probe);
  }

  async #write(changes: readonly Change[]): Promise<boolean | undefined> {
    const before = this.#shared;
    if (!before) return undefined; // lost, which the call that has read it handles
    const after = this.#pending.appliedTo(before);
    const isWritten = await this.call(async (store) => {
      const isWritten = await store.write(this.permits.size, limiterWrite(before, after, this.setting, Date.now()));
      if (isWritten) this.#pending.drop(changes);
      return isWritten;
    });
    if (isWritten) this.#options.warnings.changed(before, after);
    return isWritten;
  }

  #keepUp(): void {
    if (this.#isolated) this.#join();
    else if (!this.#pending.isWriting) void this.refresh();
  }

  #adopt(): void {
    if (this.#isolated) return;
    const known = this.#state;
    const shared = this.#shared;
    if (shared && this.#options.store.era === this.#era) {
      this.#state = this.#pending.appliedTo(shared);
      this.#options.events?.publish('limiter', this.#state);
      if (!sameSchedule(known, this.#state)) this.#notify();
    } else {
      this.#isolate(); // what was stored is lost
      this.#join();
    }
  }

  #isolate(): void {
    if (this.#isolated) return;
    const { setting, processesAlive, warnings } = this.#options;
    if (this.#pending.size > 0) warnings.changed(this.#shared, this.#state);
    this.#pending.drop();
    const { setting: divided, state } = isolatedLimiter(this.#state, {
      setting,
      processes: Math.max(1, processesAlive.size),
      hasJoined: this.#era !== undefined,
      nowMs: Date.now(),
    });
    this.#isolated = { setting: divided, spent: 0, told: state };
    this.#state = state;
    this.#notify();
  }

  #join(): void {
    this.#joining ??= this.#rejoin().finally(() => {
      this.#joining = undefined;
      if (this.#isolated) this.#pending.drop(); // the state has them
    });
  }

  /** Adds what was learned and spent while isolated to the shared state, and continues with that. */
  async #rejoin(): Promise<void> {
    if (!this.#isolated) return;
    const { store, setting, warnings } = this.#options;
    const { spent, told } = this.#isolated;
    const firstFullAtMs = this.#era === undefined ? this.#firstFullAtMs : undefined;
    const local = this.state;
    for (let isWritten: boolean | undefined = await store.read(this.underWay); ; ) {
      if (isWritten === undefined) return;
      const shared = this.#shared;
      const nowMs = Date.now();
      const isLost = this.#era !== undefined && store.era !== this.#era;
      const joined = joinedState(shared, local, { setting, spent, firstFullAtMs, isLost, nowMs });
      isWritten = await store.write(this.underWay, limiterWrite(shared, joined, setting, nowMs));
      if (isWritten && joined.warned !== told.warned) warnings.lowQuota(shared?.warned, joined.warned, joined.quota);
      if (isWritten) break;
      await rewriteTurn();
    }
    this.#isolated = undefined;
    this.#era = store.era;
    this.#adopt();
    this.#notify();
  }
}
