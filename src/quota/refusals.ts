import type { Pace } from '../model/plan.ts';
import { type EndedRequest, type Learned, type Refusal, servedSince, WINDOW_MS } from './learned.ts';

/** A refusal whose stated wait is longer is about more than a burst. */
const LONGEST_BURST_WAIT_MS = 60_000;
/** A request that came too early by so little; services state whole seconds. */
const LONGEST_TOO_EARLY_MS = 1_000;
/** To about half the plan's rate. */
const SLOWEST_STEPS = 35;
const SLOWER_FOR_MS = 60 * 60_000;

/** Those that left before the first 429 was known are refused together, and say no more than the first. */
export function afterRefusal(before: Learned, { leftAtMs, nowMs, outcome, underWay, planned }: EndedRequest): Learned {
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
  const shown = { ...known, refusal, ...shownBy(refusal, planned) };
  return statedMs <= LONGEST_TOO_EARLY_MS ? slowed(shown, known.refusal) : shown;
}

/** After the second 429 in a row to a request that came alone and at its time: a longer interval, and no burst. */
function slowed(known: Learned, last: Learned['refusal']): Learned {
  const { slower, refusal, window } = known;
  if (!refusal?.isSteady || window !== undefined) return known;
  const { knownAtMs } = refusal;
  if (!last?.isSteady || knownAtMs - last.knownAtMs > WINDOW_MS)
    return { ...known, slower: slower && { ...slower, sinceMs: knownAtMs } };
  const steps = Math.min((slower?.steps ?? 0) + 1, SLOWEST_STEPS);
  return { ...known, slower: { steps, sinceMs: knownAtMs }, capacity: 1 };
}

/** One step back after each hour without such a 429. */
export function fasterAgain(known: Learned, nowMs: number): Learned {
  const { slower } = known;
  if (!slower || nowMs - slower.sinceMs < SLOWER_FOR_MS) return known;
  return { ...known, slower: slower.steps > 1 ? { steps: slower.steps - 1, sinceMs: nowMs } : undefined };
}

/** Refusals come at once and overtake the answers to requests that left before them, so each of those decides anew. */
export function servedAfterAll(known: Learned, { leftAtMs, planned }: EndedRequest): Learned {
  if (!known.refusal || leftAtMs > known.refusal.knownAtMs) return known;
  const refusal = { ...known.refusal, served: known.refusal.served + 1 };
  return { ...known, refusal, ...shownBy(refusal, planned) };
}

/** What a 429 shows the service to allow. */
export function shownBy(refusal: Refusal, planned: Pace): Pick<Learned, 'window' | 'refill' | 'capacity'> {
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
  { served, refill, isOfBurst }: Refusal,
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
