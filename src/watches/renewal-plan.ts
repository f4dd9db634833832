import type { LimiterView } from '../limiter/limiter.ts';
import { reservedRequests, unreservedOf, windowEndsMs } from '../limiter/windows.ts';
import type { WindowQuota } from '../model/quota.ts';
import { HOUR_MS } from '../time/utc-day.ts';

/** What decides whether a card that is watched is renewed now. */
export interface RenewalFacts {
  nowMs: number;
  view: Pick<LimiterView, 'windows' | 'trouble' | 'storeAwaitedUntilMs'>;
  /** Whether the service counts by a window, as far as is known before it states a figure. */
  hasWindow: boolean;
  /** A member waits for a card, here or in another process. */
  isMemberWaiting: boolean;
  /** How many cards one request may carry, each of which may count. */
  mostTogether: number;
}

/** One request with so many cards at most, or nothing until then. */
type RenewalPlan = { cards: number } | { waitUntilMs: number };

/** At the slowest plan's rate it is time for 1,200 requests; and so late it is known what members have left over. */
const LAST_HOURS_MS = 2 * HOUR_MS;
/** For a permit and the answer: what leaves after the reset is spent of the next window. */
const LONGEST_ON_WAY_MS = 2 * 60_000;
const LOOK_AGAIN_MS = 60_000;

/**
 * Whether a request may be spent on watches that most windows would lose otherwise: where members ask most at the end
 * of a window, a few of them may miss it. Without a window, whether nobody else wants one now.
 */
export function renewalPlan(facts: RenewalFacts): RenewalPlan {
  const { view, isMemberWaiting, nowMs, mostTogether } = facts;
  const known = view.windows.filter(({ remaining }) => remaining !== undefined);
  const waitsUntilMs = Math.max(...known.map((window) => waitsFor(window, nowMs)));
  if (waitsUntilMs > nowMs) return { waitUntilMs: waitsUntilMs };
  const isBusy =
    (view.trouble && view.trouble.kind !== 'failing') || view.storeAwaitedUntilMs !== undefined || isMemberWaiting;
  const isPlanned = known.length > 0 || isWithoutWindow(facts);
  if (isBusy || !isPlanned) return { waitUntilMs: nowMs + LOOK_AGAIN_MS };
  return { cards: known.length > 0 ? Math.min(mostTogether, ...known.map(spareOf)) : 1 };
}

/** Neither the service nor its description has told of one. */
export function isWithoutWindow({ view: { windows }, hasWindow }: Pick<RenewalFacts, 'view' | 'hasWindow'>): boolean {
  return !hasWindow && windows.every(({ limit, remaining }) => limit === undefined && remaining === undefined);
}

/** A member always finds twice what is kept for missing cards. */
function spareOf(window: WindowQuota): number {
  return Math.floor(unreservedOf(window) - reservedRequests(window));
}

/** Until when nothing may be spent of a window on watches. */
function waitsFor(window: WindowQuota, nowMs: number): number {
  const endsMs = windowEndsMs(window);
  const isOver = spareOf(window) < 1 || endsMs - nowMs < LONGEST_ON_WAY_MS;
  return isOver ? endsMs : endsMs - LAST_HOURS_MS;
}
