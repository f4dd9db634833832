import { z } from 'zod';
import { orUndefined } from '../model/card.ts';
import {
  type PlanLimits,
  type PlanSetting,
  type Plans,
  type QuotaReading,
  QuotaState,
  WINDOWS,
  type WindowLimits,
  type WindowName,
  type WindowQuota,
  windowsUnder,
} from '../model/quota.ts';
import { Moment } from '../model/store/rows.ts';
import { DAY_MS, HOUR_MS, nextMonthMs, nextUtcMidnightMs } from '../time.ts';

/** Requests that were counted here in a window until it ends. */
const Counted = z.object({ requests: z.number(), endsAtMs: Moment });
type Counted = z.infer<typeof Counted>;

/** What is known of one window: what answers state of it, and what was counted here. */
const Window = z.object({
  stated: orUndefined(QuotaState),
  counted: orUndefined(Counted),
});
type Window = z.infer<typeof Window>;

export const Windows = z.object(ofEach(() => Window.optional()));
export type Windows = z.infer<typeof Windows>;

function ofEach<T>(of: (per: WindowName) => T): Record<WindowName, T> {
  return { hour: of('hour'), day: of('day'), month: of('month') };
}

/** Where more costs money, our count stops before the service's does. */
const BILLED_SHARE = 0.95;
/** Members may spend so many times a day's share of a month on one day: a quiet day leaves it to a busy one. */
const SHARES_A_DAY = 2;
const LEAST_A_DAY = 20;

/** How many requests each window has by the configuration; a day that every answer states counts once one has come. */
export function limitsOf(plan: PlanLimits, setting: PlanSetting): WindowLimits {
  const { month, ...shorter } = windowsUnder(plan, setting);
  return {
    ...(!setting.isDayStated && shorter),
    month: month && (setting.isBilled ? Math.floor(month * BILLED_SHARE) : month),
  };
}

/** What each window leaves, by what is stated or else by our own count; empty where nothing counts but the pace. */
export function windowsOf(known: Windows, limits: WindowLimits, setting: PlanSetting, nowMs: number): WindowQuota[] {
  const now = current(known, setting, nowMs);
  const left = WINDOWS.flatMap((per): WindowQuota | [] => {
    const { stated, counted } = now[per];
    const limit = limits[per];
    if (limit === undefined || stated?.remaining !== undefined) return stated ? { ...stated, per } : [];
    return ownQuota(per, stated?.limit ?? limit, counted, nowMs);
  });
  const { remaining, limit, resetsAtMs = now.month.counted.endsAtMs } = left.find(({ per }) => per === 'month') ?? {};
  const ofMonth = remaining ?? limit; // of one that has just begun it is the whole, until it is stated again
  if (ofMonth === undefined) return left;
  const { requests, endsAtMs } = now.day.counted;
  const days = Math.max(1, Math.ceil((resetsAtMs - endsAtMs) / DAY_MS) + 1);
  const share = Math.max(LEAST_A_DAY, Math.floor((SHARES_A_DAY * (ofMonth + requests)) / days));
  return [...left, { ...ownQuota('day', share, now.day.counted, nowMs), isShareOfMonth: true }];
}

function ownQuota(per: WindowName, limit: number, { requests, endsAtMs }: Counted, receivedAtMs: number): WindowQuota {
  const remaining = Math.max(0, limit - requests);
  return { per, limit, remaining, resetsAtMs: endsAtMs, receivedAtMs, isOurCount: true };
}

/** What is known of the present windows; one that has not begun, and of which nothing is stated, would begin now. */
function current(known: Windows, { monthBegins = 1 }: PlanSetting, nowMs: number) {
  const nextEndMs = (per: WindowName) => {
    if (per === 'hour') return nowMs + HOUR_MS;
    return per === 'day' ? nextUtcMidnightMs(nowMs) : nextMonthMs(nowMs, monthBegins);
  };
  return ofEach((per) => {
    const { stated, counted } = known[per] ?? {};
    const hasBegun = counted && nowMs < counted.endsAtMs;
    const now = hasBegun ? counted : { requests: 0, endsAtMs: nextEndMs(per) };
    return { stated: stated && currentQuota(stated, nowMs), counted: now };
  });
}

