import { PLANS, type Plan } from '../model/plan.ts';
import {
  BULK_COSTS,
  BULK_REFUSALS,
  BULK_SHAPES,
  type BulkCost,
  type BulkRefusal,
  type BulkShape,
} from './bulk-forms.ts';
import { ODD_FIGURES, type OddFigures } from './odd-figures.ts';
import { SERVICE_LIMITERS, type ServiceLimiter } from './service-limiters.ts';

/** The switches of the embedded card service, on the page and in tests. */
export interface CardServiceSwitches {
  plan: Plan;
  /** How requests are limited within a minute; another begins with nothing counted. */
  limiter: ServiceLimiter;
  /** Added before every answer. */
  latencyMs: number;
  /** Every request is answered with 503. */
  down: boolean;
  /** `Retry-After` of those; 0 = none. */
  downRetryAfterSeconds: number;
  /** A form of the figures that differs from the interface. */
  oddFigures: OddFigures;
  /** Every request is answered with a per-minute 429 until this time (wall clock, ms); 0 = no storm. */
  stormUntilMs: number;
  /**
   * Requests a minute that a limiter in front of the service allows, with its own window in the headers of every
   * response (`X-RateLimit-Reset` in seconds from now, as in @fastify/rate-limit); 0 = no such limiter.
   */
  windowLimit: number;
  /** Every n-th connection is reset instead of answered and not counted; 0 = none. */
  resetEvery: number;
  /** Ids with a `<` are answered 403 with a page, as a firewall in front of the service does. */
  firewall: boolean;
  /** The API key has been revoked: every request that carries one is answered 401. */
  keyRevoked: boolean;
  /** The form of a list of several cards. */
  bulkShape: BulkShape;
  bulkRefusal: BulkRefusal;
  /** What a list counts as. */
  bulkCost: BulkCost;
}

/** Everything works. */
export const ALL_WELL: Readonly<CardServiceSwitches> = {
  plan: 'free',
  limiter: 'token bucket',
  latencyMs: 0,
  down: false,
  downRetryAfterSeconds: 0,
  oddFigures: 'none',
  stormUntilMs: 0,
  windowLimit: 0,
  resetEvery: 0,
  firewall: false,
  keyRevoked: false,
  bulkShape: 'array',
  bulkRefusal: 'nothing',
  bulkCost: 'one',
};

/** @throws RangeError with a sentence for an invalid value. */
export function checkSwitches(switches: CardServiceSwitches): void {
  const { plan, limiter, latencyMs, stormUntilMs, oddFigures, downRetryAfterSeconds, windowLimit, resetEvery } =
    switches;
  if (!PLANS.includes(plan)) throw new RangeError(`plan must be one of ${PLANS.join(', ')}, not ${plan}.`);
  if (!SERVICE_LIMITERS.includes(limiter)) {
    throw new RangeError(`limiter must be one of: ${SERVICE_LIMITERS.join(', ')}; not ${limiter}.`);
  }
  if (!ODD_FIGURES.includes(oddFigures)) {
    throw new RangeError(`oddFigures must be one of: ${ODD_FIGURES.join(', ')}; not ${oddFigures}.`);
  }
  for (const [name, value, values] of bulkSwitches(switches)) {
    if (!values.includes(value)) throw new RangeError(`${name} must be one of: ${values.join('; ')}; not ${value}.`);
  }
  for (const [name, value] of Object.entries({ latencyMs, stormUntilMs })) {
    if (!Number.isFinite(value) || value < 0) {
      throw new RangeError(`${name} must be a number of milliseconds, 0 or more, not ${value}.`);
    }
  }
  for (const [name, value] of Object.entries({ downRetryAfterSeconds, windowLimit, resetEvery })) {
    if (!Number.isInteger(value) || value < 0) {
      throw new RangeError(`${name} must be a whole number, 0 or more, not ${value}.`);
    }
  }
}

function bulkSwitches({
  bulkShape,
  bulkRefusal,
  bulkCost,
}: CardServiceSwitches): [string, string, readonly string[]][] {
  return [
    ['bulkShape', bulkShape, BULK_SHAPES],
    ['bulkRefusal', bulkRefusal, BULK_REFUSALS],
    ['bulkCost', bulkCost, BULK_COSTS],
  ];
}

/** One request as the service received it. */
export interface SeenRequest {
  atMs: number;
  method: string;
  /** Path and query as sent, still encoded. */
  path: string;
  /** The ids of a request for several cards; absent from any other request. */
  cardIds?: readonly string[];
  /** Decided when the request arrived; 0 when a scripted fault replaces the answer. */
  status: number;
  /** Whether the answer was sent: not yet, yes, or the client had left. */
  sent: 'not yet' | 'yes' | 'too late';
  /** Whether it carried the right API key. */
  authorized: boolean;
}

/** The current figures of the service. */
export interface CardServiceState {
  switches: CardServiceSwitches;
  dayLimit: number;
  dayRemaining: number;
  resetsAtMs: number;
  minuteRate: number;
  /** The most that the limiter allows at once. */
  mostAtOnce: number;
  /** Whole requests that the limiter allows right now. */
  minuteRemaining: number;
}
