import type { Usage } from '../model/plan.ts';
import type { QuotaState } from '../model/quota.ts';
import { DAY_MS, nextUtcMidnightMs } from '../time/utc-day.ts';

export interface UsageFigures {
  /** What is left of the day. */
  today: { limit: number | undefined; remaining: number | undefined; resetsAtMs: number | undefined };
  /** As far as it still holds. */
  report: Usage | undefined;
  /** What the report says of a period that is not the day. */
  inPeriod: { used: number | undefined; limit: number | undefined; remaining: number | undefined } | undefined;
}

export interface UsageKnowledge {
  report: { usage: Usage; atMs: number } | undefined;
  quota: QuotaState | undefined;
  nowMs: number;
}

/** Head and body of one answer come this close together (default of CARD_SERVICE_TIMEOUT_MS). */
const SAME_ANSWER_MS = 10_000;

/**
 * Every figure from one source. Headers and report both speak of the day when the report's period is one; then the newer
 * of the two says limit and remaining together, and the headers when they came with that report.
 */
export function usageFigures({ report, quota, nowMs }: UsageKnowledge): UsageFigures {
  const headers = { limit: quota?.limit, remaining: quota?.remaining, resetsAtMs: quota?.resetsAtMs };
  if (!report || isOver(report, nowMs)) return { today: headers, report: undefined, inPeriod: undefined };

  const { usage, atMs } = report;
  if (!isOfTheDay(usage, quota)) return { today: headers, report: usage, inPeriod: complete(usage.requests) };

  const headersAreNewer = hasFigures(quota) && quota.receivedAtMs >= atMs - SAME_ANSWER_MS;
  if (headersAreNewer) {
    return { today: headers, report: isContradicted(usage, quota) ? undefined : usage, inPeriod: undefined };
  }
  const { limit, remaining } = complete(usage.requests) ?? {};
  const resetsAtMs = usage.period?.endMs ?? quota?.resetsAtMs;
  return { today: { limit: limit ?? headers.limit, remaining, resetsAtMs }, report: usage, inPeriod: undefined };
}

/**
 * A report without a period is taken to be of the UTC day in which it came. One that seemed over when it came shows that
 * our clock is wrong.
 */
function isOver({ usage, atMs }: { usage: Usage; atMs: number }, nowMs: number): boolean {
  const endMs = usage.period?.endMs ?? nextUtcMidnightMs(atMs);
  return atMs < endMs && nowMs >= endMs;
}

function isOfTheDay({ period, requests }: Usage, quota: QuotaState | undefined): boolean {
  if (period?.startMs !== undefined && period.endMs !== undefined) return period.endMs - period.startMs <= DAY_MS;
  return requests?.limit === undefined || quota?.limit === undefined || requests.limit === quota.limit;
}

/** The plan was changed since the report came. */
function isContradicted({ requests }: Usage, { limit }: QuotaState): boolean {
  return requests?.limit !== undefined && limit !== undefined && requests.limit !== limit;
}

function hasFigures(quota: QuotaState | undefined): quota is QuotaState {
  return quota?.remaining !== undefined || quota?.limit !== undefined;
}

/** What is missing follows from the others; `used` and `limit` are believed before `remaining`. */
function complete(requests: Usage['requests']): UsageFigures['inPeriod'] {
  if (!requests) return undefined;
  const { limit } = requests;
  const { used = minus(limit, requests.remaining) } = requests;
  return { used, limit, remaining: minus(limit, used) ?? requests.remaining };
}

function minus(whole: number | undefined, part: number | undefined): number | undefined {
  return whole === undefined || part === undefined ? undefined : Math.max(0, whole - part);
}
