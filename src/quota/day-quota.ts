import { z } from 'zod';
import { PLAN_LIMITS, type Plans } from '../model/plan.ts';
import { type QuotaReading, type QuotaState, spentShare, WARNED_SHARES } from '../model/quota.ts';
import { Moment } from '../model/stored-json.ts';
import { DAY_MS, nextUtcMidnightMs } from '../time/utc-day.ts';

/** Resets this close together belong to one window; services round and recompute them. */
const SAME_WINDOW_MS = 60_000;

/** Limiters in front of a service count by the second, the minute, the quarter of an hour, or the hour. */
const LONGEST_OTHER_WINDOW_MS = 3_600_000 + SAME_WINDOW_MS;

/** The plans' daily limits, by which headers are recognised as the day's although it ends within the hour. */
function dailyLimits(plans: Plans): number[] {
  return Object.values(plans).flatMap(({ requestsPerDay }) => requestsPerDay ?? []);
}

/**
 * Whether headers are about the day, and not about a shorter window that another limiter counts (a proxy's, or the
 * service's minute): that one's reset is near, and neither its limit nor its reset is the day's.
 */
export function isReadingOfDay(
  known: QuotaState | undefined,
  { limit, resetInMs, receivedAtMs }: QuotaReading,
  plans: Plans = PLAN_LIMITS,
): boolean {
  if (resetInMs !== undefined && resetInMs > LONGEST_OTHER_WINDOW_MS) return true;
  if (limit !== undefined && limit === known?.limit) return true;
  // A service that states the day's reset with the day's limit always does.
  if (resetInMs === undefined)
    return limit === undefined || (limit >= Math.min(...dailyLimits(plans)) && !known?.resetsAtMs);
  if (known?.resetsAtMs !== undefined) return isSameWindow(known.resetsAtMs, receivedAtMs + resetInMs);
  return limit !== undefined && dailyLimits(plans).includes(limit);
}

/**
 * What to believe after one more answer. Answers arrive out of order: one to a request sent after the last
 * believed answer arrived is believed; among overlapping requests of one window the lower `remaining` wins, unless the
 * limit has changed: under load all overlap, and the last figure of a smaller plan would be the lower one for hours.
 */
export function mergeReading(known: QuotaState | undefined, reading: QuotaReading): QuotaState {
  const { limit, remaining, resetInMs, receivedAtMs } = reading;
  const resetsAtMs = resetInMs === undefined ? undefined : receivedAtMs + resetInMs;
  const reported: QuotaState = { limit, remaining, resetsAtMs, receivedAtMs };
  if (known === undefined) return reported;
  if ((limit ?? remaining ?? resetsAtMs) === undefined) return known; // it states nothing

  const complete: QuotaState = {
    limit: limit ?? known.limit,
    remaining: remaining ?? known.remaining,
    resetsAtMs: resetsAtMs ?? known.resetsAtMs,
    receivedAtMs,
    forWatches: known.forWatches,
  };
  if (reading.sentAtMs < known.receivedAtMs) return mergeOverlapping(known, complete, remaining);
  // What remained of the last window says nothing of a new one.
  return sameWindow(known, complete) ? complete : { ...reported, limit: complete.limit };
}

function mergeOverlapping(known: QuotaState, complete: QuotaState, remaining: number | undefined): QuotaState {
  if (sameWindow(known, complete)) {
    const isOfOtherPlan = known.limit !== undefined && complete.limit !== known.limit;
    return { ...complete, remaining: isOfOtherPlan ? remaining : lower(known.remaining, remaining) };
  }
  return (complete.resetsAtMs ?? 0) > (known.resetsAtMs ?? 0) ? { ...complete, forWatches: undefined } : known;
}

/**
 * After its reset a figure says nothing about the new window, except how large it is; without a usable reset the day is
 * taken to end at 00:00 UTC.
 */
export function currentQuota(known: QuotaState | undefined, nowMs: number): QuotaState | undefined {
  if (known === undefined || (known.remaining === undefined && known.resetsAtMs === undefined)) return known;
  if (nowMs < windowEndsMs(known)) return known;
  return { ...known, remaining: undefined, resetsAtMs: undefined, forWatches: undefined };
}

export function windowEndsMs({ resetsAtMs, receivedAtMs }: QuotaState): number {
  return resetsAtMs ?? nextUtcMidnightMs(receivedAtMs);
}

