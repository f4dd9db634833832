import type { QuotaReading, QuotaState } from '../quota-state.ts';

/** Resets this close together belong to one window; services round and recompute them. */
export const SAME_WINDOW_MS = 60_000;

/**
 * What to believe after one more answer. Answers arrive out of order: one to a request sent after the last
 * believed answer arrived is believed; among overlapping requests of one window the lower `remaining` wins.
 */
export function mergeReading(known: QuotaState | undefined, reading: QuotaReading): QuotaState {
  const reported = toState(reading);
  if (known === undefined) return reported;

  const complete: QuotaState = {
    limit: reported.limit ?? known.limit,
    remaining: reported.remaining ?? known.remaining,
    resetsAtMs: reported.resetsAtMs ?? known.resetsAtMs,
    receivedAtMs: reported.receivedAtMs,
  };
  const overlapping = reading.sentAtMs < known.receivedAtMs;
  // What remained of the last window says nothing of a new one.
  if (!overlapping) return sameWindow(known, complete) ? complete : { ...complete, remaining: reported.remaining };

  if (sameWindow(known, complete)) return { ...complete, remaining: lower(known.remaining, reported.remaining) };
  return (complete.resetsAtMs ?? 0) > (known.resetsAtMs ?? 0) ? complete : known;
}

/** After its reset a figure says nothing about the new window, except how large it is. */
export function currentQuota(known: QuotaState | undefined, nowMs: number): QuotaState | undefined {
  if (known?.resetsAtMs === undefined || nowMs < known.resetsAtMs) return known;
  return { ...known, remaining: undefined, resetsAtMs: undefined };
}

function toState({ limit, remaining, resetInMs, receivedAtMs }: QuotaReading): QuotaState {
  return {
    limit,
    remaining,
    resetsAtMs: resetInMs === undefined ? undefined : receivedAtMs + resetInMs,
    receivedAtMs,
  };
}

function sameWindow(a: QuotaState, b: QuotaState): boolean {
  if (a.resetsAtMs === undefined || b.resetsAtMs === undefined) return true;
  return Math.abs(a.resetsAtMs - b.resetsAtMs) <= SAME_WINDOW_MS;
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
