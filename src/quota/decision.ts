import type { RequestOutcome } from '../model/errors.ts';
import { isRefused, type PlanSetting, type QuotaReading, type Stop, type StopReason } from '../model/quota.ts';
import { type BackOff, backOffMs, LOOKUP_BACK_OFF, withJitter } from '../time.ts';
import {
  type Ended,
  FIRST_UNDER_WAY,
  forgotten,
  isHeldBack,
  learn,
  mostAfter,
  placeAtMs,
  WINDOW_MS,
  withLeft,
} from './learning.ts';
import {
  at,
  type LimiterState,
  type Now,
  plannedPace,
  planOf,
  stopOfTrouble,
  type Terms,
  type Trouble,
} from './limiter-state.ts';
import { counted, SAME_WINDOW_MS, spent, stated, unreservedOf, windowEndsMs } from './windows.ts';

/**
 * In the order of permits. Members wait for an answer; renewals refresh what was already shown, and never take a
 * member's token; what is renewed for watches was asked for by nobody just now.
 */
export const LANES = ['members', 'renewals', 'watches'] as const;
export type Lane = (typeof LANES)[number];

/**
 * A usage report takes a token only when there is one. It does not wait in the queue, so it is never the probe, except
 * on a day that is spent as the service states it: that may have become larger.
 */
export type PermitLane = Lane | 'report';

/** Allows one request to be sent now. To be released with its outcome, whatever that is. */
export interface Permit {
  /** Whether all others wait for what comes of it. */
  probe: boolean;
  /** When it was given. */
  leftAtMs: number;
  isForWatches?: boolean;
}

/**
 * `reserve`: no renewals, for watches or not, while the last requests of a window are kept for members. `store`: the
 * Redis that the quota is shared over cannot be reached, nobody knows for how long.
 */
export type BlockedReason = StopReason | 'reserve' | 'store';

export interface Blocked {
  untilMs: number;
  reason: BlockedReason;
}

/**
 * Whether a request may leave: now, perhaps as the probe; not before then; or not for longer than anybody should wait.
 */
export type Decision =
  | { kind: 'leave'; isProbe: boolean }
  | { kind: 'wait'; untilMs: number }
  | ({ kind: 'blocked' } & Blocked);

/** What is under way at this moment. */
export interface Flow {
  /** Requests of all processes that have left and have not ended. */
  underWay: number;
  /** One of them is the probe. */
  isProbing: boolean;
  /** What the last answers have taken, or those under way that left last, if that is more. */
  answersTakeMs: number;
}

/** Whether one more request of the lane may leave. */
export function next(now: Now, flow: Flow, lane: PermitLane): Decision {
  const { state, nowMs, least, spent } = now;
  const { underWay, isProbing } = flow;
  const stop = lane === 'report' ? stopOfReport(now, isProbing) : now.stop;
  const blocked = whyBlocked(now, lane, stop);
  if (blocked) return { kind: 'blocked', ...blocked };
  const isFailing = state.trouble?.kind === 'failing';
  const { untilMs = 0 } = stop ?? ((isFailing && state.trouble) || {});
  if (untilMs > nowMs) return { kind: 'wait', untilMs };
  const waitsForProbe = stop && (isProbing || lane === 'report' || lane === 'watches');
  // It is unknown which of those under way the service has counted: with nothing under way one may leave, and its
  // answer tells.
  const most = Math.min(
    state.learned.most,
    isFailing ? FIRST_UNDER_WAY : Infinity,
    Math.max(1, least?.remaining ?? Infinity),
  );
  if (waitsForProbe || underWay >= Math.floor(most)) return { kind: 'wait', untilMs: nowMs + answersInMs(now, flow) };
  const atMs = permitAtMs(now, lane);
  if (atMs > nowMs) return { kind: 'wait', untilMs: atMs };
  return { kind: 'leave', isProbe: (stop ?? spent) !== undefined };
}

/** Why all of the lane are answered at once; `undefined` while waiting makes sense. */
export function whyBlocked(now: Now, lane: PermitLane, stop: Stop | undefined): Blocked | undefined {
  if (stop && stop.untilMs > now.nowMs && !isSatOut(now, stop)) return { reason: stop.reason, untilMs: stop.untilMs };
  if (lane === 'members' || lane === 'report') return undefined;
  const kept = now.windows.find((window) => unreservedOf(window) < 0);
  return kept && { reason: 'reserve', untilMs: windowEndsMs(kept) };
}