/** What two processes know of the windows: of each the newer figures. */
export function newerOf(known: Windows, other: Windows): Windows {
  const atMs = (window: Window | undefined) => window?.stated?.receivedAtMs ?? 0;
  return ofEach((per) => (atMs(known[per]) < atMs(other[per]) ? other[per] : known[per]));
}

/**
 * The window that leaves least; of equal ones the longest: what a spent month leaves to a day is not told to end with
 * it.
 */
export function leastOf(windows: readonly WindowQuota[]): WindowQuota | undefined {
  const left = Math.min(...windows.map(leftIn));
  const least = windows.filter((window) => leftIn(window) === left);
  return least.findLast(({ isShareOfMonth }) => !isShareOfMonth) ?? least[0];
}

function leftIn({ remaining = Infinity }: WindowQuota): number {
  return remaining;
}

/** What is kept of a window for cards that are not cached: 5 %, and at least 20 requests unless the window is small. */
const RESERVED_SHARE = 0.05;
const LEAST_RESERVED = 20;
/** A floor that suits a day of hundreds is at most a tenth of a smaller one. */
const SMALL_DAY = 200;

export function reservedRequests({ limit }: QuotaState): number {
  return atLeastOfDay(LEAST_RESERVED, (limit ?? 0) * RESERVED_SHARE, limit);
}

/** A share of the day that is `least` or more, but on a small day no more than a tenth of it. */
export function atLeastOfDay(least: number, share: number, day: number | undefined): number {
  return Math.max(share, day === undefined || day >= SMALL_DAY ? least : Math.ceil(day / 10));
}

/** What remains of a window beyond what is kept of it; infinite while that is unknown. */
export function unreservedOf(window: WindowQuota): number {
  return leftIn(window) - reservedRequests(window);
}

export function isOfDay({ per = 'day' }: WindowQuota): boolean {
  return per === 'day';
}

/** Without a usable reset the day is taken to end at 00:00 UTC. */
export function windowEndsMs({ resetsAtMs, receivedAtMs }: QuotaState): number {
  return resetsAtMs ?? nextUtcMidnightMs(receivedAtMs);
}

/** After its reset a figure says nothing about the new window, except how large it is. */
function currentQuota(known: QuotaState, nowMs: number): QuotaState {
  if (nowMs < windowEndsMs(known)) return known;
  return { limit: known.limit, remaining: undefined, resetsAtMs: undefined, receivedAtMs: known.receivedAtMs };
}

/**
 * What is known after so many more requests. What was stated goes down with those of which no answer states it again.
 */
export function counted(
  known: Windows,
  requests: number,
  { leftAtMs, isForWatches = false }: { leftAtMs: number; isForWatches?: boolean | undefined },
  setting: PlanSetting,
  nowMs: number,
): Windows {
  const now = current(known, setting, nowMs);
  return ofEach((per) => {
    const { stated, counted } = now[per];
    const after = { ...counted, requests: counted.requests + requests };
    if (stated?.remaining === undefined) return { stated, counted: after };
    const remaining = stated.receivedAtMs >= leftAtMs ? stated.remaining : Math.max(0, stated.remaining - requests);
    const ofWatches = isForWatches && { forWatches: (stated.forWatches ?? 0) + 1 };
    return { stated: { ...stated, remaining, ...ofWatches }, counted: after };
  });
}

/** What is known after one more answer. What it states of another window than those is ignored. */
export function stated(known: Windows, reading: QuotaReading, setting: PlanSetting): Windows {
  const { per = 'day', receivedAtMs, resetInMs } = reading;
  const { stated: before, counted } = current(known, setting, receivedAtMs)[per];
  if (per === 'day' && !isOfTheDay(before, reading, setting.plans)) return known;
  const endsAtMs = before?.resetsAtMs ?? counted.endsAtMs;
  const endsInMs = resetInMs ?? (per === 'day' ? undefined : endsAtMs - receivedAtMs);
  const after = merged(before, { ...reading, resetInMs: endsInMs });
  return { ...known, [per]: { counted, stated: after } };
}

