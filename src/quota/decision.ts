import { isRefused, type QuotaReading, type Stop, type StopReason } from '../model/quota.ts';
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
import { at, type LimiterState, type Now, type Trouble } from './limiter-state.ts';
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
  const blocked = whyBlocked(now, isProbing, lane);
  if (blocked) return { kind: 'blocked', ...blocked };
  const stop = stopOf(now, lane, isProbing);
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
export function whyBlocked(now: Now, isProbing: boolean, lane: PermitLane): Blocked | undefined {
  const { reason, beganMs = 0, untilMs = 0 } = stopOf(now, lane, isProbing) ?? {};
  const waitMs = untilMs - now.nowMs;
  // An outage that has just begun may be a hiccup.
  const isHiccup = now.state.trouble?.inARow === FAILURES_OF_OUTAGE && untilMs - beganMs <= OUTAGE.longestMs;
  const isSatOut = waitMs <= now.terms.longestWaitMs && (reason === 'pause' || (reason === 'outage' && isHiccup));
  if (reason && waitMs > 0 && !isSatOut) return { reason, untilMs };
  if (lane === 'members' || lane === 'report') return undefined;
  const kept = now.windows.find((window) => unreservedOf(window) < 0);
  return kept && { reason: 'reserve', untilMs: windowEndsMs(kept) };
}

/**
 * Why requests do not flow, a spent window before all else; `undefined` while they do.
 *
 * @param lane a report may ask on a spent day, once, and a refused key or plan is about lookups alone; absent: of any
 */
