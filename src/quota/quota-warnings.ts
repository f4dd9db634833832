import type { Logger } from '../log.ts';
import type { PlanSetting } from '../model/plan.ts';
import { type Breaker, type BreakerReason, CLOSED_BREAKER, type WindowName } from '../model/quota.ts';
import { newlySpentShare } from './day-quota.ts';
import type { Allowed } from './learned.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from './limiter-state.ts';
import { isPlannedAlike, planFound, plannedPace, unknownLimit } from './pace.ts';
import { windowsOf } from './windows.ts';

/** What operators read in the log of the quota and of the service's limiter. */
export class QuotaWarnings {
  readonly #log: Logger;
  #hasWarnedOfLimit = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** To be called with what the last run left: a new log does not say yet that requests are stopped, if they still are. */
  started(state: LimiterState, setting: PlanSetting): void {
    if (state.breaker.untilMs > Date.now()) this.#breaker(CLOSED_BREAKER, state.breaker);
    this.#unknownPlan(state, setting);
  }

  /** To be called with every change. */
  changed(before: LimiterState | undefined, after: LimiterState, setting: PlanSetting): void {
    this.#lowQuota(before, after, setting);
    if (!before || !isPlannedAlike(before, after)) this.#plan(before ?? INITIAL_LIMITER_STATE, after, setting);
    if (!before) return;
    this.#learned(settled(before), settled(after));
    this.#breaker(before.breaker, after.breaker);
  }

  /** Logs one line when a share of a window is spent. */
  #lowQuota(before: LimiterState | undefined, after: LimiterState, setting: PlanSetting): void {
    if (before?.quota === after.quota && before?.windows === after.windows && before?.own === after.own) return;
    const nowMs = Date.now();
    const known = before ? windowsOf(before, setting, nowMs) : [];
    for (const window of windowsOf(after, setting, nowMs)) {
      const { per = 'day', isShareOfMonth, limit, remaining } = window;
      if (isShareOfMonth) continue; // a day that takes twice its share is no reason to warn
      const was = known.find((each) => each.per === window.per);
      const share = newlySpentShare(was, window, nowMs);
      if (share !== undefined) this.#log.warn({ share, limit, remaining }, lowText(share, per));
    }
  }

  /** Logs one line when `CARD_SERVICE_PLAN=auto` finds a plan with another rate than the one so far. */
  #plan(before: LimiterState, after: LimiterState, setting: PlanSetting): void {
    const plan = planFound(after, setting);
    const { intervalMs } = plannedPace(after, setting);
    if (plan !== undefined && intervalMs !== plannedPace(before, setting).intervalMs) {
      const requestsPerMinute = Math.round(60_000 / intervalMs);
      this.#log.info({ plan, requestsPerMinute }, `the plan is ${plan}: requests are sent at its rate`);
    }
    this.#unknownPlan(after, setting);
  }

  /** Logs once how to configure a daily limit from which `CARD_SERVICE_PLAN=auto` cannot tell the plan. */
  #unknownPlan(state: LimiterState, setting: PlanSetting): void {
    const limit = unknownLimit(state, setting);
    if (limit === undefined || this.#hasWarnedOfLimit) return;
    this.#hasWarnedOfLimit = true;
    this.#log.warn(
      { limit },
      'the daily limit matches no known plan, so requests are sent at the rate of the Free plan: set CARD_SERVICE_PLAN, or CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST',
    );
  }

  /** Logs one line when requests stop, with the reason, and one when they go on. */
  #breaker(before: Breaker, after: Breaker): void {
    if (after.reason === before.reason) return;
    if (after.reason !== undefined) {
      const until = new Date(after.untilMs).toISOString();
      const [level, text] = STOPPED[after.reason];
      this.#log[level]({ reason: after.reason, until, outage: 'requests' }, text);
    } else if (before.reason !== undefined) {
      const lastedMs = Date.now() - (before.beganMs ?? before.sinceMs);
      this.#log.info({ reason: before.reason, lastedMs, over: 'requests' }, 'requests are sent again');
    }
  }

  /** Logs one line when a window or a smaller burst is learned, and when it is given up. */
  #learned(before: Allowed, after: Allowed): void {
    const { window, refill, capacity: burst } = after;
    const isWindowKnown = window === before.window && (refill === 'evenly') === (before.refill === 'evenly');
    const isBurstKnown = (burst === undefined) === (before.capacity === undefined);
    if (isWindowKnown && (window !== undefined || isBurstKnown)) return;
    this.#log.info({ window, burst }, limitText(after));
  }
}

const WHOSE: Record<WindowName, string> = { hour: "this hour's", day: "today's", month: "this month's" };

function lowText(share: number, per: WindowName): string {
  if (share === 1) return spentText(per);
  return `${100 * share} % of ${WHOSE[per]} requests are used: if that is usual, set budgets or take a larger plan, see docs/quota.md`;
}

function spentText(per: WindowName): string {
  return `${WHOSE[per]} requests are used up: only saved cards are shown until the reset; if that is usual, set budgets or take a larger plan, see docs/quota.md`;
}

/** The failures before an outage were warned of. */
const STOPPED: Record<BreakerReason, [level: 'info' | 'warn' | 'error', text: string]> = {
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

/** While the service pauses requests after a 429, those that had left before can still change what it means. */
function settled({ learned, breaker }: LimiterState): Allowed {
  const { refusal } = learned;
  return breaker.reason === 'pause' && refusal?.knownAtMs === breaker.sinceMs ? refusal : learned;
}

function limitText({ window, refill, capacity }: Allowed): string {
  const reaction = refill === 'evenly' ? 'spaces them evenly' : 'keeps to that';
  if (window !== undefined) return `the card service takes ${window} requests in any minute: the bot ${reaction}`;
  if (capacity !== undefined)
    return 'the card service takes fewer requests at a time than the plan allows: the bot keeps to that';
  return "the bot keeps to the plan's rate and burst again";
}
