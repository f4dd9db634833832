import { type Pace, PLAN_LIMITS, type PlanSetting } from '../model/plan.ts';
import { type Breaker, isRefused, spentWindow, type WindowQuota } from '../model/quota.ts';
import { isSatOut } from './circuit-breaker.ts';
import { windowEndsMs } from './day-quota.ts';
import { learnedUnder, mostOfRefill, NOTHING_LEARNED, sharedOut, WINDOW_MS, windowSlotsMs } from './learned.ts';
import type { Blocked, LimiterView, PermitLane } from './limiter-port.ts';
import type { LimiterState } from './limiter-state.ts';
import { keepingMs, paceOf, plannedPace, tokenAtMs } from './pace.ts';
import type { PermitDecision } from './permit.ts';
import { leastOf, leastUnreserved, windowsOf } from './windows.ts';

/** What decides whether a request may leave, and when. */
export interface LimiterFacts {
  state: LimiterState;
  setting: PlanSetting;
  /** Requests that have left and have not ended, of all processes. */
  underWay: number;
  /** This process has had no answer yet, so that what is known of the plan may be about another one. */
  isUnconfirmed: boolean;
  /** `LONGEST_WAIT_SECONDS`: longer pauses are not sat out. */
  longestWaitMs: number;
  /** What the last answers have taken, or those under way that left last, if that is more. */
  answersTakeMs: number;
}

/** Any plan allows as many requests at once. */
const FREE_BURST = PLAN_LIMITS.free.burst - 1;
/** No place under way is expected sooner: the end of a request is told in any case. */
const LEAST_PLACE_MS = 100;

/** What follows from a limiter's state at one moment: the decision about a permit, and the same decision for a later one. */
export class StateView implements LimiterView {
  readonly breaker: Breaker;
  readonly learned: LimiterView['learned'];
  readonly isIsolated: boolean;
  readonly paused: boolean;
  readonly quota: WindowQuota | undefined;
  readonly windows: readonly WindowQuota[];
  readonly unreserved: number;
  readonly #reservedUntilMs: number;
  readonly #facts: LimiterFacts;
  readonly #nowMs: number;
  readonly #pace: Pace;
  /** When each request of a window may leave; empty where the bucket counts. */
  readonly #slotsMs: readonly number[];
  /** Requests that may be under way, what remains of the day apart. */
  readonly #most: number;
  readonly #isGrowing: boolean;
  /** By what was counted here a window is spent, which no answer will tell to be otherwise. */
  readonly #isOursSpent: boolean;

