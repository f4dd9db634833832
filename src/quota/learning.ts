import type { RequestOutcome } from '../model/errors.ts';
import { ENDED_KEPT_MS, type Learned, NOTHING_LEARNED, SLICE_MS, servedSince, WINDOW_MS } from './learned.ts';
import { learnedPace, type Pace } from './pace.ts';

/** A request that has ended. */
export interface EndedRequest {
  leftAtMs: number;
  nowMs: number;
  outcome: RequestOutcome;
  /** Others that are still under way. */
  underWay: number;
  /** By the plan alone. */
  planned: Pace;
  /** Whether a 429 is about the pace: not when nothing remains of the day. */
  isOfPace: boolean;
  /** It left while all others waited. */
  isProbe: boolean;
}

/** After so long a quiet time the service is given the chance to show that it allows more. */
const QUIET_MS = 15 * 60_000;
const FASTEST_MS = 10 * 60_000;
/** Latency wanders by seconds; a limiter that delays makes a request wait for about the time that a token takes. */
const LEAST_DELAY_MS = 4_000;
const DELAY_OF_INTERVAL = 0.75;
/** A refusal whose stated wait is longer is about more than a burst. */
const LONGEST_BURST_WAIT_MS = 60_000;

/** What is known after one more request has ended. */
export function learnFrom(before: Learned, request: EndedRequest): Learned {
  const { outcome, planned, nowMs } = request;
  const pace = `${planned.intervalMs} ${planned.capacity}`;
  const ended = withEnded(before.ended, outcome, nowMs);
  const known = before.pace === pace ? { ...before, ended } : { ...NOTHING_LEARNED, quietSinceMs: nowMs, pace, ended };
  if (outcome.kind === 'rateLimited') {
    // The probe after a pause is the first request of a refill, so it shows how the window refills. It says nothing else.
    const tells = !request.isProbe || (known.window !== undefined && known.refill === 'untried');
    return request.isOfPace && tells ? afterRefusal(known, request) : known;
  }
  const timed = afterLatency(refilled(servedAfterAll(known, request), request), request);
  return triedAgain(outcome.kind === 'answered' ? { ...timed, servedAtMs: nowMs } : timed, request);
}

function withEnded(ended: Learned['ended'], { kind }: RequestOutcome, nowMs: number): Learned['ended'] {
  const slice = Math.floor(nowMs / SLICE_MS);
  const [, served, refused] = ended.find(([past]) => past === slice) ?? [slice, 0, 0];
  // Another process's clock may be ahead.
  const recent = ended.filter(([other]) => other !== slice && Math.abs((other + 1) * SLICE_MS - nowMs) < ENDED_KEPT_MS);
  return [...recent, kind === 'rateLimited' ? [slice, served, refused + 1] : [slice, served + 1, refused]];
}

/** Those that left before the first 429 was known are refused together, and say no more than the first. */
function afterRefusal(before: Learned, { leftAtMs, nowMs, outcome, underWay, planned }: EndedRequest): Learned {
  const known = { ...before, quietSinceMs: nowMs };
  if (known.refusal && leftAtMs <= known.refusal.knownAtMs) return known;
  const statedMs = outcome.kind === 'rateLimited' ? (outcome.statedMs ?? 0) : 0;
  const { window, refill, capacity } = known;
  const refusal = {
    knownAtMs: nowMs,
    served: servedSince(known, nowMs - WINDOW_MS),
    isSteady: servedSince(known, leftAtMs - 2 * planned.intervalMs) + underWay <= 2,
    isOfBurst: statedMs <= LONGEST_BURST_WAIT_MS,
    window,
    refill,
    capacity,
  };
  return { ...known, refusal, ...shownBy(refusal, planned) };
}

/** Refusals come at once and overtake the answers to requests that left before them, so each of those decides anew. */
function servedAfterAll(known: Learned, { leftAtMs, planned }: EndedRequest): Learned {
  if (!known.refusal || leftAtMs > known.refusal.knownAtMs) return known;
  const refusal = { ...known.refusal, served: known.refusal.served + 1 };
  return { ...known, refusal, ...shownBy(refusal, planned) };
}

/** What a 429 shows the service to allow. */
export function shownBy(
  refusal: NonNullable<Learned['refusal']>,
  planned: Pace,
): Pick<Learned, 'window' | 'refill' | 'capacity'> {
  const { served, window, refill, capacity = planned.capacity, isSteady, isOfBurst } = refusal;
  const known = { window, refill, capacity: refusal.capacity };
  const perMinute = Math.round(WINDOW_MS / planned.intervalMs);
  if (window !== undefined) return { ...known, ...lessOf(window, refusal, perMinute) };
  // At a steady pace that many are served a minute in any case: no reason to believe in a window that allows less at once.
  if (isSteady && served <= capacity) return known;
  if (served > 0 && Math.abs(served - perMinute) <= 1) return { ...known, window: Math.min(served, perMinute) };
  return isOfBurst && !isSteady ? { ...known, capacity: Math.max(1, Math.floor(capacity / 2)) } : known;
}

