import type { QuotaState } from '../model/quota.ts';
import { reservedRequests, windowEndsMs } from '../quota/day-quota.ts';
import type { Schedule } from '../quota/limiter-port.ts';
import { HOUR_MS, nextUtcMidnightMs } from '../time/utc-day.ts';

/** What decides whether a card that is watched is renewed now. */
export interface RenewalFacts {
  nowMs: number;
  /** `WATCH_RENEWALS`. */
  isOn: boolean;
  quota: QuotaState | undefined;
  schedule: Pick<Schedule, 'breaker' | 'isIsolated'>;
  /** Somebody else spends from the same key today. */
  isKeyShared: boolean;
  /** A member waits for a card, here or in another process. */
  isMemberWaiting: boolean;
  /** Requests of members from this time of the day until the reset, on each of the last seven days of which that is known. */
  usual: readonly number[];
  /** In the last hours, as many as there are until the reset. A day that ran out shows less than members wanted. */
  lately: number;
  /** Requests for watches today. */
  sentToday: number;
  /** When the last of them left this process. */
  lastSentAtMs: number | undefined;
  /** How many cards one request may carry, each of which may count. */
  mostTogether: number;
}

/** `send`: now, so many cards at most, in one request. `wait`: and decide again. `notToday`: nothing more before the day's reset. */
export type RenewalPlan = { kind: 'send'; cards: number } | { kind: 'wait' | 'notToday'; untilMs: number };

/**
 * As long as a price is fresh, unless that is set: no card is renewed twice before a reset. Time for 3,600 requests at the
 * slowest plan's rate, and the later it is, the better it is known what members will leave.
 */
const LAST_HOURS_MS = 6 * HOUR_MS;
/** Others may have spent what an older figure says remains. */
const OLD_AFTER_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 60_000;
/** Until then a list waits until as many requests can be spared as it may carry cards: it may count once. */
const FULL_LISTS_UNTIL_MS = HOUR_MS / 2;
/** So much more than on the busiest of the last days members may ask for. */
const USUAL_TIMES = 2;

/** Whether a request may be spent on watches that the day would lose otherwise, so that no member ever misses it. */
export function renewalPlan(facts: RenewalFacts): RenewalPlan {
  const {
    nowMs,
    isOn,
    quota,
    schedule,
    isKeyShared,
    isMemberWaiting,
    usual,
    lately,
    sentToday,
    lastSentAtMs,
    mostTogether,
  } = facts;
  const lookAgain = { kind: 'wait', untilMs: nowMs + LOOK_AGAIN_MS } as const;
  if (!isOn) return { kind: 'notToday', untilMs: nextUtcMidnightMs(nowMs) };
  if (quota?.remaining === undefined) return lookAgain;
  const { remaining, receivedAtMs } = quota;
  const resetsAtMs = windowEndsMs(quota);
  const notToday = { kind: 'notToday', untilMs: resetsAtMs } as const;
  const isOld = nowMs - receivedAtMs > OLD_AFTER_MS;
  const hasAnswerSaidNothing = isOld && lastSentAtMs !== undefined && lastSentAtMs > receivedAtMs;
  const unreserved = remaining - reservedRequests(quota);
  if (isKeyShared || unreserved <= 0 || hasAnswerSaidNothing) return notToday;
  if (resetsAtMs - nowMs > LAST_HOURS_MS) return { kind: 'wait', untilMs: resetsAtMs - LAST_HOURS_MS };
  if (schedule.breaker.state !== 'closed' || schedule.isIsolated || isMemberWaiting) return lookAgain;
  // Half of what would remain without what was sent: otherwise half of each rest would be spent, too.
  const half = usual.length > 0 ? 0 : (remaining + sentToday) / 2;
  const spare = Math.floor(unreserved - Math.max(half, USUAL_TIMES * Math.max(lately, ...usual)));
  const isFull = spare >= mostTogether || isOld || resetsAtMs - nowMs < FULL_LISTS_UNTIL_MS;
  if (spare < 1 || !isFull) return lookAgain;
  return { kind: 'send', cards: isOld ? 1 : Math.min(spare, mostTogether) };
}