/** What is kept of a window for cards that are not cached: 5 %, and at least 20 requests unless the window is small. */
const RESERVED_SHARE = 0.05;
const LEAST_RESERVED = 20;

export function reservedRequests({ limit }: QuotaState): number {
  return atLeastOfDay(LEAST_RESERVED, (limit ?? 0) * RESERVED_SHARE, limit);
}

/** A floor that suits a day of hundreds is at most a tenth of a smaller one. */
const SMALL_DAY = 200;

/** A share of the day that is `least` or more, but on a small day no more than a tenth of it. */
export function atLeastOfDay(least: number, share: number, day: number | undefined): number {
  return Math.max(share, day === undefined || day >= SMALL_DAY ? least : Math.ceil(day / 10));
}

function sameWindow(a: QuotaState, b: QuotaState): boolean {
  if (a.resetsAtMs === undefined || b.resetsAtMs === undefined) return true;
  return isSameWindow(a.resetsAtMs, b.resetsAtMs);
}

export function isSameWindow(aMs: number, bMs: number): boolean {
  return Math.abs(aMs - bMs) <= SAME_WINDOW_MS;
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

/** What remained of the day at one moment, had nothing been sent for watches. Includes what others spent with the same key. */
export const RemainingSample = z.object({ atMs: Moment, remaining: z.number() });
export type RemainingSample = z.infer<typeof RemainingSample>;

const SAMPLE_EVERY_MS = 5 * 60_000;
const KEEP_MS = 60 * 60_000;

/** Samples of the last hour. A `remaining` that went up means a new window or a larger plan, and starts them anew. */
export function addSample(samples: RemainingSample[], quota: QuotaState, nowMs: number): RemainingSample[] {
  if (quota.remaining === undefined) return samples;
  const remaining = quota.remaining + (quota.forWatches ?? 0);
  const last = samples.at(-1);
  if (last !== undefined && remaining > last.remaining) return [{ atMs: nowMs, remaining }];
  if (last !== undefined && nowMs - last.atMs < SAMPLE_EVERY_MS) return samples;
  return [...samples.filter(({ atMs }) => nowMs - atMs <= KEEP_MS), { atMs: nowMs, remaining }];
}

/** When a smaller share was spent, no rate is stated: a few requests after a start would make the day seem to run out. */
const LEAST_SHARE_OF_RATE = 0.05;

/**
 * When nothing will remain at the rate of the last hour or, before there are samples of five minutes, at that of the
 * window so far, once it is as old.
 *
 * @returns `undefined` when enough remains until the reset, or too little is known
 */
export function runsOutAtMs(
  samples: readonly RemainingSample[],
  quota: QuotaState | undefined,
  nowMs: number,
  windowMs = DAY_MS,
): number | undefined {
  const { limit, remaining, resetsAtMs, forWatches = 0 } = quota ?? {};
  if (remaining === undefined || remaining <= 0 || resetsAtMs === undefined) return undefined;

  const recent = samples.find(({ atMs }) => nowMs - atMs <= KEEP_MS);
  const isRate = recent !== undefined && nowMs - recent.atMs >= SAMPLE_EVERY_MS;
  const since = isRate ? recent : limit !== undefined && { atMs: resetsAtMs - windowMs, remaining: limit };
  if (!since || nowMs - since.atMs < SAMPLE_EVERY_MS) return undefined; // a burst is no rate

  const spent = since.remaining - remaining - forWatches;
  if (spent < LEAST_SHARE_OF_RATE * since.remaining) return undefined;
  const perMs = spent / (nowMs - since.atMs);
  const atMs = perMs > 0 ? nowMs + remaining / perMs : Number.POSITIVE_INFINITY;
  return atMs < resetsAtMs ? atMs : undefined;
}

/**
 * The share of the day that has been reached since these figures, of those at which operators are warned; `undefined` when
 * none has been.
 */
export function newlySpentShare(
  before: QuotaState | undefined,
  after: QuotaState | undefined,
  nowMs: number,
): number | undefined {
  const isWindowNew = before && after && !sameWindow(before, after);
  const known = isWindowNew ? 0 : (spentShare(currentQuota(before, nowMs)) ?? 0);
  const spent = spentShare(currentQuota(after, nowMs)) ?? 0;
  return WARNED_SHARES.findLast((share) => spent >= share && known < share);
}
