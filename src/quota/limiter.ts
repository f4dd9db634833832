import type { RequestOutcome } from '../model/errors.ts';
import type { QuotaReading } from '../model/quota.ts';
import { LOOK_EVERY_MS } from '../model/store/processes.ts';
import {
  afterEnded,
  afterLeft,
  afterPlanned,
  afterStated,
  type Blocked,
  type Decision,
  type Flow,
  foresee,
  type Lane,
  next,
  type Permit,
  type PermitLane,
  troubleThatCounts,
  whyBlocked,
} from './decision.ts';
import {
  type LimiterDocument,
  type SharedState,
  STORE_AWAITED_MS,
  underWayIn,
  withRequest,
} from './limiter-document.ts';
import { at, type LimiterState, type Now, type Terms } from './limiter-state.ts';

/**
 * A permit; or no permit before `untilMs`, unless a change brings one sooner; or none for longer than anybody should
 * wait.
 */
export type Acquired = { kind: 'permit'; permit: Permit } | Exclude<Decision, { kind: 'leave' }>;

const ANSWERS_AVERAGED = 4;

/**
 * Hands out permits at the plan's pace, and none after a 429, in an outage or on a spent day. Outcomes, headers and
 * reports change the state in its document, and all else follows from that. No method rejects.
 */
export class Limiter {
  readonly #document: LimiterDocument;
  readonly #terms: Terms;
  readonly #random: () => number;
  /** What the last answers have taken, on average; 0 before the first. */
  #answersTakeMs = 0;
  #lastLeftAtMs = Infinity;
  #seen: { of: readonly unknown[]; view: LimiterView } | undefined;

  constructor(document: LimiterDocument, { terms, random = Math.random }: { terms: Terms; random?: () => number }) {
    this.#document = document;
    this.#terms = terms;
    this.#random = random;
  }

