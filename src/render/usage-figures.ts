import type { Usage } from '../model/plan.ts';
import type { WindowQuota } from '../model/quota.ts';
import { DAY_MS, nextUtcMidnightMs } from '../time/utc-day.ts';

interface Figures {
  used: number | undefined;
  limit: number | undefined;
  remaining: number | undefined;
}

export interface UsageFigures {
  /** What is left of the day; `atMs`: when the service said so, `undefined` while nothing is known. */
  today: Figures & { resetsAtMs: number | undefined; atMs: number | undefined; isOurCount?: boolean };
  /** `undefined` when it is out of date. */
  report: Usage | undefined;
  /** The report's period and figures when that is not the day. */
  period: Usage['period'];
  inPeriod: Figures | undefined;
}

export interface UsageKnowledge {
  report: { usage: Usage; atMs: number } | undefined;
  /** The day's. */
  quota: WindowQuota | undefined;
  /** What this bot has counted today of a service that tells of no day. */
  counted?: number | undefined;
  nowMs: number;
}

/** Headers and body of one answer arrive this close together (default of CARD_SERVICE_TIMEOUT_MS). */
const SAME_ANSWER_MS = 10_000;

/**
 * Every figure from one source, so that none contradicts another. When the report's period is a day, it and the headers
 * describe the same figures; then limit and remaining are taken together from the newer of the two, and from the
 * headers when both came with one answer.
 */
export function usageFigures({ report, quota, counted, nowMs }: UsageKnowledge): UsageFigures {
  const headers = {
    used: minus(quota?.limit, quota?.remaining) ?? counted,
    limit: quota?.limit,
    remaining: quota?.remaining,
    resetsAtMs: quota?.resetsAtMs,
    atMs: isStated(quota) ? quota.receivedAtMs : undefined,
    ...(quota?.isOurCount && { isOurCount: true }),
  };
  const ofTheDay = { period: undefined, inPeriod: undefined };
  if (!report || isOver(report, nowMs)) return { today: headers, report: undefined, ...ofTheDay };

  const { usage, atMs } = report;
  if (!isOfTheDay(usage, quota)) {
    return { today: headers, report: usage, period: usage.period, inPeriod: complete(usage.requests) };
  }
  const headersAreNewer = isStated(quota) && quota.receivedAtMs >= atMs - SAME_ANSWER_MS;
  if (headersAreNewer) return { today: headers, report: isContradicted(usage, quota) ? undefined : usage, ...ofTheDay };

  const { limit = headers.limit, remaining } = complete(usage.requests) ?? {};
  const resetsAtMs = usage.period?.endMs ?? quota?.resetsAtMs;
  return { today: { used: minus(limit, remaining), limit, remaining, resetsAtMs, atMs }, report: usage, ...ofTheDay };
}

/**
 * A report without a period counts for the UTC day in which it arrived. A period that is over on arrival shows that our
 * clock is wrong, and the report is kept.
 */
function isOver({ usage, atMs }: { usage: Usage; atMs: number }, nowMs: number): boolean {
  const endMs = usage.period?.endMs ?? nextUtcMidnightMs(atMs);
  return atMs < endMs && nowMs >= endMs;
}

function isOfTheDay({ period, requests }: Usage, quota: WindowQuota | undefined): boolean {
  if (period?.startMs !== undefined && period.endMs !== undefined) return period.endMs - period.startMs <= DAY_MS;
  return requests?.limit === undefined || quota?.limit === undefined || requests.limit === quota.limit;
}

/** The plan was changed since the report arrived. */
function isContradicted({ requests }: Usage, { limit }: WindowQuota): boolean {
  return requests?.limit !== undefined && limit !== undefined && requests.limit !== limit;
}

function isStated(quota: WindowQuota | undefined): quota is WindowQuota {
  return !quota?.isOurCount && (quota?.remaining !== undefined || quota?.limit !== undefined);
}

/**
 * A missing figure is computed from the others; `used` and `limit` take precedence over `remaining`. `undefined`: none.
 */
function complete(requests: Usage['requests']): Figures | undefined {
  if (!requests) return undefined;
  const { limit } = requests;
  const { used = minus(limit, requests.remaining) } = requests;
  const remaining = minus(limit, used) ?? requests.remaining;
  return used === undefined && limit === undefined && remaining === undefined ? undefined : { used, limit, remaining };
}

export function minus(whole: number | undefined, part: number | undefined): number | undefined {
  return whole === undefined || part === undefined ? undefined : Math.max(0, whole - part);
}
