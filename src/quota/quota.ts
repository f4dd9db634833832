import { createHash } from 'node:crypto';
import { PLAN_LIMITS } from '../model/plan.ts';
import { nextUtcMidnightMs, type QuotaReading, type QuotaState } from '../model/quota.ts';

/** What a quota belongs to: a hash of the address and the key, which does not reveal the key. */
export function accountOf(baseUrl: string, apiKey: string | undefined): string {
  return createHash('sha256')
    .update(`${baseUrl} ${apiKey ?? ''}`)
    .digest('hex');
}

/** Resets this close together belong to one window; services round and recompute them. */
export const SAME_WINDOW_MS = 60_000;

/** Limiters in front of a service count by the second, the minute, the quarter of an hour, or the hour. */
const LONGEST_OTHER_WINDOW_MS = 3_600_000 + SAME_WINDOW_MS;

/** The plans' daily limits, by which headers are recognised as the day's although it ends within the hour. */
const DAILY_LIMITS: readonly number[] = Object.values(PLAN_LIMITS).map(({ requestsPerDay }) => requestsPerDay);
const LOWEST_DAILY_LIMIT = Math.min(...DAILY_LIMITS);

/**
 * Whether headers are about the day, and not about a shorter window that another limiter counts (a proxy's, or the
 * service's minute): that one's reset is near, and neither its limit nor its reset is the day's.
 */
export function isOfDay(known: QuotaState | undefined, { limit, resetInMs, receivedAtMs }: QuotaReading): boolean {
  if (resetInMs !== undefined && resetInMs > LONGEST_OTHER_WINDOW_MS) return true;
  if (limit !== undefined && limit === known?.limit) return true;
  // A service that states the day's reset with the day's limit always does.
  if (resetInMs === undefined) return limit === undefined || (limit >= LOWEST_DAILY_LIMIT && !known?.resetsAtMs);
  if (known?.resetsAtMs !== undefined) return isSameWindow(known.resetsAtMs, receivedAtMs + resetInMs);
  return limit !== undefined && DAILY_LIMITS.includes(limit);
}

/** For figures stored by a version that took every window for the day. */
export function keptOfDay(kept: QuotaState | undefined): QuotaState | undefined {
  return kept && isOfDay(undefined, asReading(kept)) ? kept : undefined;
}

/** A state as the reading that it would come from. */
export function asReading({ limit, remaining, resetsAtMs, receivedAtMs }: QuotaState): QuotaReading {
  const resetInMs = resetsAtMs === undefined ? undefined : resetsAtMs - receivedAtMs;
  return { limit, remaining, resetInMs, sentAtMs: receivedAtMs, receivedAtMs };
}

/**
 * What to believe after one more answer. Answers arrive out of order: one to a request sent after the last
 * believed answer arrived is believed; among overlapping requests of one window the lower `remaining` wins, unless the
 * limit has changed: under load all overlap, and the last figure of a smaller plan would be the lower one for hours.
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

  if (sameWindow(known, complete)) {
    const isOfOtherPlan = known.limit !== undefined && complete.limit !== known.limit;
    return { ...complete, remaining: isOfOtherPlan ? reported.remaining : lower(known.remaining, reported.remaining) };
  }
  return (complete.resetsAtMs ?? 0) > (known.resetsAtMs ?? 0) ? complete : known;
}

/**
 * After its reset a figure says nothing about the new window, except how large it is; without a usable reset the day is
 * taken to end at 00:00 UTC.
 */
export function currentQuota(known: QuotaState | undefined, nowMs: number): QuotaState | undefined {
  if (known === undefined || (known.remaining === undefined && known.resetsAtMs === undefined)) return known;
  if (nowMs < (known.resetsAtMs ?? nextUtcMidnightMs(known.receivedAtMs))) return known;
  return { ...known, remaining: undefined, resetsAtMs: undefined };
}

/** What is kept of the day for cards that are not cached: 5 %, and at least 20 requests. */
const RESERVED_SHARE = 0.05;
const LEAST_RESERVED = 20;

/** Until when nothing is renewed in the background; `undefined` while enough remains, or what remains is unknown. */
export function reserveUntilMs(quota: QuotaState | undefined, nowMs: number): number | undefined {
  if (quota?.remaining === undefined) return undefined;
  const reserved = Math.max(LEAST_RESERVED, (quota.limit ?? 0) * RESERVED_SHARE);
  if (quota.remaining >= reserved) return undefined;
  return quota.resetsAtMs ?? nextUtcMidnightMs(nowMs);
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
  return isSameWindow(a.resetsAtMs, b.resetsAtMs);
}

function isSameWindow(aMs: number, bMs: number): boolean {
  return Math.abs(aMs - bMs) <= SAME_WINDOW_MS;
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
