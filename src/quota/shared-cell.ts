import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanSetting } from '../model/plan.ts';
import { afterClockJump, announce, type Change, type Decide, type LimiterCell } from './limiter-cell.ts';
import { INITIAL_LIMITER_STATE, type LimiterState, underSetting, withProbe } from './limiter-state.ts';
import { STORE_AWAITED_MS } from './limiter-view.ts';
import { spendToken, type Taken, type WantedToken } from './permit.ts';
import {
  limiterWrite,
  rejoined,
  type SharedCellOptions,
  SharedCopy,
  type SharedLimiterStore,
  sameSchedule,
  withProbeTaken,
} from './shared-limiter-store.ts';

const CHANGED: Taken = { kind: 'changed' };
/** A process that is to write before this one, as the store sees to, has written by then as a rule. */
const REWRITE_WITHIN_MS = 50;

/**
 * The state that processes share, as one of them knows it: as last read, with the changes made here. While the store cannot
 * be reached this process is away: it keeps what it knows, and writes that when it joins again.
 */
export class SharedCell implements LimiterCell {
  readonly setting: PlanSetting;
  readonly #options: SharedCellOptions;
  readonly #copy: SharedCopy;
  #notify = () => {};
  /** With the changes that are not in the store yet. */
  #state: LimiterState;
  /** Without them, as last read or written; before that, what was known at the start. */
  #agreed: LimiterState;
  #awaySinceMs: number | undefined = performance.now();
  /** The era of the stored state that this process joined last. */
  #era: string | undefined;
  #version = 0;
  #syncing: Promise<void> | undefined;

