import { type Breaker, DAY_SHARES, type QuotaState, spentShare } from '../model/quota.ts';
import { currentQuota, windowEndsMs } from '../quota/quota.ts';
import { DAY_MS } from '../time/utc-day.ts';

export const ALERTS = [
  'day80',
  'day95',
  'day100',
  'keyRefused',
  'serviceDown',
  'redisAway',
  'gatewayAway',
  'refused',
] as const;
export type Alert = (typeof ALERTS)[number];

/** What is known of everything that there are alerts for. */
export interface Watched {
  quota?: QuotaState | undefined;
  breaker?: Breaker | undefined;
  /**
   * Whether the service has answered a lookup of this process since it last refused the key or was down. The breaker does not
   * tell: with a new key it is closed before anything was sent.
   */
  hasWorked?: boolean | undefined;
  /** Since when, as far as this process knows; `undefined` while it works. */
  serviceDownSinceMs?: number | undefined;
  redisAwaySinceMs?: number | undefined;
  gatewayAwaySinceMs?: number | undefined;
  /** Why Discord refuses the bot for good. */
  refusal?: string | undefined;
}

/** How long something may be away before an operator hears of it: restarts and short outages end by themselves. */
export interface AlertTimes {
  serviceDownMs: number;
  redisAwayMs: number;
  gatewayAwayMs: number;
}
export const ALERT_TIMES: AlertTimes = { serviceDownMs: 5 * 60_000, redisAwayMs: 60_000, gatewayAwayMs: 5 * 60_000 };

/** Whether each alert is due; `undefined` while that cannot be said yet. */
export type Due = Record<Alert, boolean | undefined>;

export function dueAlerts(watched: Watched, nowMs: number, times: AlertTimes = ALERT_TIMES): Due {
  const { breaker, hasWorked, serviceDownSinceMs, redisAwaySinceMs, gatewayAwaySinceMs, refusal } = watched;
  const spent = spentOf(watched, nowMs);
  const isSpent = (share: number) => spent && spent.share >= share;
  const lasted = (sinceMs: number | undefined, mostMs: number) =>
    sinceMs === undefined ? false : nowMs - sinceMs >= mostMs || undefined;
  return {
    day80: isSpent(DAY_SHARES.day80),
    day95: isSpent(DAY_SHARES.day95),
    day100: isSpent(DAY_SHARES.day100),
    keyRefused: breaker && isKeyRefused(breaker, hasWorked),
    serviceDown: isAnswering(watched) ? false : lasted(serviceDownSinceMs, times.serviceDownMs) || undefined,
    redisAway: lasted(redisAwaySinceMs, times.redisAwayMs),
    gatewayAway: lasted(gatewayAwaySinceMs, times.gatewayAwayMs),
    refused: refusal !== undefined || (gatewayAwaySinceMs === undefined ? false : undefined),
  };
}

/** When one of them may become due or end without an event; `undefined` when none can. */
export function nextLookMs(watched: Watched, nowMs: number, times: AlertTimes = ALERT_TIMES): number | undefined {
  const { quota, breaker, serviceDownSinceMs, redisAwaySinceMs, gatewayAwaySinceMs } = watched;
  const laterMs = [
    quota && windowEndsMs(quota),
    breaker?.reason === 'day' ? breaker.untilMs : undefined,
    serviceDownSinceMs && serviceDownSinceMs + times.serviceDownMs,
    redisAwaySinceMs && redisAwaySinceMs + times.redisAwayMs,
    gatewayAwaySinceMs && gatewayAwaySinceMs + times.gatewayAwayMs,
  ].filter((atMs) => atMs !== undefined && atMs > nowMs);
  return laterMs.length > 0 ? Math.min(...(laterMs as number[])) : undefined;
}

/** An alert about the day is told once in each of the quota's windows; any other once until it is over. */
const KEPT_MS = 35 * DAY_MS;
const MARGIN_MS = 3_600_000;

/** Until when an alert that is told now is not told again, by any process. */
export function toldUntilMs(alert: Alert, { quota }: Watched, nowMs: number): number {
  return alert in DAY_SHARES && quota ? Math.max(windowEndsMs(quota), nowMs) + MARGIN_MS : nowMs + KEPT_MS;
}

/** A probe that got no answer, or was asked to wait, says nothing of the key. */
function isKeyRefused({ reason, failures }: Breaker, hasWorked = false): boolean | undefined {
  if (reason === 'key') return true;
  return reason === undefined && failures === 0 && hasWorked ? false : undefined;
}

/** A refusal is an answer, too. */
function isAnswering({ breaker, hasWorked = false }: Watched): boolean {
  if (breaker === undefined || breaker.reason === 'outage') return false;
  return breaker.reason === undefined ? hasWorked : true;
}

/** After the reset nothing is spent, as far as is known. */
function spentOf({ quota, breaker }: Watched, nowMs: number): { share: number } | undefined {
  if (breaker?.reason === 'day') {
    if (breaker.untilMs > nowMs) return { share: 1 };
    // Refused after the stated reset: only a probe can say that it is over, and each may be refused again.
    if (quota && windowEndsMs(quota) <= breaker.sinceMs) return undefined;
  }
  return quota && { share: spentShare(currentQuota(quota, nowMs)) ?? 0 };
}
