import { backOffMs } from '../time/back-off.ts';
import { afterLatency } from './delays.ts';
import {
  ENDED_KEPT_MS,
  type EndedRequest,
  type Learned,
  learnedUnder,
  NOTHING_LEARNED,
  paceKey,
  SLICE_MS,
  servedSince,
  WINDOW_MS,
} from './learned.ts';
import { learnedPace } from './pace.ts';
import { afterRefusal, fasterAgain, servedAfterAll } from './refusals.ts';

/** After so long a quiet time the service is given the chance to show that it allows more; after the next step, after twice as long. */
const QUIET = { firstMs: 2 * 60_000, longestMs: 15 * 60_000 };
/** A window was seen to refill, so it is doubted only after the longest time. */
const STEPS_OF_WINDOW = 3;
/** A request has reached the limiter by then, which counts it, however late its answer. */
const ARRIVED_MS = 2_000;

/** What is known after one more request has ended. */
export function learnFrom(before: Learned, request: EndedRequest): Learned {
  const { outcome, planned, leftAtMs, nowMs } = request;
  const pace = paceKey(planned);
  const isRefused = outcome.kind === 'rateLimited';
  const ended = withEnded(before.ended, [isRefused ? 0 : 1, isRefused ? 1 : 0], Math.min(nowMs, leftAtMs + ARRIVED_MS));
  const isKnown = before.pace === pace;
  const known = isKnown
    ? { ...before, ended }
    : { ...learnedUnder(NOTHING_LEARNED, planned), quietSinceMs: nowMs, pace, ended };
  if (isRefused) {
    // The probe after a pause is the first request of a refill, so it shows how the window refills. It says nothing else.
    const tells = !request.isProbe || (known.window !== undefined && known.refill === 'untried');
    return request.isOfPace && tells ? afterRefusal(known, request) : known;
  }
  const timed = fasterAgain(afterLatency(refilled(servedAfterAll(known, request), request), request), nowMs);
  return triedAgain(outcome.kind === 'answered' ? { ...timed, servedAtMs: nowMs } : timed, request);
}

/** With so many that were served and refused now. */
export function withEnded(
  ended: Learned['ended'],
  [served, refused]: readonly [served: number, refused: number],
  nowMs: number,
): Learned['ended'] {
  const slice = Math.floor(nowMs / SLICE_MS);
  const [, servedBefore, refusedBefore] = ended.find(([past]) => past === slice) ?? [slice, 0, 0];
  // Another process's clock may be ahead.
  const recent = ended.filter(([other]) => other !== slice && Math.abs((other + 1) * SLICE_MS - nowMs) < ENDED_KEPT_MS);
  return [...recent, [slice, servedBefore + served, refusedBefore + refused]];
}

/** A window that fades would not have served nearly all of two windows within that time. */
function refilled(known: Learned, { nowMs }: EndedRequest): Learned {
  const { window, refill } = known;
  if (window === undefined || refill !== 'untried') return known;
  return servedSince(known, nowMs - ENDED_KEPT_MS) >= 2 * window - 1 ? { ...known, refill: 'atOnce' } : known;
}

/**
 * One step back towards the plan after a quiet time: from evenly spaced requests to a window, then to a burst of its size,
 * then to twice the burst.
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
  const steps = 1 + (window === undefined ? known.steps : STEPS_OF_WINDOW);
  if (nowMs - quietSinceMs < backOffMs(steps, QUIET)) return known;
  const tried = { ...known, refill: 'untried' as const, quietSinceMs: nowMs, steps };
  if (refill === 'evenly') return tried;
  const next = window ?? 2 * (capacity ?? planned.capacity);
  if (next < planned.capacity) return { ...tried, window: undefined, capacity: next };
  return { ...tried, window: undefined, capacity: undefined, steps: 0 };
}
