import type { StopReason, WindowName, WindowQuota } from '../model/quota.ts';
import { at, type LimiterState, type Now, type Terms } from './limiter-state.ts';
import { isSameWindow, windowEndsMs } from './windows.ts';

/** A line of the log. */
export interface Line {
  level: 'info' | 'warn' | 'error';
  text: string;
  facts: object;
}

/**
 * What operators read in the log of one change.
 *
 * @param before absent at a start: a new log does not say yet that requests are stopped, if they still are
 */
export function newsOf(before: LimiterState | undefined, after: LimiterState, terms: Terms, nowMs: number): Line[] {
  const was = before && at(before, terms, before.atMs);
  const is = at(after, terms, nowMs);
  const known = was ?? is;
  const ofPace = ofLearned(known, is);
  if (was?.windows === is.windows && was.state.trouble === is.state.trouble) return ofPace; // a request has left
  const told = [...ofWindows(known, is), ...ofPlan(known, is), ...ofUnknownPlan(was, is)];
  return [...told, ...ofStop(was, is), ...ofPace];
}

const WHOSE: Record<WindowName, string> = { hour: "this hour's", day: "today's", month: "this month's" };
const CURE = 'if that is usual, set budgets or take a larger plan, see docs/quota.md';

/** That a share of a window is spent. A day that takes twice its share of a month is no reason to warn. */
function ofWindows(before: Now, after: Now): Line[] {
  return after.windows.flatMap((window) => {
    const { per = 'day', isShareOfMonth, limit, remaining } = window;
    const isIt = (each: WindowQuota) => each.per === per && !each.isShareOfMonth && isSameWindow(each, window);
    const known = before.windows.find(isIt);
    const isOver = known && windowEndsMs(known) <= after.nowMs;
    const share = spentShare(window);
    // That all are spent stops requests.
    if (isShareOfMonth || share === 1 || share <= (isOver ? 0 : spentShare(known))) return [];
    const text = `${100 * share} % of ${WHOSE[per]} requests are used: ${CURE}`;
    return { level: 'warn', facts: { share, limit, remaining }, text };
  });
}

/** Shares of a window's requests at which operators are warned. */
const WARNED_SHARES = [0.8, 0.95, 1];

/** The largest of these that members have spent; 1 as soon as nothing remains, 0 while that is unknown. */
function spentShare({ limit, remaining, forWatches = 0 }: Partial<WindowQuota> = {}): number {
  if (limit === undefined || remaining === undefined) return 0;
  const spent = 1 - (remaining && remaining + forWatches) / limit;
  return WARNED_SHARES.findLast((share) => spent >= share) ?? 0;
}

/** That `CARD_SERVICE_PLAN=auto` finds a plan with another rate than the one so far. */
function ofPlan(before: Now, { plan, planned: { intervalMs } }: Now): Line[] {
  if (!plan || intervalMs === before.planned.intervalMs) return [];
  const facts = { plan, requestsPerMinute: Math.round(60_000 / intervalMs) };
  return [{ level: 'info', facts, text: `the plan is ${plan}: requests are sent at its rate` }];
}

/**
 * How to configure a daily limit from which `CARD_SERVICE_PLAN=auto` cannot tell the plan, though more may be allowed.
 */
function ofUnknownPlan(before: Now | undefined, after: Now): Line[] {
  const { plan, requestsPerMinute, burst } = after.terms.setting;
  const isConfigured = plan !== 'auto' || (requestsPerMinute && burst);
  const unknown = (now?: Now) => (now?.plan ? undefined : now?.state.windows.day?.stated?.limit);
  const limit = unknown(after);
  if (isConfigured || !limit || unknown(before)) return [];
  const text =
    'the daily limit matches no known plan, so requests are sent at the rate of the Free plan: set CARD_SERVICE_PLAN, or CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST';
  return [{ level: 'warn', facts: { limit }, text }];
}

/** That a window or a smaller burst is learned, or given up. */
function ofLearned(before: Now, after: Now): Line[] {
  const text = limitText(after);
  if (text === limitText(before)) return [];
  const { window, capacity: burst } = after.pace;
  return [{ level: 'info', facts: { window, burst }, text }];
}

function limitText({ pace: { window, capacity }, planned }: Now): string {
  if (window !== undefined && window !== planned.window)
    return `the card service takes ${window} requests in any minute: the bot keeps to that`;
  if (capacity === planned.capacity) return "the bot keeps to the plan's rate and burst again";
  const reaction = capacity === 1 ? 'spaces them evenly' : 'keeps to that';
  return `the card service takes fewer requests at a time than the plan allows: the bot ${reaction}`;
}

const spentText = (per: WindowName) =>
  `${WHOSE[per]} requests are used up: only saved cards are shown until the reset; ${CURE}`;

/** The failures before an outage were warned of. */
const STOPPED: Record<StopReason, [level: Line['level'], text: string]> = {
  pause: ['info', 'the card service asked for a pause: requests wait'],
  hour: ['warn', spentText('hour')],
  day: ['warn', spentText('day')],
  month: ['warn', spentText('month')],
  outage: ['info', 'the card service is down: only saved cards are shown until it answers'],
  plan: [
    'error',
    'the plan does not allow card lookups, so only saved cards are shown: take a larger one, or correct `refused` in the description of the card service',
  ],
  key: ['error', 'the card service refuses the API key, so only saved cards are shown: check CARD_SERVICE_API_KEY'],
};

/** That requests stop, with the reason, or that they go on. */
function ofStop(before: Now | undefined, { stop: is, nowMs }: Now): Line[] {
  const was = before?.stop;
  if (is?.reason === was?.reason || (is && !before && is.untilMs <= nowMs)) return [];
  if (is) {
    const [level, text] = STOPPED[is.reason];
    const until = new Date(is.untilMs).toISOString();
    return [{ level, facts: { reason: is.reason, until, outage: 'requests' }, text }];
  }
  const lastedMs = was?.beganMs && nowMs - was.beganMs;
  return [
    { level: 'info', facts: { reason: was?.reason, lastedMs, over: 'requests' }, text: 'requests are sent again' },
  ];
}