  constructor(options: SharedCellOptions) {
    const { link, processesAlive, setting, initial = INITIAL_LIMITER_STATE } = options;
    this.setting = setting;
    this.#options = options;
    this.#copy = new SharedCopy(options);
    this.#state = initial;
    this.#agreed = initial;
    link.onHealth((health) => (health === 'usable' ? void this.#sync() : this.#leave()));
    processesAlive.onHeartbeat(() => void (this.#isAway ? this.#sync() : (this.#syncing ?? this.refresh())));
    if (link.health === 'usable') void this.#sync();
  }

  get state(): LimiterState {
    return this.#state;
  }

  get awaySinceMs(): number | undefined {
    return this.#awaySinceMs;
  }

  get underWay(): number {
    return this.#copy.held.length + this.#options.store.asRead.underWayElsewhere;
  }

  take(token: WantedToken, decide: Decide): Promise<Taken> {
    return token.permit.probe ? this.#takeProbe(token, decide) : this.#takeShared(token, decide);
  }

  async refresh(): Promise<boolean> {
    await (this.#isAway ? this.#syncing : this.#call((store) => store.read(this.#copy.held.length)));
    return !this.#isAway;
  }

  async change(change: Change): Promise<void> {
    const { events, setting } = this.#options;
    if (change.ended) this.#copy.permits.delete(change.ended);
    this.#state = change.apply(this.#state);
    announce(events, this.#state, setting);
    this.#copy.add(change);
    if (change.isReading && this.#copy.permits.size > 0) return;
    // Any number of changes are written at once, as soon as those before are.
    do await this.#sync();
    while (!this.#isAway && this.#copy.unwritten.includes(change));
  }

  onChange(listener: () => void): void {
    this.#notify = listener;
  }

  get #isAway(): boolean {
    return this.#awaySinceMs !== undefined;
  }

  async #takeShared(token: WantedToken, decide: Decide): Promise<Taken> {
    const { permit } = token;
    const underWay = this.#copy.held.length;
    this.#copy.permits.add(permit);
    const taken = await this.#call((store) => store.take(underWay, token));
    this.#copy.permits.delete(permit);
    if (this.#isAway) await this.#syncing; // it may only have been lost
    if (taken?.kind !== 'taken') return taken ?? CHANGED;
    const decision = decide(this.state, this.underWay); // a 429 may have come here meanwhile
    if (decision.kind !== 'token' || decision.permit.probe) return CHANGED;
    this.#copy.permits.add(permit);
    return taken;
  }

  /** One process of all gets the probe. */
  async #takeProbe(token: WantedToken, decide: Decide): Promise<Taken> {
    const { taken } = spendToken(this.state, token, Date.now());
    if (taken.kind !== 'taken') return taken; // others take tokens, and add none
    const { underWay } = this;
    const change = { apply: (state: LimiterState) => withProbeTaken(state, decide(state, underWay), Date.now()) };
    this.#copy.permits.add(token.permit);
    await this.change(change);
    if (!this.#isAway && this.#options.store.asRead.probeOf === this.#options.processesAlive.id) return taken;
    this.#copy.permits.delete(token.permit);
    this.#copy.remove([change]);
    return CHANGED;
  }

  /** Calls the store, and adopts what it answers. @returns `undefined` when it cannot be reached */
  async #call<T>(work: (store: SharedLimiterStore) => Promise<T | undefined>): Promise<T | undefined> {
    const { store, events } = this.#options;
    const { underWayElsewhere } = store.asRead;
    const result = await work(store);
    if (result === undefined) this.#leave();
    if (this.#isAway) return result;
    const known = this.#state;
    const { stored } = this.#copy;
    if (stored && store.asRead.era === this.#era) {
      this.#agreed = stored;
      this.#version = store.asRead.version;
      this.#state = this.#copy.changed(stored);
      announce(events, this.#state, this.#options.setting);
      // Whoever waits for a place under way may take one that another process has left.
      if (!sameSchedule(known, this.#state) || store.asRead.underWayElsewhere < underWayElsewhere) this.#notify();
    } else {
      this.#leave(); // what was stored is lost
      void this.#sync();
    }
    return result;
  }

  #leave(): void {
    if (this.#isAway) return;
    this.#awaySinceMs = performance.now();
    this.#notify();
    setTimeout(() => this.#notify(), STORE_AWAITED_MS).unref(); // it is not awaited any longer
  }

  /** Joins if this process is away, and writes what is not in the store. */
  #sync(): Promise<void> {
    this.#syncing ??= this.#write().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  async #write(): Promise<void> {
    const { store } = this.#options;
    for (;;) {
      if (this.#isAway && !(await store.read(this.#copy.held.length))) return;
      if ((await this.#writeOnce()) !== false) return;
      await sleep(Math.random() * REWRITE_WITHIN_MS);
    }
  }

  async #writeOnce(): Promise<boolean | undefined> {
    const { store, setting, warnings } = this.#options;
    const { stored, unwritten, permits } = this.#copy;
    const nowMs = Date.now();
    const isJoining = this.#isAway;
    const before = isJoining ? this.#joined(stored, nowMs) : stored;
    if (!before) return undefined; // lost, which the call that has read it handles
    const after = this.#copy.changed(before);
    return this.#call(async () => {
      const isWritten = await store.write(permits.size, limiterWrite(stored, after, setting, nowMs));
      if (!isWritten) return isWritten;
      this.#copy.remove(unwritten);
      warnings.changed(before, after, setting);
      if (!isJoining) return isWritten;
      this.#era = store.asRead.era;
      this.#awaySinceMs = undefined;
      this.#notify();
      return isWritten;
    });
  }

  /** What is shared when this process joins. */
  #joined(stored: LimiterState | undefined, nowMs: number): LimiterState {
    const { store, setting } = this.#options;
    const known = withProbe(afterClockJump(this.#agreed, nowMs), this.#copy.holdsProbe);
    const isFirst = this.#era === undefined;
    const { era, version } = store.asRead;
    const isLost = !isFirst && (era !== this.#era || version < this.#version);
    const joined = rejoined(stored, known, isLost, setting, nowMs);
    return isFirst ? underSetting(joined, setting) : joined;
  }
}