/** A window of which nothing remains, as a 429 has said. */
export function spent(known: Windows, per: WindowName, setting: PlanSetting, nowMs: number): Windows {
  const reading = { per, limit: undefined, remaining: 0, resetInMs: undefined, sentAtMs: nowMs, receivedAtMs: nowMs };
  return stated(known, reading, setting);
}

/** Under another plan, what was spent may have become larger: the next answer tells. */
export function unspent(known: Windows): Windows {
  return ofEach((per) => {
    const window = known[per];
    return window?.stated?.remaining === 0 ? { ...window, stated: { ...window.stated, remaining: undefined } } : window;
  });
}

/** Resets this close together belong to one window; services round and recompute them. */
export const SAME_WINDOW_MS = 60_000;
/** Limiters in front of a service count by the second, the minute, the quarter of an hour, or the hour. */
const LONGEST_OTHER_WINDOW_MS = HOUR_MS + SAME_WINDOW_MS;

/**
 * Whether headers are about the day, and not about a shorter window that another limiter counts (a proxy's, or the
 * service's minute): that one's reset is near, and neither its limit nor its reset is the day's.
 */
function isOfTheDay(
  known: QuotaState | undefined,
  { limit, remaining, resetInMs, receivedAtMs }: QuotaReading,
  plans: Plans,
): boolean {
  if ((limit ?? remaining ?? resetInMs) === undefined) return false; // it states nothing
  if (resetInMs !== undefined && resetInMs > LONGEST_OTHER_WINDOW_MS) return true;
  if (limit !== undefined && limit === known?.limit) return true;
  // The plans' limits, by which the day's are recognised although it ends within the hour.
  const daily = Object.values(plans).flatMap(({ requestsPerDay }) => requestsPerDay ?? []);
  // A service that states the day's reset with the day's limit always does.
  if (resetInMs === undefined) return limit === undefined || (limit >= Math.min(...daily) && !known?.resetsAtMs);
  if (known?.resetsAtMs !== undefined) return areNear(known.resetsAtMs, receivedAtMs + resetInMs);
  return limit !== undefined && daily.includes(limit);
}

/**
 * What to believe after one more answer. Answers arrive out of order: one to a request sent after the last
 * believed answer arrived is believed; among overlapping requests of one window the lower `remaining` wins, unless the
 * limit has changed: under load all overlap, and the last figure of a smaller plan would be the lower one for hours.
 */
function merged(known: QuotaState | undefined, reading: QuotaReading): QuotaState {
  const { limit = known?.limit, remaining, resetInMs, sentAtMs, receivedAtMs } = reading;
  const resetsAtMs = resetInMs === undefined ? known?.resetsAtMs : receivedAtMs + resetInMs;
  const after = { limit, remaining, resetsAtMs, receivedAtMs };
  if (known === undefined) return after;
  const overlaps = sentAtMs < known.receivedAtMs;
  // What remained of the last window says nothing of a new one.
  if (!isSameWindow(known, after)) return overlaps && (resetsAtMs ?? 0) < (known.resetsAtMs ?? 0) ? known : after;
  const isLower = overlaps && limit === known.limit && (known.remaining ?? Infinity) < (remaining ?? Infinity);
  const left = isLower ? known.remaining : (remaining ?? known.remaining);
  return { ...after, remaining: left, forWatches: known.forWatches };
}

/** Whether what is known of both is about one window, as far as that is stated. */
export function isSameWindow(a: QuotaState, b: QuotaState): boolean {
  return a.resetsAtMs === undefined || b.resetsAtMs === undefined || areNear(a.resetsAtMs, b.resetsAtMs);
}

function areNear(aMs: number, bMs: number): boolean {
  return Math.abs(aMs - bMs) <= SAME_WINDOW_MS;
}
