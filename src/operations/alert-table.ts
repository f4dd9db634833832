import { type Breaker, DAY_SHARES, spentShare, spentWindow, type WindowQuota } from '../model/quota.ts';
import { currentQuota, windowEndsMs } from '../quota/day-quota.ts';

/** What is known of everything that there are alerts for. */
export interface Watched {
  quota?: WindowQuota | undefined;
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

interface AlertKind {
  /**
   * `day`: told once in each window of the quota, by one process for all. `process`: told by each process, because it can lose
   * Redis or the gateway while the others have it. `all`: told by one process for all.
   */
  scope: 'day' | 'process' | 'all';
  /** `undefined` while it cannot be said. */
  isDue(watched: Watched, nowMs: number, times: AlertTimes): boolean | undefined;
  /** What operators read in Discord. Times are Discord's own, so that each reads them in their time zone. */
  begins(watched: Watched): string;
  over: string;
}

export const ALERTS = {
  day80: {
    ...ofDay(DAY_SHARES.day80),
    begins: (watched) => `⚠️ 80 % of ${whose(watched)} requests are used.${resets(watched)}`,
    over: 'less than 80 % of the requests are used.',
  },
  day95: {
    ...ofDay(DAY_SHARES.day95),
    begins: (watched) =>
      `⚠️ 95 % of ${whose(watched)} requests are used. Saved cards are no longer refreshed.${resets(watched)}`,
    over: 'less than 95 % of the requests are used.',
  },
  day100: {
    ...ofDay(DAY_SHARES.day100),
    begins: (watched) =>
      `🛑 ${whose(watched).replace('t', 'T')} requests are used up. Saved cards are still shown.${resets(watched)}`,
    over: 'requests are available again.',
  },
  keyRefused: {
    ...ofRefused('key'),
    begins: () => '🛑 The card service refuses the API key. Check CARD_SERVICE_API_KEY.',
    over: 'the card service accepts the API key.',
  },
  planRefused: {
    ...ofRefused('plan'),
    begins: () => '🛑 The plan does not allow card lookups, says the card service. Take a larger one.',
    over: 'the plan allows card lookups.',
  },
  serviceDown: {
    scope: 'all',
    isDue: (watched, nowMs, { serviceDownMs }) =>
      isAnswering(watched) ? false : hasLasted(watched.serviceDownSinceMs, serviceDownMs, nowMs) || undefined,
    begins: ({ serviceDownSinceMs }) =>
      `🛑 The card service has not answered since ${time(serviceDownSinceMs)}. Saved cards are still shown.`,
    over: 'the card service answers again.',
  },
  redisAway: {
    scope: 'process',
    isDue: ({ redisAwaySinceMs }, nowMs, { redisAwayMs }) => hasLasted(redisAwaySinceMs, redisAwayMs, nowMs),
    begins: ({ redisAwaySinceMs }) =>
      `🛑 A process has not reached Redis since ${time(redisAwaySinceMs)}. It continues with its share of the plan.`,
    over: 'Redis can be reached again.',
  },
  gatewayAway: {
    scope: 'process',
    isDue: ({ gatewayAwaySinceMs }, nowMs, { gatewayAwayMs }) => hasLasted(gatewayAwaySinceMs, gatewayAwayMs, nowMs),
    begins: ({ gatewayAwaySinceMs }) =>
      `🛑 A process has not been fully connected to Discord since ${time(gatewayAwaySinceMs)}: it misses commands.`,
    over: 'the bot is connected to Discord again.',
  },
  refused: {
    scope: 'all',
    isDue: ({ refusal, gatewayAwaySinceMs }) =>
      refusal !== undefined || (gatewayAwaySinceMs === undefined ? false : undefined),
    begins: ({ refusal = '' }) => `🛑 ${refusal}`,
    over: 'Discord accepts the bot again.',
  },
} as const satisfies Record<string, AlertKind>;

export type Alert = keyof typeof ALERTS;

/** After the reset nothing is spent, as far as is known. */
function ofDay(share: number): Pick<AlertKind, 'scope' | 'isDue'> {
  return {
    scope: 'day',
    isDue({ quota, breaker }, nowMs) {
      if (breaker?.reason === 'day' || breaker?.reason === 'month') {
        if (breaker.untilMs > nowMs) return true;
        // Refused after the stated reset: only a probe can say that it is over, and each may be refused again.
        if (quota && windowEndsMs(quota) <= breaker.sinceMs) return undefined;
      }
      return quota && (spentShare(currentQuota(quota, nowMs)) ?? 0) >= share;
    },
  };
}

/** A probe that got no answer, or was asked to wait, says nothing of key and plan. */
function ofRefused(what: 'key' | 'plan'): Pick<AlertKind, 'scope' | 'isDue'> {
  return {
    scope: 'all',
    isDue({ breaker, hasWorked }) {
      if (breaker?.reason === what) return true;
      return breaker?.state === 'closed' && breaker.failures === 0 && hasWorked ? false : undefined;
    },
  };
}

/** A refusal is an answer, too. */
function isAnswering({ breaker, hasWorked = false }: Watched): boolean {
  if (breaker === undefined || breaker.reason === 'outage') return false;
  return breaker.reason === undefined ? hasWorked : true;
}

function hasLasted(sinceMs: number | undefined, mostMs: number, nowMs: number): boolean | undefined {
  return sinceMs === undefined ? false : nowMs - sinceMs >= mostMs || undefined;
}

function whose({ quota, breaker }: Watched): string {
  const isOfMonth = breaker?.reason === 'month' || (breaker?.reason !== 'day' && quota?.per === 'month');
  return isOfMonth ? "this month's" : "today's";
}

function resets({ quota, breaker }: Watched): string {
  const atMs = breaker && spentWindow(breaker.reason) ? breaker.untilMs : quota?.resetsAtMs;
  return atMs === undefined ? '' : ` The quota resets on ${time(atMs)}.`;
}

function time(atMs: number | undefined): string {
  return `<t:${Math.round((atMs ?? Date.now()) / 1000)}:f>`;
}
