import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanSetting } from '../model/plan.ts';
import { afterClockJump, announce, type Change, type Decide, type LimiterCell } from './limiter-cell.ts';
import { INITIAL_LIMITER_STATE, type LimiterState, withProbe } from './limiter-state.ts';
import { countedIn, spendToken, type Taken, type WantedToken } from './permit.ts';
import {
  limiterWrite,
  type SharedCellOptions,
  SharedCopy,
  type SharedLimiterStore,
  sameSchedule,
  withProbeTaken,
} from './shared-limiter-store.ts';
import { type EndedRequests, isolatedFullAtMs, joinedState } from './without-redis.ts';

/**
 * Whether this process is one of those that share the state. Without Redis it has the plan divided by the processes last seen alive; permits given that
 * are not charged to the shared bucket yet, and the requests that ended without the others being told.
 */
type Membership =
  | { kind: 'joined' }
  | { kind: 'joining' | 'isolated'; setting: PlanSetting; spent: number; ended: EndedRequests };

const NOTHING_SPENT = { spent: 0, ended: { cards: 0, counted: 0 } };
const CHANGED: Taken = { kind: 'changed' };
/** A process that is to write before this one, as the store sees to, has written by then as a rule. */
const REWRITE_WITHIN_MS = 50;

/**
 * The state that processes share, as one of them knows it: as last read, with the changes made here. While isolated it
 * continues with what it last knew, at the plan divided by the processes last seen alive.
 */
export class SharedCell implements LimiterCell {
  readonly #options: SharedCellOptions;
  readonly #copy: SharedCopy;
  #notify = () => {};
  /** With the changes that are not in the store yet. */
  #state: LimiterState;
  #membership: Membership = { kind: 'joined' };
  /** The era of the stored state that this process joined last. */
  #era: string | undefined;
  #syncing: Promise<void> | undefined;

