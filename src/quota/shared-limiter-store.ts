import { isDeepStrictEqual } from 'node:util';
import type { PlanSetting } from '../model/plan.ts';
import { windowEndsMs } from './day-quota.ts';
import type { CellOptions, Change } from './limiter-cell.ts';
import type { Permit } from './limiter-port.ts';
import { type LimiterState, withProbe } from './limiter-state.ts';
import { emptyBucket, paceOf, reportedPlan } from './pace.ts';
import { type PermitDecision, spendToken, type Taken, type WantedToken, withLost } from './permit.ts';
import { leastOf, windowsOf } from './windows.ts';

/** What all processes share, as last read. Each method costs one round trip, and resolves with `undefined` when it fails. */
export interface SharedLimiterStore {
  /** By this machine's clock; `undefined` when none is stored, or an invalid one. */
  readonly state: LimiterState | undefined;
  readonly asRead: {
    /** Another one when what is stored was lost meanwhile. Empty when nothing is stored. */
    readonly era: string;
    /** It numbers what is stored, and is lower than before when the last writes were lost, as in a failover. */
    readonly version: number;
    /** The process that has the probe under way; empty when there is none, or it is dead. */
    readonly probeOf: string;
    /** Requests of the other processes that are alive. */
    readonly underWayElsewhere: number;
    /** Requests that processes had under way when they died; a write takes them as counted by its state. */
    readonly lost: number;
    /** When the last of them was heard of: a minute later none of them takes a place in what is allowed. */
    readonly lostAtMs: number;
  };
  /** @param underWay requests of this process, as in the other methods: a lost answer is corrected by the next call */
  read(underWay: number): Promise<true | undefined>;
  /**
   * Takes a token, unless what permits depend on has changed since it was read, or as many requests are under way as remain.
   * If there is none for a member, the next is left to this process before others that ask later.
   *
   * @param underWay without this one
   */
  take(underWay: number, token: WantedToken): Promise<Taken | undefined>;
  /** Writes the state, unless another process has since it was read. @returns whether it was written */
  write(underWay: number, write: LimiterWrite): Promise<boolean | undefined>;
}

/** A state, and what others than its writer need to know of it. */
export interface LimiterWrite {
  state: LimiterState;
  /** Decisions about permits may be other ones than before, the bucket and what remains of the day apart. */
  isNews: boolean;
  /** What the change costs the bucket, besides what others take meanwhile. */
  chargedMs: number;
  /** The bucket is no emptier than empty when this is written, or at the end of a pause: the time in which it fills then. */
  fillsInMs: number;
  pausedUntilMs: number;
  /** Requests left of the day, and until when that holds. */
  remaining: { requests: number; untilMs: number } | undefined;
  /** Who holds the probe afterwards: no process, the writer, or the one that held it before. */
  prober: 'none' | 'writer' | 'same';
}

/** @param before `undefined` when nothing was stored */
export function limiterWrite(
  before: LimiterState | undefined,
  after: LimiterState,
  setting: PlanSetting,
  nowMs: number,
): LimiterWrite {
  const { state, reason, untilMs } = after.breaker;
  const quota = leastOf(windowsOf(after, setting, nowMs));
  const { capacity, intervalMs } = paceOf(after, setting);
  // In a window every request that has ended keeps another one back.
  const isOfWindow = after.learned.window !== undefined && before?.learned !== after.learned;
  return {
    state: after,
    isNews: !before || !sameSchedule(before, after) || isOfWindow,
    chargedMs: Math.max(0, Math.max(after.fullAtMs, nowMs) - Math.max(before?.fullAtMs ?? 0, nowMs)),
    fillsInMs: capacity * intervalMs,
    pausedUntilMs: reason === 'pause' ? untilMs : 0,
    remaining: quota?.remaining === undefined ? undefined : { requests: quota.remaining, untilMs: windowEndsMs(quota) },
    prober: state !== 'halfOpen' ? 'none' : before?.breaker.state === 'halfOpen' ? 'same' : 'writer',
  };
}

/** How well the difference between two clocks is known. */
const SAME_TIME_MS = 100;

/** Whether both give permits at the same times, the bucket apart. */
export function sameSchedule(a: LimiterState, b: LimiterState): boolean {
  const isSameTime = Math.abs(a.breaker.untilMs - b.breaker.untilMs) <= SAME_TIME_MS;
  return isSameTime && isDeepStrictEqual(scheduledBy(a), scheduledBy(b));
}