/** Whether those who wait are left to wait until it is over: an outage that has just begun may be a short one. */
function isSatOut({ state, terms, nowMs }: Now, { reason, beganMs = 0, untilMs }: Stop): boolean {
  const isNew = state.trouble?.inARow === FAILURES_OF_OUTAGE && untilMs - beganMs <= OUTAGE.longestMs;
  return untilMs - nowMs <= terms.longestWaitMs && (reason === 'pause' || (reason === 'outage' && isNew));
}

/** A report may ask on a spent day, once, and a refused key or plan is about lookups alone. */
function stopOfReport({ state: { trouble }, spent, stop }: Now, isProbing: boolean): Stop | undefined {
  if (spent && (isProbing || spent.isOurCount)) return stop;
  return trouble && !isRefused(trouble.kind) ? stopOfTrouble(trouble) : undefined;
}

/** One failure may be chance; three in a row, of different cards and with time between them, are an outage. */
const FAILURES_OF_OUTAGE = 3;
const OUTAGE: BackOff = { firstMs: 5_000, longestMs: 60_000 };

/** No answer is expected sooner: the end of a request is told in any case. */
const LEAST_ANSWER_MS = 100;

/** A limiter that delays answers at the plan's rate, however long the last ones have waited for it. */
function answersInMs({ state, pace }: Now, { answersTakeMs }: Flow): number {
  return Math.max(LEAST_ANSWER_MS, Math.min(answersTakeMs, state.learned.most * pace.intervalMs));
}

/** When there is a token, or a place in the window, that leaves members theirs; `nowMs` or before means now. */
function permitAtMs({ state, pace, nowMs }: Now, lane: PermitLane): number {
  const { intervalMs, capacity, window } = pace;
  if (window !== undefined) return placeAtMs(state.learned, window, leftFree(lane, window));
  const others = capacity - 1 - leftFree(lane, capacity);
  return Math.min(state.fullAtMs, nowMs + capacity * intervalMs) - others * intervalMs;
}

/**
 * How many of so many tokens or places a lane leaves to members. For watches the bucket has to be full: it refills as
 * fast.
 */
function leftFree(lane: PermitLane, capacity: number): number {
  if (lane === 'watches') return capacity - 1;
  return lane === 'renewals' ? Math.floor(capacity / 2) : 0;
}

const JUST_FREE_MS = 1_000;
const FAR_BELOW = 1.1;

/** A request has left. */
export function afterLeft(now: Now): LimiterState {
  const { state, nowMs, pace, planned } = now;
  const { intervalMs, capacity } = pace;
  // Far below the plan's rate somebody always waits.
  const isFar = intervalMs > FAR_BELOW * planned.intervalMs;
  const hasWaited = !isFar && nowMs - permitAtMs(now, 'members') < JUST_FREE_MS;
  const fullAtMs = Math.min(Math.max(state.fullAtMs, nowMs) + intervalMs, nowMs + capacity * intervalMs);
  return { ...state, fullAtMs, learned: withLeft(state.learned, hasWaited, nowMs) };
}

/** Nobody will know how so many requests have ended: the service may have counted them. */
export function afterLost({ state, terms, nowMs }: Now, requests: number): LimiterState {
  return { ...state, windows: counted(state.windows, requests, { leftAtMs: Infinity }, terms.setting, nowMs) };
}

/** The rate-limit headers of a response have come. */
export function afterStated(state: LimiterState, reading: QuotaReading, { setting }: Terms): LimiterState {
  return underItsPlan(state, { ...state, windows: stated(state.windows, reading, setting) }, setting);
}

/** A usage report has named the plan. */
export function afterPlanned(state: LimiterState, plan: string, { setting }: Terms): LimiterState {
  return underItsPlan(state, { ...state, reported: { plan, atLimit: state.windows.day?.stated?.limit } }, setting);
}

/** What was learned of a service under one plan says nothing of another. */
function underItsPlan(before: LimiterState, after: LimiterState, setting: PlanSetting): LimiterState {
  const was = plannedPace(planOf(before, setting).limits, setting);
  const is = plannedPace(planOf(after, setting).limits, setting);
  const isSamePace = was.intervalMs === is.intervalMs && was.capacity === is.capacity;
  return isSamePace ? after : { ...after, learned: forgotten(after.learned) };
}