  constructor(options: SharedCellOptions) {
    const { link, processesAlive, initial = INITIAL_LIMITER_STATE } = options;
    this.#options = options;
    this.#copy = new SharedCopy(options);
    this.#state = afterClockJump(initial, Date.now());
    this.#isolate();
    link.onHealth((health) => (health === 'usable' ? void this.#sync() : this.#isolate()));
    processesAlive.onHeartbeat(() => void (this.#isJoined ? (this.#syncing ?? this.refresh()) : this.#sync()));
    if (link.health === 'usable') void this.#sync();
  }

  /** While isolated there is no clock of the store to notice that this machine's clock was set back, and no other's probe. */
  get state(): LimiterState {
    return this.#isJoined ? this.#state : withProbe(afterClockJump(this.#state, Date.now()), this.#copy.holdsProbe);
  }

  get setting(): PlanSetting {
    return this.#membership.kind === 'joined' ? this.#options.setting : this.#membership.setting;
  }

  get underWay(): number {
    return this.#copy.held.length + (this.#isJoined ? this.#options.store.asRead.underWayElsewhere : 0);
  }

  async take(token: WantedToken, decide: Decide): Promise<Taken> {
    const membership = this.#membership;
    if (membership.kind === 'joining') return this.#sync().then(() => CHANGED);
    if (membership.kind === 'joined')
      return token.permit.probe ? this.#takeProbe(token, decide) : this.#takeShared(token, decide);
    const { state, taken } = spendToken(this.state, token, Date.now());
    this.#state = state;
    if (taken.kind !== 'taken') return taken;
    this.#copy.permits.add(token.permit);
    membership.spent++;
    return taken;
  }

  async refresh(): Promise<boolean> {
    if (this.#membership.kind === 'isolated') {
      this.#state = this.state; // after a clock was set back
      return false;
    }
    await (this.#isJoined ? this.#call((store) => store.read(this.#copy.held.length)) : this.#sync());
    return true;
  }

  async change(change: Change): Promise<void> {
    const { events, setting, warnings } = this.#options;
    if (change.ended) this.#copy.permits.delete(change.ended);
    const before = this.state;
    this.#state = change.apply(before);
    announce(events, this.#state, setting);
    this.#copy.add(change);
    if (this.#membership.kind === 'isolated') {
      this.#keepToItself(this.#membership);
      return warnings.changed(before, this.#state, setting);
    }
    if (change.isReading && this.#copy.permits.size > 0) return;
    // Any number of changes are written at once, as soon as those before are.
    while (this.#copy.unwritten.includes(change)) await this.#sync();
  }

  onChange(listener: () => void): void {
    this.#notify = listener;
  }

  get #isJoined(): boolean {
    return this.#membership.kind === 'joined';
  }

  async #takeShared(token: WantedToken, decide: Decide): Promise<Taken> {
    const { permit } = token;
    const underWay = this.#copy.held.length;
    this.#copy.permits.add(permit);
    const taken = await this.#call((store) => store.take(underWay, token));
    this.#copy.permits.delete(permit);
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
    this.#copy.permits.add(token.permit);
    await this.change({ apply: (state) => withProbeTaken(state, decide(state, underWay), Date.now()) });
    if (this.#isJoined && this.#options.store.asRead.probeOf === this.#options.processesAlive.id) return taken;
    this.#copy.permits.delete(token.permit);
    return CHANGED;
  }

  /** Calls the store, and adopts what it answers. @returns `undefined` when it cannot be reached */
  async #call<T>(work: (store: SharedLimiterStore) => Promise<T | undefined>): Promise<T | undefined> {
    const { store, events } = this.#options;
    const { underWayElsewhere } = store.asRead;
    const result = await work(store);
    if (result === undefined) this.#isolate();
    if (!this.#isJoined) return result;
    const known = this.#state;
    const { stored } = this.#copy;
    if (stored && store.asRead.era === this.#era) {
      this.#state = this.#copy.changed(stored);
      announce(events, this.#state, this.#options.setting);
      // Whoever waits for a place under way may take one that another process has left.
      if (!sameSchedule(known, this.#state) || store.asRead.underWayElsewhere < underWayElsewhere) this.#notify();
    } else {
      this.#isolate(); // what was stored is lost
      void this.#sync();
    }
    return result;
  }

  #isolate(): void {
    if (!this.#isJoined) return;
    const { setting, processesAlive, warnings } = this.#options;
    if (this.#copy.unwritten.length > 0) warnings.changed(this.#copy.stored, this.#state, setting);
    const share = { ...setting, processes: Math.max(1, processesAlive.size) };
    this.#membership = { kind: this.#syncing === undefined ? 'isolated' : 'joining', setting: share, ...NOTHING_SPENT };
    this.#keepToItself(this.#membership);
    const fullAtMs = isolatedFullAtMs(this.#state, share, this.#era !== undefined, Date.now());
    this.#state = { ...this.#state, fullAtMs };
    this.#notify();
  }

  /** The state has the changes, and the others are not told of them one by one. */
  #keepToItself(isolated: { ended: EndedRequests }): void {
    for (const { outcome } of this.#copy.unwritten) {
      const { cards, counted } = isolated.ended;
      if (outcome) isolated.ended = { cards: cards + (outcome.cards ?? 1), counted: counted + countedIn(outcome) };
    }
    this.#copy.remove();
  }

  /** Joins if this process is isolated, and writes what is not in the store. */
  #sync(): Promise<void> {
    if (this.#membership.kind === 'isolated') this.#membership.kind = 'joining';
    this.#syncing ??= this.#write().finally(() => {
      this.#syncing = undefined;
      if (this.#membership.kind !== 'joining') return;
      this.#membership.kind = 'isolated';
      this.#keepToItself(this.#membership);
    });
    return this.#syncing;
  }

  async #write(): Promise<void> {
    /** What a process that joins knows. */
    let local: LimiterState | undefined;
    for (let isWritten: boolean | undefined = false; isWritten === false; ) {
      if (this.#membership.kind !== 'joined' && !local) {
        local = this.state;
        this.#keepToItself(this.#membership);
        if (!(await this.#options.store.read(this.#copy.held.length))) return;
      }
      isWritten = await this.#writeOnce(local);
      if (isWritten === false) await sleep(Math.random() * REWRITE_WITHIN_MS);
    }
    if (local && this.#isJoined) this.#notify();
  }

  async #writeOnce(local: LimiterState | undefined): Promise<boolean | undefined> {
    const { store, setting, warnings, initial = INITIAL_LIMITER_STATE } = this.#options;
    const { stored, unwritten, permits } = this.#copy;
    const nowMs = Date.now();
    const firstFullAtMs = this.#era === undefined ? initial.fullAtMs : undefined;
    const isLost = this.#era !== undefined && store.asRead.era !== this.#era;
    const { spent, ended } = this.#membership.kind === 'joined' ? NOTHING_SPENT : this.#membership;
    const joining = { setting, spent, ended, firstFullAtMs, isLost, nowMs };
    const before = local ? joinedState(stored, { local, ...joining }) : stored;
    if (!before) return undefined; // lost, which the call that has read it handles
    const after = this.#copy.changed(before);
    return this.#call(async () => {
      const isWritten = await store.write(permits.size, limiterWrite(stored, after, setting, nowMs));
      if (!isWritten) return isWritten;
      this.#copy.remove(unwritten);
      warnings.changed(before, after, setting);
      if (local) this.#membership = { kind: 'joined' };
      this.#era = store.asRead.era;
      return isWritten;
    });
  }
}
