import type { DescribedLimits, PlanSetting } from '../model/plan.ts';
import {
  type OtherWindows,
  type OwnCounts,
  type QuotaReading,
  type QuotaState,
  WINDOWS,
  type WindowName,
  type WindowQuota,
} from '../model/quota.ts';
import { DAY_MS, HOUR_MS, MONTH_MS, nextMonthMs, nextUtcMidnightMs } from '../time/utc-day.ts';
import { currentQuota, mergeReading, reservedRequests, runsOutAtMs, windowEndsMs } from './day-quota.ts';
import { type PlanFacts, planInForce } from './pace.ts';

/** What is known of all windows; what is absent is known of the day alone. */
export interface Windows extends PlanFacts {
  windows?: OtherWindows | undefined;
  own?: OwnCounts | undefined;
}

/** Where more costs money, our count stops before the service's does. */
const BILLED_SHARE = 0.95;
/** Members may spend so many times a day's share of a month on one day: a quiet day leaves it to a busy one. */
const SHARES_A_DAY = 2;
const LEAST_A_DAY = 20;

/** What each window leaves, by what is stated or else by our own count; empty where nothing counts but the pace. */
export function windowsOf(known: Windows, setting: PlanSetting, nowMs: number): WindowQuota[] {
  const day = currentQuota(known.quota, nowMs);
  if (!countsItself(known, setting)) return day ? [day] : [];
  const limits = limitsOf(known, setting);
  const left = WINDOWS.flatMap((per) => windowOf(known, per, limits[per], setting, nowMs) ?? []);
  const month = left.find(({ per }) => per === 'month');
  const share = month && shareOfDay(month, known.own, setting, nowMs);
  return share ? [...left, share] : left;
}

/** The window that leaves least; of equal ones the longest: what a spent month leaves to a day is not told to end with it. */
export function leastOf(windows: readonly WindowQuota[]): WindowQuota | undefined {
  let least: WindowQuota | undefined;
  for (const next of windows) {
    const isAsLow = least && leftIn(next) === leftIn(least) && !next.isShareOfMonth;
    if (!least || leftIn(next) < leftIn(least) || isAsLow) least = next;
  }
  return least;
}

function leftIn({ remaining = Number.POSITIVE_INFINITY }: WindowQuota): number {
  return remaining;
}

/** Whether requests are counted here: a plan tells of windows that answers may not tell of, or they tell of a month, which is shared out to its days. */
export function countsItself({ windows }: Pick<Windows, 'windows'>, { plans, requestsPerMonth }: PlanSetting): boolean {
  return windows !== undefined || plans !== undefined || requestsPerMonth !== undefined;
}

/** The window that leaves least beyond what is kept of it, and how much that is; infinite where nothing is known. */
export function leastUnreserved(windows: readonly WindowQuota[]): { requests: number; untilMs: number } {
  let least = { requests: Number.POSITIVE_INFINITY, untilMs: 0 };
  for (const window of windows) {
    const requests = unreservedOf(window);
    if (requests < least.requests) least = { requests, untilMs: windowEndsMs(window) };
  }
  return least;
}

/** What remains of a window beyond what is kept of it. */
export function unreservedOf(window: WindowQuota): number {
  return (window.remaining ?? Number.POSITIVE_INFINITY) - reservedRequests(window);
}

export function isOfDay({ per = 'day' }: WindowQuota): boolean {
  return per === 'day';
}

/** When an hour or a month is spent at its rate so far; `undefined` when it lasts, or our count may lack its beginning. */
export function windowRunsOutAtMs(window: WindowQuota, nowMs: number): number | undefined {
  if (window.isOurCount) return undefined;
  return runsOutAtMs([], window, nowMs, window.per === 'hour' ? HOUR_MS : MONTH_MS);
}

/** The requests of a day; `undefined` where none is known. */
export function dayLimitOf(windows: readonly WindowQuota[]): number | undefined {
  let least: number | undefined;
  for (const window of windows) {
    const { limit } = window;
    if (isOfDay(window) && limit !== undefined) least = Math.min(limit, least ?? limit);
  }
  return least;
}

/** Whether the configuration alone tells of a window. */
export function hasPlannedWindow(setting: PlanSetting): boolean {
  const { requestsPerHour, requestsPerDay, requestsPerMonth } = planInForce(
    { quota: undefined, plan: undefined, planAtLimit: undefined },
    setting,
  );
  const stated = [setting.requestsPerDay, setting.requestsPerMonth, requestsPerHour, requestsPerDay, requestsPerMonth];
  return stated.some((figure) => figure !== undefined);
}

/**
 * What is known of all windows once so many more requests have ended. What was stated goes down with those of which no
 * answer states it again.
 *
 * @param leftAtMs when they left; infinite for those whose answers nobody will see
 */
export function afterRequests(
  known: Windows,
  requests: number,
  leftAtMs: number,
  setting: PlanSetting,
  nowMs: number,
): Pick<Windows, 'quota' | 'windows' | 'own'> {
  const less = (stated: QuotaState | undefined) => {
    if (!stated || stated.receivedAtMs >= leftAtMs) return stated;
    const { remaining } = currentQuota(stated, nowMs) ?? {};
    return remaining === undefined ? stated : { ...stated, remaining: Math.max(0, remaining - requests) };
  };
  const { windows } = known;
  return {
    quota: less(known.quota),
    windows: windows && { hour: less(windows.hour), month: less(windows.month) },
    own: countsItself(known, setting) ? countedOwn(known.own, requests, setting, nowMs) : known.own,
  };
}