/** A request has ended. */
export function afterEnded(
  before: LimiterState,
  permit: Permit,
  asEnded: Pick<Ended, 'outcome' | 'underWay' | 'random' | 'nowMs'>,
  terms: Terms,
): LimiterState {
  const { outcome, underWay, nowMs } = asEnded;
  const { kind, isCounted = kind === 'answered', spentWindow } = outcome;
  // The clock may have been set back meanwhile: a request that leaves later would hold back all others until then.
  const leftAtMs = Math.min(permit.leftAtMs, nowMs);
  const request = { ...permit, leftAtMs };
  const known = counted(before.windows, isCounted ? 1 : 0, request, terms.setting, nowMs);
  const windows = spentWindow ? spent(known, spentWindow, terms.setting, nowMs) : known;
  const { planned, spent: over } = at({ ...before, windows }, terms, nowMs);
  const ended = { ...asEnded, leftAtMs, isProbe: permit.probe, planned };
  const learned = over && kind === 'rateLimited' ? before.learned : learn(before.learned, ended);
  // The service works through what was given up, and answers nobody before.
  const asPause = { ...outcome, kind: 'rateLimited', statedMs: (underWay + 1) * planned.intervalMs } as const;
  const meant = isHeldBack(before.learned, ended) ? asPause : outcome;
  const state = { ...before, windows, learned };
  const now = at(state, terms, nowMs);
  const trouble = troubleAfter(now, { ...ended, outcome: meant });
  const { capacity, intervalMs } = now.pace;
  // Once a pause is over there is one token, and no more; a spent window that ends later refills the bucket.
  if (trouble?.kind === 'pause' && trouble.untilMs > nowMs && !over)
    return { ...state, trouble, fullAtMs: trouble.untilMs + (capacity - 1) * intervalMs };
  // A probe that was not sent leaves its token to the next.
  const leftMs = permit.probe && kind === 'abandoned' ? intervalMs : 0;
  // The bucket that was learned just now may be smaller: no more tokens can be missing than it holds.
  return { ...state, trouble, fullAtMs: Math.min(state.fullAtMs, nowMs + capacity * intervalMs) - leftMs };
}

/** On a spent window only a pause that outlasts it counts: whatever else there is shows itself afterwards. */
export function troubleThatCounts({ state: { trouble }, spent }: Now): Trouble | undefined {
  const isBeyond = trouble?.kind === 'pause' && spent && trouble.untilMs > windowEndsMs(spent) + SAME_WINDOW_MS;
  return !spent || isBeyond ? trouble : undefined;
}

const KEY_PAUSE_MS = 60_000;
/**
 * Where nothing tells when requests are allowed again, asking every few minutes would cost hundreds of refusals a day.
 */
const LONGEST_PAUSE_MS = 60 * 60_000;
const PAUSE: BackOff = { firstMs: 1_000, longestMs: LONGEST_PAUSE_MS };
/** A stated wait of nothing still means that this request was one too many. */
const SHORTEST_PAUSE_MS = 250;

const SHOWN = { rateLimited: 'pause', keyRefused: 'key', planRefused: 'plan', serviceDown: 'failing' } as const;

/** While requests are stopped, only a probe that left once the time was over tells whether they still are. */
function troubleAfter(now: Now, ended: Ended): Trouble | undefined {
  const { trouble } = now.state;
  const { kind } = ended.outcome;
  if (kind === 'abandoned') return trouble;
  const isStopped = trouble && trouble.kind !== 'failing';
  if (isStopped && !(ended.isProbe && trouble.untilMs <= now.nowMs)) return lengthened(trouble, now, ended);
  if (kind === 'answered') return undefined;
  const shown = SHOWN[kind];
  const isSame = trouble && shown === (trouble.kind === 'outage' ? 'failing' : trouble.kind);
  const inARow = isSame ? trouble.inARow + 1 : 1;
  if (shown === 'failing') return failureAfter(now, ended, inARow);
  const { outcome, random } = ended;
  const waitMs = shown === 'pause' ? withJitter(pauseMs(now, outcome.statedMs, inARow), random) : KEY_PAUSE_MS;
  return { kind: shown, inARow, beganMs: beganMs(now, shown), untilMs: now.nowMs + waitMs };
}

function beganMs({ state: { trouble }, nowMs }: Now, kind: Trouble['kind']): number {
  return trouble?.kind === kind ? trouble.beganMs : nowMs;
}

/** What left before can but lengthen the wait, by a 429 or a stated outage. */
function lengthened(trouble: Trouble, now: Now, { outcome, random }: Ended): Trouble {
  const { kind, statedMs } = outcome;
  const waitMs = kind === 'rateLimited' ? pauseMs(now, statedMs, 1) : statedOutageMs(outcome);
  if (waitMs === 0) return trouble;
  return { ...trouble, untilMs: Math.max(trouble.untilMs, now.nowMs + withJitter(waitMs, random)) };
}