export function stopOf({ state, spent }: Now, lane?: PermitLane, isProbing = false): Stop | undefined {
  const isReport = lane === 'report';
  if (spent && !(isReport && !isProbing && !spent.isOurCount))
    return { reason: spent.per ?? 'day', untilMs: windowEndsMs(spent) };
  const { kind: reason = 'failing', beganMs = 0, untilMs = 0 } = state.trouble ?? {};
  return reason === 'failing' || (isReport && isRefused(reason)) ? undefined : { reason, beganMs, untilMs };
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
export function afterStated(now: Now, reading: QuotaReading): LimiterState {
  const { state, terms } = now;
  return atNewPace(now, { ...state, windows: stated(state.windows, reading, terms.setting) });
}

/** A usage report has named the plan. */
export function afterPlanned(now: Now, plan: string): LimiterState {
  const { state } = now;
  return atNewPace(now, { ...state, reported: { plan, atLimit: state.windows.day?.stated?.limit } });
}

/** What was learned of a service under one plan says nothing of another. */
function atNewPace({ planned, terms, nowMs }: Now, after: LimiterState): LimiterState {
  const { intervalMs, capacity } = at(after, terms, nowMs).planned;
  const isSame = intervalMs === planned.intervalMs && capacity === planned.capacity;
  return isSame ? after : { ...after, learned: forgotten(after.learned) };
}

/** A request has ended. */
export function afterEnded(
  before: Now,
  permit: Permit,
  asEnded: Pick<Ended, 'outcome' | 'underWay' | 'random'>,
): LimiterState {
  const { terms, nowMs, planned } = before;
  const { outcome, underWay } = asEnded;
  const { kind, isCounted = kind === 'answered', spentWindow } = outcome;
  // The clock may have been set back meanwhile: a request that leaves later would hold back all others until then.
  const leftAtMs = Math.min(permit.leftAtMs, nowMs);
  const ended = { ...asEnded, leftAtMs, isProbe: permit.probe, nowMs, planned };
  const request = { ...permit, leftAtMs };
  const known = counted(before.state.windows, isCounted ? 1 : 0, request, terms.setting, nowMs);
  const windows = spentWindow ? spent(known, spentWindow, terms.setting, nowMs) : known;
  const { spent: over } = at({ ...before.state, windows }, terms, nowMs);
  const learned = over && kind === 'rateLimited' ? before.state.learned : learn(before.state.learned, ended);
  // The service works through what was given up, and answers nobody before.
  const asPause = { ...outcome, kind: 'rateLimited', statedMs: (underWay + 1) * planned.intervalMs } as const;
  const meant = isHeldBack(before.state.learned, ended) ? asPause : outcome;
  const state = { ...before.state, windows, learned };
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
export function counting({ state, spent }: Now): LimiterState {
  const { trouble } = state;
  const isBeyond = trouble?.kind === 'pause' && spent && trouble.untilMs > windowEndsMs(spent) + SAME_WINDOW_MS;
  return !spent || isBeyond ? state : { ...state, trouble: undefined };
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

/**
 * While requests are stopped, only the probe tells whether they still are: any other left before, and its 429 or stated
 * outage can but lengthen the wait.
 */
function troubleAfter(now: Now, ended: Ended): Trouble | undefined {
  const { trouble } = now.state;
  const { kind } = ended.outcome;
  const isOther = isStraggler(now, ended);
  if (kind === 'abandoned' || (kind === 'answered' && isOther)) return trouble;
  if (kind === 'answered') return undefined;
  const before = trouble?.kind === 'outage' ? 'failing' : trouble?.kind;
  const inARow = trouble && !isOther && before === SHOWN[kind] ? trouble.inARow + 1 : 1;
  const found = troubleShown(now, ended, { kind: SHOWN[kind], inARow });
  if (!found) return trouble;
  if (trouble && isOther) return { ...trouble, untilMs: Math.max(trouble.untilMs, found.untilMs) };
  return { ...found, beganMs: trouble?.kind === found.kind ? trouble.beganMs : now.nowMs };
}

/** Requests are stopped, and it is any but a probe that left once the time of the stop was over. */
function isStraggler({ state: { trouble }, nowMs }: Now, { isProbe }: Ended): boolean {
  return trouble !== undefined && trouble.kind !== 'failing' && !(isProbe && trouble.untilMs <= nowMs);
}

/** @returns `undefined` when it says nothing new */
function troubleShown(
  now: Now,
  ended: Ended,
  shown: Pick<Trouble, 'kind' | 'inARow'>,
): Omit<Trouble, 'beganMs'> | undefined {
  const { nowMs } = now;
  const { leftAtMs, random } = ended;
  const { statedMs } = ended.outcome;
  if (shown.kind === 'pause')
    return { ...shown, untilMs: nowMs + withJitter(pauseMs(now, statedMs, shown.inARow), random) };
  if (shown.kind !== 'failing')
    return isStraggler(now, ended) ? undefined : { ...shown, untilMs: nowMs + KEY_PAUSE_MS };
  if (!isNews(now, ended)) return undefined;
  const isStated = isStatedOutage(ended);
  const inARow = isStated ? Math.max(FAILURES_OF_OUTAGE, shown.inARow) : shown.inARow;
  const isOutage = inARow >= FAILURES_OF_OUTAGE;
  const backOff = isOutage ? backOffMs(inARow - FAILURES_OF_OUTAGE + 1, OUTAGE) : backOffMs(inARow, LOOKUP_BACK_OFF);
  // A first silence has lasted as long already: what waits is told the sooner.
  const fromMs = isStated || inARow > FAILURES_OF_OUTAGE ? nowMs : leftAtMs;
  const untilMs = fromMs + withJitter(isStated ? (statedMs ?? 0) : backOff, random);
  return { kind: isOutage ? 'outage' : 'failing', inARow, untilMs: Math.max(nowMs, untilMs) };
}

/** A shorter wait concerns a single card. */
function isStatedOutage({ outcome: { statedMs = 0 } }: Ended): boolean {
  return statedMs > OUTAGE.longestMs;
}

/**
 * Failures that come soon after one another are one hiccup, and a card may be what fails, so it counts once until it is
 * answered; but what a probe was for is told apart from the service by nobody.
 */
function isNews(now: Now, ended: Ended): boolean {
  const { trouble } = now.state;
  const isOfLast = trouble?.kind === 'failing' && ended.leftAtMs < trouble.untilMs;
  const isOfCard = ended.outcome.isSuspect && !ended.isProbe;
  return isStatedOutage(ended) || !(isStraggler(now, ended) || isOfLast || isOfCard);
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
