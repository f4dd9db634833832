import type { WindowQuota } from '../model/quota.ts';
import { windowEndsMs } from '../quota/day-quota.ts';
import type { LimiterView } from '../quota/limiter-port.ts';
import { unreservedOf } from '../quota/windows.ts';
import { DAY_MS, HOUR_MS } from '../time/utc-day.ts';

/** What decides whether a card that is watched is renewed now. */
export interface RenewalFacts {
  nowMs: number;
  view: Pick<LimiterView, 'windows' | 'breaker' | 'isIsolated'>;
  /** Whether the service counts by a window, as far as is known before it states a figure. */
  hasWindow: boolean;
  /** A member waits for a card, here or in another process. */
  isMemberWaiting: boolean;
  /** Requests of members from this time of the day until the reset, on each of the last seven days of which that is known. */
  usual: readonly number[];
  /** Requests of members on the whole of each of these days. */
  usualDays: readonly number[];
  /** In the last hours, as many as there are until the reset. A day that ran out shows less than members wanted. */
  lately: number;
  /** When the last of them left this process. */
  lastSentAtMs: number | undefined;
  /** How many cards one request may carry, each of which may count. */
  mostTogether: number;
}

/** One request with so many cards at most, or nothing until then. */
export type RenewalPlan = { cards: number } | { waitUntilMs: number };

/**
 * A price is fresh for so long, unless that is set, so that no card is renewed twice before a reset. It is time for 3,600
 * requests at the slowest plan's rate; and the later it is, the better it is known what members will leave.
 */
const LAST_HOURS_MS = 6 * HOUR_MS;
/** For a permit and the answer: what leaves after the reset is spent of the next day. */
const LONGEST_ON_WAY_MS = 2 * 60_000;
/** Others may have spent what an older figure says remains. */
const OLD_AFTER_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 60_000;
/** Until then a list waits until as many requests can be spared as it may carry cards: it may count once. */
const FULL_LISTS_UNTIL_MS = HOUR_MS / 2;
/** Members may ask for so many times what they asked for on the busiest of the last days. */
const USUAL_TIMES = 2;

/**
 * Whether a request may be spent on watches that every window would lose otherwise, so that no member ever misses it; without
 * a window, whether nobody else wants one now.
 */
export function renewalPlan(facts: RenewalFacts): RenewalPlan {
  const { view, isMemberWaiting, nowMs } = facts;
  const isBusy = view.breaker.state !== 'closed' || view.isIsolated || isMemberWaiting;
  const lookAgain = { waitUntilMs: nowMs + LOOK_AGAIN_MS };
  const plans = view.windows.flatMap((window) =>
    window.remaining === undefined ? [] : ofWindow(window, window.remaining, isBusy, facts),
  );
  if (plans.length === 0) return isWithoutWindow(facts) && !isBusy ? { cards: 1 } : lookAgain;
  const waitsMs = plans.flatMap((plan) => ('waitUntilMs' in plan ? [plan.waitUntilMs] : []));
  if (waitsMs.length > 0) return { waitUntilMs: Math.max(...waitsMs) };
  return { cards: Math.min(...plans.map((plan) => ('cards' in plan ? plan.cards : 0))) };
}

/** Neither the service nor its description has told of one. */
export function isWithoutWindow({ view: { windows }, hasWindow }: Pick<RenewalFacts, 'view' | 'hasWindow'>): boolean {
  return !hasWindow && windows.every(({ limit, remaining }) => limit === undefined && remaining === undefined);
}

/** What members may ask for until the window ends, if each day was like one of those that are known; none is for an hour. */
function usualUntilEnd({ per = 'day' }: WindowQuota, leftMs: number, facts: RenewalFacts): readonly number[] {
  if (per === 'day') return facts.usual;
  return per === 'hour' ? [] : facts.usualDays.map((requests) => (requests * leftMs) / DAY_MS);
}

function ofWindow(quota: WindowQuota, remaining: number, isBusy: boolean, facts: RenewalFacts): RenewalPlan {
  const { nowMs, mostTogether } = facts;
  const lookAgain = { waitUntilMs: nowMs + LOOK_AGAIN_MS };
  const { receivedAtMs, per = 'day' } = quota;
  const unreserved = unreservedOf(quota);
  const resetsAtMs = windowEndsMs(quota);
  const leftMs = resetsAtMs - nowMs;
  const isOld = nowMs - receivedAtMs > OLD_AFTER_MS;
  const hasAnswerSaidNothing = isOld && (facts.lastSentAtMs ?? receivedAtMs) > receivedAtMs;
  const isOver = unreserved <= 0 || hasAnswerSaidNothing || leftMs < LONGEST_ON_WAY_MS;
  if (isOver) return { waitUntilMs: resetsAtMs };
  if (per === 'day' && leftMs > LAST_HOURS_MS) return { waitUntilMs: resetsAtMs - LAST_HOURS_MS };
  if (isBusy) return lookAgain;
  // Half of what would remain without what was sent: otherwise half of each rest would be spent, too.
  const usual = usualUntilEnd(quota, leftMs, facts);
  const lately = per === 'day' ? facts.lately : 0;
  const half = usual.length > 0 ? 0 : (remaining + (quota.forWatches ?? 0)) / 2;
  const spare = Math.floor(unreserved - Math.max(half, USUAL_TIMES * Math.max(lately, ...usual)));
  if (spare >= 1 && isOld) return { cards: 1 };
  const isFull = per !== 'day' || spare >= mostTogether || leftMs < FULL_LISTS_UNTIL_MS;
  return spare >= 1 && isFull ? { cards: Math.min(spare, mostTogether) } : lookAgain;
}