function scheduledBy(state: LimiterState) {
  const { breaker, quota, learned } = state;
  const { capacity, window, refill, slower } = learned;
  return [breaker.state, breaker.reason, reportedPlan(state), quota?.limit, capacity, window, refill, slower?.steps];
}

/** The state after the probe was taken, unless it may not be taken any more. */
export function withProbeTaken(state: LimiterState, decision: PermitDecision, nowMs: number): LimiterState {
  const isProbe = decision.kind === 'token' && decision.permit.probe;
  return isProbe ? spendToken(state, decision, nowMs).state : state;
}

/**
 * The shared state when a process joins again: with what that knows, should a failover or a loss have taken it away.
 *
 * @param stored `undefined` when nothing is stored: then what this process knows becomes the shared state
 * @param known half open only if the probe is this process's
 * @param isLost the store has lost what this process knew, and with it how much was spent: no tokens are left
 */
export function rejoined(
  stored: LimiterState | undefined,
  known: LimiterState,
  isLost: boolean,
  setting: PlanSetting,
  nowMs: number,
): LimiterState {
  if (!isLost) return stored ?? known;
  const state = stored ? withNews(stored, known, nowMs) : known;
  return { ...state, fullAtMs: emptyBucket(nowMs, paceOf(state, setting)) };
}

function withNews(stored: LimiterState, known: LimiterState, nowMs: number): LimiterState {
  const { state, untilMs } = known.breaker;
  const isProbing = state === 'halfOpen' && stored.breaker.untilMs <= nowMs;
  const isLonger = state !== 'closed' && untilMs > stored.breaker.untilMs;
  const { breaker, openedUnder } = isProbing || isLonger ? known : stored;
  const isNewer = (known.quota?.receivedAtMs ?? 0) > (stored.quota?.receivedAtMs ?? 0);
  return { ...stored, breaker, openedUnder, quota: isNewer ? known.quota : stored.quota };
}

export interface SharedCellOptions extends CellOptions {
  store: SharedLimiterStore;
  /** Whether the store can be reached: `usable` or not. */
  link: { health: string; onHealth(listener: (health: string) => void): void };
  /** `onHeartbeat`: called about once a second while the store answers. */
  processesAlive: { id: string; onHeartbeat(listener: () => void): void };
  /** What is known of the account before anything is read from the store. */
  initial?: LimiterState | undefined;
}

/** The shared state as one process knows it: as last read, with the changes made here that are not in the store yet. */
export class SharedCopy {
  /** The permits of this process, with those that are being acquired. */
  readonly permits = new Set<Permit>();
  readonly #options: SharedCellOptions;
  #unwritten: readonly Change[] = [];

  constructor(options: SharedCellOptions) {
    this.#options = options;
  }

  get unwritten(): readonly Change[] {
    return this.#unwritten;
  }

  /** Until its outcome is in the store a request counts: what remains of the day is lowered with it, and a probe ends. */
  get held(): Permit[] {
    return [...this.permits, ...this.#unwritten.flatMap(({ ended }) => ended ?? [])];
  }

  get holdsProbe(): boolean {
    return this.held.some(({ probe }) => probe);
  }

  /** By this machine's clock, without the changes; `undefined` when nothing is stored. */
  get stored(): LimiterState | undefined {
    const { store, processesAlive, setting } = this.#options;
    const { state, asRead } = store;
    // A probe that this process acquired without receiving the answer counts as ended.
    const isProbing = asRead.probeOf === processesAlive.id ? this.holdsProbe : asRead.probeOf !== '';
    const known = state && asRead.lost > 0 ? withLost(state, asRead.lost, setting, asRead.lostAtMs) : state;
    return known && withProbe(known, isProbing);
  }

  add(change: Change): void {
    this.#unwritten = [...this.#unwritten, change];
  }

  remove(changes = this.#unwritten): void {
    this.#unwritten = this.#unwritten.filter((change) => !changes.includes(change));
  }

  /** What the changes make of a state. */
  changed(state: LimiterState): LimiterState {
    return this.#unwritten.reduce((changed, { apply }) => apply(changed), state);
  }
}