  constructor(facts: LimiterFacts, nowMs: number) {
    const { state, setting, underWay, isUnconfirmed } = facts;
    const { breaker } = state;
    this.#pace = paceOf(state, setting);
    const learned =
      this.#pace.window === undefined ? state.learned : learnedUnder(state.learned, plannedPace(state, setting));
    const shared = sharedOut(learned, setting.processes ?? 1);
    const isUnsure = isUnconfirmed && setting.plan === 'auto';
    this.#facts = facts;
    this.#nowMs = nowMs;
    this.#slotsMs = windowSlotsMs(shared, underWay, nowMs);
    this.#most = Math.min(
      shared.inFlight,
      mostInDoubt(breaker),
      isUnsure ? FREE_BURST : Number.POSITIVE_INFINITY,
      mostOfRefill(learned, nowMs),
    );
    this.#isGrowing = learned.isStarting || this.#most < learned.inFlight;
    this.learned = { window: learned.window, capacity: learned.capacity };
    this.isIsolated = setting.processes !== undefined;
    this.paused = breaker.reason === 'pause' && breaker.untilMs > nowMs;
    this.windows = windowsOf(state, setting, nowMs);
    this.quota = leastOf(this.windows);
    this.#isOursSpent = this.quota?.isOurCount === true && this.quota.remaining === 0;
    this.breaker = this.#isOursSpent ? openUntilOver(breaker, this.quota as WindowQuota, nowMs) : breaker;
    ({ requests: this.unreserved, untilMs: this.#reservedUntilMs } = leastUnreserved(this.windows));
  }

  refusalFor(lane: PermitLane): Blocked | undefined {
    const { breaker } = this;
    if (breaker.state !== 'closed') {
      if (this.#isUnaffected(lane)) return undefined;
      const leftMs = breaker.untilMs - this.#nowMs;
      const isWaitedFor = isSatOut(breaker) && leftMs <= this.#facts.longestWaitMs;
      if (leftMs > 0 && !isWaitedFor) return { reason: breaker.reason, untilMs: breaker.untilMs };
    }
    if (lane === 'members' || lane === 'report' || this.unreserved >= 0) return undefined;
    return { reason: 'reserve', untilMs: this.#reservedUntilMs };
  }

  /** Whether a request may leave as soon as there is a token for it. */
  decide(lane: PermitLane): PermitDecision {
    const refused = this.refusalFor(lane);
    if (refused) return { kind: 'blocked', ...refused };
    const nowMs = this.#nowMs;
    const untilMs = Math.max(this.#placeAtMs(1), this.#slotAtMs(lane, 1, this.#flowsAtMs(lane)));
    if (untilMs > nowMs) return { kind: 'wait', untilMs };
    const freeSlots = this.#slotsMs.filter((atMs) => atMs <= nowMs).length;
    const isOfWindow = this.#slotsMs.length > 0; // it alone counts
    return {
      kind: 'token',
      lane,
      permit: {
        probe: this.breaker.state !== 'closed' && !(lane === 'report' && isRefused(this.breaker.reason)),
        leftAtMs: nowMs,
        ...(lane === 'watches' && { isForWatches: true }),
      },
      pace: this.#pace,
      heldBackMs: isOfWindow ? undefined : this.#heldBackMs(lane),
      mostUnderWay: isOfWindow ? Math.min(this.#most, this.#facts.underWay + freeSlots) : this.#most,
    };
  }

  forecast(lane: PermitLane, position: number): number {
    const fromMs = this.refusalFor(lane)?.untilMs ?? this.#flowsAtMs(lane);
    const freeAtMs = Math.max(this.#placeAtMs(position), this.#slotAtMs(lane, position, fromMs));
    if (this.#slotsMs.length > 0) return freeAtMs;
    const heldBackMs = this.#heldBackMs(lane);
    const fullAtMs = Math.max(this.#facts.state.fullAtMs, this.#nowMs);
    const firstMs = heldBackMs === undefined ? fromMs : tokenAtMs(fullAtMs, this.#nowMs, this.#pace, heldBackMs);
    return Math.max(freeAtMs, firstMs + (position - 1) * this.#pace.intervalMs);
  }

  /** A refused key or plan is about the card lookup. What the service states may have become larger, and a member who wants the report asks that. */
  #isUnaffected(lane: PermitLane): boolean {
    if (lane !== 'report' || this.#isOursSpent) return false;
    const { state, reason } = this.breaker;
    return isRefused(reason) || (spentWindow(reason) !== undefined && state === 'open');
  }

  /** When requests of the lane flow: after a wait that is sat out, and not beside a probe. */
  #flowsAtMs(lane: PermitLane): number {
    const { state, untilMs } = this.breaker;
    if (this.#isUnaffected(lane)) return this.#nowMs;
    if (untilMs > this.#nowMs && isSatOut(this.breaker)) return untilMs;
    const waitsForProbe = state === 'halfOpen' || (state === 'open' && (lane === 'report' || lane === 'watches'));
    return this.#nowMs + (waitsForProbe ? Math.max(LEAST_PLACE_MS, this.#facts.answersTakeMs) : 0);
  }

  /**
   * When the n-th place under way from now is free, at the pace of the last answers; their number doubles with each round
   * of answers as long as nothing has shown how many are too many. The requests under way may take all that remains of a
   * window, or of an isolated process's part of it: it is unknown which of them the service has counted already, so none is
   * taken as counted; with nothing under way one more may always leave, and its answer tells.
   */
  #placeAtMs(position: number): number {
    const { underWay, answersTakeMs, state, setting } = this.#facts;
    const remaining = (this.quota?.remaining ?? Number.POSITIVE_INFINITY) / (setting.processes ?? 1);
    const most = Math.min(this.#most, Math.max(1, Math.floor(remaining)));
    // A limiter that delays answers at the plan's rate, however long the last ones have waited for it.
    const takeMs = state.learned.late ? Math.min(answersTakeMs, most * this.#pace.intervalMs) : answersTakeMs;
    const missing = position - Math.ceil(most - underWay);
    if (missing <= 0) return this.#nowMs;
    const rounds = this.#isGrowing ? Math.log2(1 + missing / most) : missing / most;
    return this.#nowMs + Math.max(LEAST_PLACE_MS, rounds * takeMs);
  }

  /** @param fromMs no request leaves before */
  #slotAtMs(lane: PermitLane, position: number, fromMs: number): number {
    const slots = this.#slotsMs.length;
    if (slots === 0) return fromMs;
    const index = leftFree(lane, slots) + position - 1;
    return Math.max(this.#slotsMs[index % slots] ?? fromMs, fromMs) + Math.floor(index / slots) * WINDOW_MS;
  }

  /** A pause leaves the bucket empty; its probe needs no token, and leaves none. */
  #heldBackMs(lane: PermitLane): number | undefined {
    if (this.breaker.reason === 'pause' && lane === 'members') return undefined;
    return keepingMs(leftFree(lane, this.#pace.capacity), this.#pace);
  }
}

/** After a kill what was under way may have been the last of a window without its answer having opened the breaker. */
function openUntilOver(breaker: Breaker, window: WindowQuota, nowMs: number): Breaker {
  const { per: reason = 'day' } = window;
  const untilMs = windowEndsMs(window);
  if (breaker.state === 'halfOpen' || breaker.untilMs >= untilMs) return breaker;
  return { state: 'open', reason, sinceMs: nowMs, untilMs, failures: 1 };
}

/** After a failure no more requests are under way than before the first answer, until there is one. */
function mostInDoubt({ state, failures }: Breaker): number {
  return state === 'closed' && failures > 0 ? NOTHING_LEARNED.inFlight : Number.POSITIVE_INFINITY;
}

/** How many of so many tokens or places a lane leaves to members. For watches the bucket has to be full: it refills as fast. */
function leftFree(lane: PermitLane, capacity: number): number {
  if (lane === 'watches') return Math.max(0, capacity - 1);
  return lane === 'renewals' ? Math.floor(capacity / 2) : 0;
}