/** What a 429 within a known window shows. */
function lessOf(
  window: number,
  { served, refill, isOfBurst }: NonNullable<Learned['refusal']>,
  perMinute: number,
): Pick<Learned, 'window' | 'refill'> {
  const least = Math.ceil(perMinute / 2);
  // It had left before the window was known, and came while that was still full.
  if (refill === 'untried' && served >= window) return { window, refill };
  if (refill === 'untried' && isOfBurst) return { window: perMinute, refill: 'evenly' };
  // Evenly spaced requests that are refused sooner than the window allows share the key with somebody else.
  if (refill === 'evenly' && (served < least || served >= window - 1))
    return { window: Math.min(window, Math.max(least, window - 1)), refill };
  return served >= least ? { window: Math.min(served, window), refill: 'atOnce' } : { window, refill: 'untried' };
}

/** A window that fades would not have served nearly all of two windows within that time. */
function refilled(known: Learned, { nowMs }: EndedRequest): Learned {
  const { window, refill } = known;
  if (window === undefined || refill !== 'untried') return known;
  return servedSince(known, nowMs - ENDED_KEPT_MS) >= 2 * window - 1 ? { ...known, refill: 'atOnce' } : known;
}

/** A limiter that delays is no outage: fewer at once, and no burst. */
function afterLatency(known: Learned, request: EndedRequest): Learned {
  const { outcome, underWay, planned, nowMs } = request;
  const { inFlight, isStarting, fastest, capacity = planned.capacity } = known;
  const isFastestOld = !fastest || nowMs - fastest.atMs > FASTEST_MS;
  if (isLate(known, request)) {
    const fewer = outcome.kind === 'answered' ? Math.min(inFlight - 1, underWay) : inFlight / 2;
    const least = Math.max(1, Math.floor(fewer));
    const slower = { inFlight: least, isStarting: false, capacity: Math.min(capacity, least), quietSinceMs: nowMs };
    // If all answers take that long by now, the next one is the measure.
    return { ...known, ...slower, fastest: isFastestOld ? undefined : fastest };
  }
  if (outcome.kind !== 'answered') return known;
  const tookMs = Math.max(0, nowMs - request.leftAtMs); // the clock may have been set back meanwhile
  const isFastest = isFastestOld || tookMs <= fastest.tookMs;
  const isInUse = underWay + 1 >= Math.floor(inFlight);
  const more = Math.min(planned.capacity + 1, inFlight + (isStarting ? 1 : 1 / inFlight));
  return { ...known, inFlight: isInUse ? more : inFlight, fastest: isFastest ? { tookMs, atMs: nowMs } : fastest };
}

/** A timeout counts only if others were answered meanwhile: otherwise it is an outage. One request alone is not delayed by a limiter. */
function isLate(known: Learned, { leftAtMs, nowMs, outcome, underWay, planned }: EndedRequest): boolean {
  const { fastest, servedAtMs } = known;
  const delayMs = nowMs - leftAtMs - (fastest?.tookMs ?? 0);
  const isAlone = underWay === 0 && servedSince(known, leftAtMs - 2 * planned.intervalMs) <= 1;
  const isMeant = outcome.kind === 'answered' ? fastest !== undefined && !isAlone : servedAtMs > leftAtMs;
  return (
    isMeant &&
    outcome.kind !== 'abandoned' &&
    delayMs > Math.max(LEAST_DELAY_MS, DELAY_OF_INTERVAL * planned.intervalMs)
  );
}

/**
 * One step back towards the plan after each quiet quarter of an hour: from evenly spaced requests to a window, then to a
 * burst of its size, then to twice the burst.
 */
function triedAgain(known: Learned, { planned, nowMs }: EndedRequest): Learned {
  const { window, refill, capacity, quietSinceMs, ended } = known;
  if (window === undefined && capacity === undefined) return known;
  // A bucket holds something back when one more request comes than it holds in the time in which it fills. A single request
  // is never held back.
  const perMinute = Math.round(WINDOW_MS / planned.intervalMs);
  const isWindow = window !== undefined && refill !== 'evenly';
  const pace = learnedPace(known, planned);
  const most = Math.max(2, isWindow ? window : Math.min(pace.capacity + 1, perMinute));
  const sinceMs = nowMs - (isWindow ? WINDOW_MS : most * pace.intervalMs);
  const lately = ended.filter(([slice]) => (slice + 1) * SLICE_MS > sinceMs);
  if (lately.reduce((sum, [, served, refused]) => sum + served + refused, 0) >= most)
    return { ...known, quietSinceMs: nowMs };
  if (nowMs - quietSinceMs < QUIET_MS) return known;
  const tried = { ...known, refill: 'untried' as const, quietSinceMs: nowMs };
  if (refill === 'evenly') return tried;
  const next = window ?? 2 * (capacity ?? planned.capacity);
  return { ...tried, window: undefined, capacity: next < planned.capacity ? next : undefined };
}