/**
 * Failures that come soon after one another are one hiccup, and a card may be what fails, so it counts once until it is
 * answered; but what a probe was for is told apart from the service by nobody.
 *
 * @returns what is known already when it says nothing new
 */
function failureAfter(now: Now, ended: Ended, inARow: number): Trouble | undefined {
  const { nowMs } = now;
  const { trouble } = now.state;
  const { outcome, leftAtMs, isProbe, random } = ended;
  const statedMs = statedOutageMs(outcome);
  const isOfLast = trouble?.kind === 'failing' && leftAtMs < trouble.untilMs;
  const isOfCard = outcome.isSuspect && !isProbe;
  if (statedMs === 0 && (isOfLast || isOfCard)) return trouble;
  const failures = statedMs > 0 ? Math.max(FAILURES_OF_OUTAGE, inARow) : inARow;
  const inOutage = failures - FAILURES_OF_OUTAGE + 1;
  const backOff = inOutage > 0 ? backOffMs(inOutage, OUTAGE) : backOffMs(failures, LOOKUP_BACK_OFF);
  // A first silence has lasted as long already: what waits is told the sooner.
  const fromMs = statedMs > 0 || inOutage > 1 ? nowMs : leftAtMs;
  const untilMs = Math.max(nowMs, fromMs + withJitter(statedMs || backOff, random));
  const kind = inOutage > 0 ? 'outage' : 'failing';
  return { kind, inARow: failures, beganMs: beganMs(now, kind), untilMs };
}

/** For how long the service says that it is down; 0 where it does not, or for a wait that concerns a single card. */
function statedOutageMs({ kind, statedMs = 0 }: RequestOutcome): number {
  return kind === 'serviceDown' && statedMs > OUTAGE.longestMs ? statedMs : 0;
}

/**
 * How long no request leaves after the n-th 429 in a row: never less than the service stated; after repeated 429s, or
 * without a stated wait, at least the exponential back-off. Where no burst is left, requests that are refused may
 * count.
 */
function pauseMs({ state, pace }: Now, statedMs: number | undefined, inARow: number): number {
  const { capacity, intervalMs } = pace;
  const isBare = capacity === 1 && state.learned.rung > 0;
  const bareMs = isBare ? backOffMs(inARow, { firstMs: 2 * intervalMs, longestMs: LONGEST_PAUSE_MS }) : 0;
  const leastMs = statedMs === undefined || inARow > 1 ? backOffMs(inARow, PAUSE) : SHORTEST_PAUSE_MS;
  return Math.max(statedMs ?? 0, bareMs, leastMs);
}

/** Further permits are expected at the pace. */
const MOST_STEPS = 32;

/**
 * When the n-th permit from now (n from 1) is given to one of the lane, if nothing else happens: by the same decision,
 * again and again. The first: now, or in the past, exactly when one would be given now. What is under way is expected
 * to be answered together.
 */
export function foresee(now: Now, flow: Flow, lane: PermitLane): (position: number) => number {
  const foreseen: number[] = [];
  let steps = 0;
  let [then, ofThen, sinceMs] = [now, flow, now.nowMs];

  function step(): void {
    const { state, terms, nowMs } = then;
    const { underWay, isProbing } = ofThen;
    const decision = next(then, ofThen, lane);
    if (decision.kind === 'leave') {
      foreseen.push(nowMs);
      if (underWay === 0) sinceMs = nowMs;
      then = at(afterLeft(then), terms, nowMs);
      ofThen = { ...ofThen, underWay: underWay + 1, isProbing: isProbing || decision.isProbe };
      return;
    }
    const { untilMs } = decision;
    const isAnswered = untilMs >= sinceMs + answersInMs(then, ofThen);
    then = at(isAnswered ? afterAnswers(then, underWay) : state, terms, untilMs);
    if (!isAnswered) return;
    ofThen = { ...ofThen, underWay: 0, isProbing: false };
    sinceMs = untilMs;
  }

  return (position) => {
    for (; foreseen.length < position && steps < MOST_STEPS; steps++) step();
    const known = foreseen[position - 1];
    if (known !== undefined) return known;
    const more = position - foreseen.length;
    const { pace, nowMs } = then;
    if (pace.window !== undefined) return nowMs + (more * WINDOW_MS) / pace.window;
    return Math.max(nowMs, permitAtMs(then, lane) + (more - 1) * pace.intervalMs);
  };
}

function afterAnswers({ state, planned, nowMs }: Now, answers: number): LimiterState {
  const trouble = state.trouble && state.trouble.untilMs > nowMs ? state.trouble : undefined;
  return { ...state, trouble, learned: { ...state.learned, most: mostAfter(state.learned, answers, planned) } };
}
