import { z } from 'zod';
import { PLANS } from '../src/model/plan.ts';
import { BULK_COSTS, BULK_REFUSALS, BULK_SHAPES } from './bulk-listing.ts';
import { ODD_FIGURES } from './odd-figures.ts';
import { SERVICE_LIMITERS } from './service-limiters.ts';
import type { QuotaFigures } from './service-quota.ts';

/** The switches of the embedded card service, on the page and in tests. */
export const Switches = z.strictObject({
  plan: z.enum(PLANS),
  /** How requests are limited within a minute; another begins with nothing counted. */
  limiter: z.enum(SERVICE_LIMITERS),
  /** All prices are so many percent higher than at the start. */
  pricePercent: z.number().min(-99).max(1_000),
  /** Added before every answer. */
  latencyMs: z.number().min(0).max(3_600_000),
  /** Every request is answered with 503. */
  down: z.boolean(),
  /** `Retry-After` of those; 0 = none. */
  downRetryAfterSeconds: z.int().min(0).max(86_400),
  /** A form of the figures that differs from the interface. */
  oddFigures: z.enum(ODD_FIGURES),
  /** Every request is answered with a per-minute 429 until this time (wall clock, ms); 0 = no storm. */
  stormUntilMs: z.number().min(0),
  /**
   * Requests a minute that a limiter in front of the service allows, with its own window in the headers of every
   * response (`X-RateLimit-Reset` in seconds from now, as in @fastify/rate-limit); 0 = no such limiter.
   */
  windowLimit: z.int().min(0).max(1_000_000),
  /** Every n-th connection is reset instead of answered and not counted; 0 = none. */
  resetEvery: z.int().min(0).max(1_000),
  /** Ids with a `<` are answered 403 with a page, as a firewall in front of the service does. */
  firewall: z.boolean(),
  /** The API key has been revoked: every request that carries one is answered 401. */
  keyRevoked: z.boolean(),
  /** The form of a list of several cards. */
  bulkShape: z.enum(BULK_SHAPES),
  bulkRefusal: z.enum(BULK_REFUSALS),
  /** What a list counts as. */
  bulkCost: z.enum(BULK_COSTS),
});
export type CardServiceSwitches = z.infer<typeof Switches>;

/** Everything works. */
export const ALL_WELL: Readonly<CardServiceSwitches> = {
  plan: 'free',
  limiter: 'token bucket',
  pricePercent: 0,
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
  const [issue] = Switches.safeParse(switches).error?.issues ?? [];
  if (issue) throw new RangeError(`${issue.path.join('.')}: ${issue.message}.`);
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
export interface CardServiceState extends QuotaFigures {
  switches: CardServiceSwitches;
}
