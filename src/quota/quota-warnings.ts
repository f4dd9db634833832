import type { Logger } from '../log.ts';
import type { Breaker, BreakerReason, QuotaState } from '../model/quota.ts';
import type { Learned } from './learned.ts';
import type { LimiterState } from './limiter-state.ts';
import { isNewWarning, type QuotaWarning } from './quota.ts';

/** What of a state operators have been told. */
export type Told = Pick<LimiterState, 'warned' | 'learned' | 'breaker'>;

/** What operators read in the log of the quota and of the service's limiter. */
export class QuotaWarnings {
  readonly #log: Logger;
  #hasWarnedOfLimit = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** To be called with every change. */
  changed(before: Told | undefined, after: LimiterState): void {
    this.lowQuota(before?.warned, after.warned, after.quota);
    if (before) this.#learned(settled(before), settled(after));
    if (before) this.#breaker(before.breaker, after.breaker);
  }

  /** Logs one line for each new warning. */
  lowQuota(before: QuotaWarning | undefined, after: QuotaWarning | undefined, quota: QuotaState | undefined): void {
    if (!after || !isNewWarning(after, before)) return;
    const { limit, remaining } = quota ?? {};
    this.#log.warn({ share: after.share, limit, remaining }, "the day's requests run low");
  }

  /** Logs once how to configure a daily limit from which `CARD_SERVICE_PLAN=auto` cannot tell the plan. */
  unknownLimit(limit: number | undefined): void {
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
      this.#log.info({ reason: after.reason, until }, STOPPED[after.reason]);
    } else if (before.reason !== undefined) {
      const lastedMs = Date.now() - (before.beganMs ?? before.sinceMs);
      this.#log.info({ reason: before.reason, lastedMs }, 'requests go out again');
    }
  }

  /** Logs one line when a window or a smaller burst is learned, and when it is given up. */
  #learned(before: Shown, after: Shown): void {
    const { window, capacity: burst } = after;
    const isBurstKnown = (burst === undefined) === (before.capacity === undefined);
    if (window === before.window && (window !== undefined || isBurstKnown)) return;
    this.#log.info({ window, burst }, limitText(after));
  }
}

const STOPPED: Record<BreakerReason, string> = {
  pause: 'the card service asked for a pause: requests wait',
  day: "the day's requests are used up: saved cards are shown",
  outage: 'the card service is down: saved cards are shown, and it is tried now and then',
  key: 'the card service refuses the key, check CARD_SERVICE_API_KEY: saved cards are shown, and it is tried once a minute',
};

type Shown = Pick<Learned, 'window' | 'capacity'>;

/** While the service pauses requests after a 429, those that had left before can still change what it means. */
function settled({ learned, breaker }: Told): Shown {
  const { refusal } = learned;
  return breaker.reason === 'pause' && refusal?.knownAtMs === breaker.sinceMs ? refusal : learned;
}

function limitText({ window, capacity }: Shown): string {
  if (window !== undefined) return `the service lets ${window} requests through in any minute: requests keep to that`;
  if (capacity !== undefined)
    return 'the service takes fewer requests at a time than its plan says: requests keep to that';
  return "requests keep to the plan's burst and rate again";
}
