import type { Breaker, BreakerReason } from '../model/quota.ts';
import { formatMessage } from './messages.ts';
import { age, fromTime } from './times.ts';

/** Whether requests flow at this second, and if not, why and until when. */
export function usageState(locale: string, breaker: Breaker, nowMs: number): { words: string; isWell: boolean } {
  const { reason, failures } = breaker;
  if (reason) {
    return { words: `${formatMessage(locale, REASONS[reason])} ${nextTry(locale, breaker, nowMs)}`, isWell: false };
  }
  return failures === 0
    ? { words: formatMessage(locale, 'requestsFlow'), isWell: true }
    : { words: formatMessage(locale, 'requestFailed'), isWell: false };
}

const REASONS = {
  pause: 'breakerPause',
  day: 'breakerDay',
  outage: 'breakerOutage',
  key: 'breakerKey',
} as const satisfies Record<BreakerReason, string>;

/** The breaker stays open until a probe has succeeded, however long that has been due. */
function nextTry(locale: string, { state, sinceMs, untilMs }: Breaker, nowMs: number): string {
  const since = age(sinceMs);
  if (state === 'halfOpen') return formatMessage(locale, 'probeUnderWay', { since });
  if (untilMs <= nowMs) return formatMessage(locale, 'probeDue', { since });
  return formatMessage(locale, 'probeAt', { since, from: fromTime(locale, untilMs, nowMs) });
}