  async acquire(lane: PermitLane): Promise<Acquired> {
    for (let isFresh = false; ; ) {
      const permit = await this.#take(lane);
      if (permit) return { kind: 'permit', permit };
      const decision = this.view().decide(lane);
      if (decision.kind === 'leave') continue; // another was faster
      if (isFresh || !(await this.#document.refresh())) return decision;
      isFresh = true; // another process may have ended what refuses it
    }
  }

  /** @returns `undefined` when none may leave by what is stored by then, or a 429 came while it was being stored */
  async #take(lane: PermitLane): Promise<Permit | undefined> {
    const leftAtMs = Date.now();
    let probe = false;
    const isTaken = await this.#document.wish((known) => {
      const decision = next(at(known.state, this.#terms, Date.now()), this.#flowIn(known), lane);
      if (decision.kind !== 'leave') return undefined;
      probe = decision.isProbe;
      const by = withRequest(known.by, this.#document.id, 1, probe);
      return { ...this.#after(known, leftAtMs, (state) => afterLeft(at(state, this.#terms, leftAtMs))), by };
    });
    if (!isTaken) return undefined;
    this.#lastLeftAtMs = performance.now();
    const permit = { probe, leftAtMs, isForWatches: lane === 'watches' };
    const nowMs = Date.now();
    const isStopped = lane !== 'report' && (this.#document.known.state.trouble?.untilMs ?? 0) > nowMs;
    if (isStopped && nowMs > leftAtMs) {
      await this.release(permit, { kind: 'abandoned' });
      return undefined;
    }
    return permit;
  }

  async release(permit: Permit, outcome: RequestOutcome): Promise<void> {
    const nowMs = Date.now();
    if (outcome.kind !== 'abandoned') {
      const tookMs = Math.max(0, nowMs - permit.leftAtMs);
      this.#answersTakeMs += (tookMs - this.#answersTakeMs) / (this.#answersTakeMs === 0 ? 1 : ANSWERS_AVERAGED);
    }
    const random = this.#random();
    await this.#document.note((known) => {
      const by = withRequest(known.by, this.#document.id, -1, permit.probe);
      const { underWay } = underWayIn(by);
      const ended = { outcome, underWay, random, nowMs };
      return { ...this.#after(known, nowMs, (state) => afterEnded(state, permit, ended, this.#terms)), by };
    });
  }

  /** The rate-limit headers of a response. They are stored with the outcome of its request. */
  observe(reading: QuotaReading): void {
    const nowMs = Date.now();
    const { known, id } = this.#document;
    const isHeld = Boolean(known.by[id]?.requests);
    void this.#document.note(
      (known) => this.#after(known, nowMs, (state) => afterStated(state, reading, this.#terms)),
      isHeld,
    );
  }

  /** The plan that a usage report named. */
  observePlan(plan: string): void {
    const nowMs = Date.now();
    void this.#document.note((known) => this.#after(known, nowMs, (state) => afterPlanned(state, plan, this.#terms)));
  }

  view(): LimiterView {
    const { known, awaySinceMs } = this.#document;
    const of = [known, awaySinceMs, Date.now()];
    if (!this.#seen?.of.every((each, index) => each === of[index])) {
      const awaitedUntilMs = awaySinceMs && Date.now() + STORE_AWAITED_MS - (performance.now() - awaySinceMs);
      this.#seen = { of, view: viewOf(at(known.state, this.#terms, Date.now()), this.#flowIn(known), awaitedUntilMs) };
    }
    return this.#seen.view;
  }

  /** Called whenever permits may come at other times than the view said. */
  onChange(listener: () => void): void {
    this.#document.onChange(listener);
  }

  /** What is known after something has happened. */
  #after(known: SharedState, nowMs: number, happened: (state: LimiterState) => LimiterState): SharedState {
    const state = { ...happened(known.state), atMs: nowMs };
    const trouble = state.trouble && troubleThatCounts(at(state, this.#terms, nowMs));
    return { ...known, state: { ...state, trouble } };
  }

  /**
   * A request that left last and is still under way shows that the answers have become slower; of those of others it is
   * told with a look.
   */
  #flowIn(known: SharedState): Flow {
    const all = underWayIn(known.by);
    const own = known.by[this.#document.id]?.requests;
    const sinceMs = performance.now() - this.#lastLeftAtMs;
    const lastMs = own ? sinceMs : Math.min(sinceMs, LOOK_EVERY_MS);
    return { ...all, answersTakeMs: Math.max(this.#answersTakeMs, all.underWay > 0 ? lastMs : 0) };
  }
}

/** What follows from the state of a limiter at one moment. */
export type LimiterView = ReturnType<typeof viewOf>;

/**
 * @param storeAwaitedUntilMs until when lookups wait for the Redis that the quota is shared over, if it cannot be
 * reached
 */
export function viewOf(now: Now, flow: Flow, storeAwaitedUntilMs?: number) {
  const { state, nowMs, pace, planned, windows, least, stop } = now;
  const { isProbing } = flow;
  const isAway = storeAwaitedUntilMs !== undefined && storeAwaitedUntilMs <= nowMs;
  const foreseen = new Map<PermitLane, (position: number) => number>();

  /** Why all of the lane are answered at once; `undefined` while waiting makes sense. */
  function blockedFor(lane: Lane): Blocked | undefined {
    return isAway ? { reason: 'store', untilMs: storeAwaitedUntilMs } : whyBlocked(now, lane, stop);
  }

  return {
    storeAwaitedUntilMs,
    /** A spent window, or what lasts until a probe has succeeded, also while waiting makes sense. */
    stop,
    /** One more request finds out whether the others may leave. */
    isProbing,
    /** What keeps requests from flowing freely, spent windows apart. */
    trouble: state.trouble,
    /** What answers have shown the service to allow, where that is less than the plan. */
    learned: { window: pace.window, capacity: pace.capacity < planned.capacity ? pace.capacity : undefined },
    /** The service asked us to wait. */
    paused: stop?.reason === 'pause' && stop.untilMs > nowMs,
    /** The window that leaves least; `undefined` while nothing is known. */
    quota: least,
    /** All that are known. */
    windows,
    blockedFor,

    /** Whether a request may leave now. */
    decide(lane: PermitLane): Decision {
      const untilMs = storeAwaitedUntilMs;
      if (untilMs === undefined) return next(now, flow, lane);
      return isAway ? { kind: 'blocked', reason: 'store', untilMs } : { kind: 'wait', untilMs };
    },

    /**
     * When the n-th permit from now (n from 1) is given, to one of the lane, if nothing else happens, and Redis can be
     * reached. The first: now, or in the past, exactly when one would be given now.
     */
    forecast(lane: PermitLane, position: number): number {
      const known = foreseen.get(lane) ?? foresee(now, flow, lane);
      foreseen.set(lane, known);
      return known(position);
    },
  };
}