/** Our counts after so many more requests. */
export function countedOwn(
  own: OwnCounts | undefined,
  requests: number,
  setting: PlanSetting,
  nowMs: number,
): OwnCounts {
  const counted = WINDOWS.map((per) => {
    const { requests: before, endsAtMs } = current(own, per, nowMs) ?? {
      requests: 0,
      endsAtMs: unstatedEndMs(per, setting, nowMs),
    };
    return [per, { requests: before + requests, endsAtMs }];
  });
  return Object.fromEntries(counted);
}

/** What is known of windows other than the day after one more answer. */
export function withReading(
  { windows, own }: Pick<Windows, 'windows' | 'own'>,
  per: keyof OtherWindows,
  reading: QuotaReading,
  setting: PlanSetting,
): OtherWindows {
  const { receivedAtMs } = reading;
  const known = currentQuota(windows?.[per], receivedAtMs);
  const endsAtMs =
    known?.resetsAtMs ?? current(own, per, receivedAtMs)?.endsAtMs ?? unstatedEndMs(per, setting, receivedAtMs);
  return {
    ...windows,
    [per]: mergeReading(known, { ...reading, resetInMs: reading.resetInMs ?? endsAtMs - receivedAtMs }),
  };
}

/** When a window ends of which nothing is stated. */
export function unstatedEndMs(per: WindowName, { monthBegins = 1 }: PlanSetting, nowMs: number): number {
  if (per === 'hour') return nowMs + HOUR_MS;
  return per === 'day' ? nextUtcMidnightMs(nowMs) : nextMonthMs(nowMs, monthBegins);
}

/** What processes share once one has joined that had counted so many requests by itself. */
export function joinedWindows(
  shared: Windows,
  local: Windows,
  requests: number,
  setting: PlanSetting,
  nowMs: number,
): Pick<Windows, 'windows' | 'own'> {
  const newer = (per: keyof OtherWindows) =>
    (local.windows?.[per]?.receivedAtMs ?? 0) > (shared.windows?.[per]?.receivedAtMs ?? 0)
      ? local.windows?.[per]
      : shared.windows?.[per];
  const own = requests > 0 ? countedOwn(shared.own, requests, setting, nowMs) : shared.own;
  const windows = (shared.windows ?? local.windows) && { hour: newer('hour'), month: newer('month') };
  return { windows, own };
}

function windowOf(
  { quota, windows, own }: Windows,
  per: WindowName,
  planned: number | undefined,
  setting: PlanSetting,
  nowMs: number,
): WindowQuota | undefined {
  const stated = currentQuota(per === 'day' ? quota : windows?.[per], nowMs);
  if (planned === undefined || stated?.remaining !== undefined) return stated && { ...stated, per };
  const limit = stated?.limit ?? planned;
  const counted = current(own, per, nowMs);
  const remaining = Math.max(0, limit - (counted?.requests ?? 0));
  const resetsAtMs = counted?.endsAtMs ?? unstatedEndMs(per, setting, nowMs);
  return { per, limit, remaining, resetsAtMs, receivedAtMs: nowMs, isOurCount: true };
}

/** What a month leaves to one of its days; of one that has just begun it is the whole, until it is stated again. */
function shareOfDay(
  month: WindowQuota,
  own: OwnCounts | undefined,
  setting: PlanSetting,
  nowMs: number,
): WindowQuota | undefined {
  const { remaining = month.limit } = month;
  if (remaining === undefined) return undefined;
  const spent = current(own, 'day', nowMs)?.requests ?? 0;
  const resetsAtMs = nextUtcMidnightMs(nowMs);
  const { resetsAtMs: endsAtMs = unstatedEndMs('month', setting, nowMs) } = month;
  const days = Math.max(1, Math.ceil((endsAtMs - resetsAtMs) / DAY_MS) + 1);
  const limit = Math.max(LEAST_A_DAY, Math.floor((SHARES_A_DAY * (remaining + spent)) / days));
  return {
    per: 'day',
    limit,
    remaining: Math.max(0, limit - spent),
    resetsAtMs,
    receivedAtMs: nowMs,
    isOurCount: true,
    isShareOfMonth: true,
  };
}

function limitsOf(known: PlanFacts, setting: PlanSetting): { [per in WindowName]?: number | undefined } {
  // What the default service's plans allow is believed when it says so.
  const plan: Partial<DescribedLimits> = setting.plans ? planInForce(known, setting) : {};
  const { requestsPerHour, requestsPerDay, requestsPerMonth } = plan;
  const perMonth = setting.requestsPerMonth ?? requestsPerMonth;
  return {
    hour: requestsPerHour,
    day: setting.plans && (setting.requestsPerDay ?? requestsPerDay),
    month: perMonth && (setting.isBilled ? Math.floor(perMonth * BILLED_SHARE) : perMonth),
  };
}

function current(own: OwnCounts | undefined, per: WindowName, nowMs: number) {
  const count = own?.[per];
  return count && nowMs < count.endsAtMs ? count : undefined;
}
