import { z } from 'zod';
import { DAY_MS } from '../../src/time.ts';
import { type ServiceCard, withPricesMoved } from '../sample-cards.ts';
import { type Outcome, unlessMalformed } from '../transport.ts';
import { SERVICE_LIMITERS } from './limiters.ts';
import type { QuotaFigures, ServiceQuota } from './quota.ts';

/** One request to the service; `path` with its query, still encoded. `body`: of a POST. */
export interface ReceivedRequest {
  method: string;
  path: string;
  authorization: string | undefined;
  body?: string;
}

export interface ServiceAnswer extends Outcome {
  /** How long a limiter holds it back. */
  delayMs?: number;
}

/** The switches of the embedded card service, on the page and in tests. */
export const Switches = z.strictObject({
  plan: z.enum(['free', 'pro', 'business']),
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
  /** Every request is answered with a per-minute 429 until this time (wall clock, ms); 0 = no storm. */
  stormUntilMs: z.number().min(0),
  /** The API key has been revoked: every request that carries one is answered 401. */
  keyRevoked: z.boolean(),
  /** What it counts for a list: one request, or one for each card. */
  bulkCost: z.enum(['one', 'each']),
});
export type CardServiceSwitches = z.infer<typeof Switches>;

/** How several cards are listed, of which the interface says nothing; undefined = as an array. */
export type Listing = (found: readonly ServiceCard[], ids: readonly string[]) => ServiceAnswer | undefined;

/** The state that decides an answer. */
interface ServiceRules {
  switches: CardServiceSwitches;
  cards: ReadonlyMap<string, ServiceCard>;
  quota: ServiceQuota;
  listing: Listing;
}

/** The answer by the switches and the limits. Only requests that pass both count against the day. */
export function ruledAnswer(
  request: ReceivedRequest,
  authorized: boolean,
  rules: ServiceRules,
  nowMs: number,
): ServiceAnswer {
  const { switches, quota } = rules;
  const { down, downRetryAfterSeconds, stormUntilMs, bulkCost } = switches;
  if (down) {
    const headers = downRetryAfterSeconds > 0 ? { 'retry-after': String(downRetryAfterSeconds) } : {};
    return errorAnswer(503, 'ServiceUnavailable', 'The service is down for maintenance.', headers);
  }
  if (nowMs < stormUntilMs) return rateLimitAnswer(stormUntilMs - nowMs);
  const keyNeeded = request.authorization !== undefined || request.path.startsWith('/v1/usage');
  if (keyNeeded && !authorized) return errorAnswer(401, 'Unauthorized', 'The API key is missing or not valid.');

  const ruling = quota.admit(bulkCost === 'each' ? listedIds(request)?.length : 1);
  if ('retryAfterMs' in ruling) return rateLimitAnswer(ruling.retryAfterMs);
  return { ...allowedAnswer(request, rules), ...ruling };
}

/** The answer to a request that the limits allow. */
function allowedAnswer(request: ReceivedRequest, rules: ServiceRules): ServiceAnswer {
  const [path = '', query = ''] = request.path.split('?', 2);
  const ids = listedIds(request);
  if (ids) return listingAnswer(ids, query.includes('includePrices=true'), rules);
  if (request.method !== 'GET') {
    return errorAnswer(405, 'MethodNotAllowed', `${request.method} is not supported.`, { allow: 'GET' });
  }
  if (path === '/v1/usage') {
    const { dayLimit: limit, dayRemaining: left, resetsAtMs } = rules.quota.figures();
    // The interface states limits per day only, so the period of the report is the day
    const [start, end] = [resetsAtMs - DAY_MS, resetsAtMs].map((atMs) => new Date(atMs).toISOString());
    const requests = { used: limit - left, limit, remaining: left };
    return jsonAnswer(200, { plan: rules.switches.plan, period: { start, end }, requests });
  }
  const segment = /^\/cards\/([^/]+)$/.exec(path)?.[1];
  if (segment !== undefined) return cardAnswer(segment, query, rules);
  return errorAnswer(404, 'NotFound', 'There is nothing at this path.');
}

/** The ids of `GET /cards?ids=a,b` or `POST /cards/batch` with `{"ids":["a","b"]}`; `undefined`: it is another request. */
export function listedIds({ method, path, body }: ReceivedRequest): string[] | undefined {
  const [address, query = ''] = path.split('?', 2);
  if (method === 'GET' && address === '/cards') {
    // Split before they are decoded: an encoded comma is a part of an id.
    const list = /(?:^|&)ids=([^&]*)/.exec(query)?.[1];
    return list === undefined ? undefined : unlessMalformed(() => list.split(',').map(decodeURIComponent));
  }
  if (method !== 'POST' || address !== '/cards/batch') return undefined;
  const ids = unlessMalformed(() => JSON.parse(body ?? '').ids);
  return Array.isArray(ids) ? ids.map(String) : undefined;
}

function listingAnswer(ids: readonly string[], withPrices: boolean, rules: ServiceRules): ServiceAnswer {
  const found = [...new Set(ids)].flatMap((id) => cardOf(id, withPrices, rules) ?? []);
  return rules.listing(found, ids) ?? jsonAnswer(200, found);
}

function cardAnswer(segment: string, query: string, rules: ServiceRules): ServiceAnswer {
  const includePrices = new URLSearchParams(query).get('includePrices') ?? 'false';
  if (includePrices !== 'true' && includePrices !== 'false') {
    return errorAnswer(400, 'InvalidRequest', 'includePrices must be true or false.');
  }
  const id = unlessMalformed(() => decodeURIComponent(segment));
  if (id === undefined) return errorAnswer(400, 'InvalidRequest', 'The card id is not encoded properly.');
  const card = cardOf(id, includePrices === 'true', rules);
  return card ? jsonAnswer(200, card) : errorAnswer(404, 'CardNotFound', `No card has the id '${id}'.`);
}

function cardOf(id: string, withPrices: boolean, { cards, switches }: ServiceRules): ServiceCard | undefined {
  const card = cards.get(id);
  if (!card || withPrices) return card && withPricesMoved(card, switches.pricePercent);
  const { prices: _, ...facts } = card;
  return facts;
}

export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): ServiceAnswer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) };
}

/** Error body of the interface: `_tag` and `message`. */
export function errorAnswer(
  status: number,
  tag: string,
  message: string,
  headers?: Record<string, string>,
): ServiceAnswer {
  return jsonAnswer(status, { _tag: tag, message }, headers);
}

function rateLimitAnswer(retryAfterMs: number): ServiceAnswer {
  const retryAfter = Math.ceil(retryAfterMs) / 1000;
  const message = `Rate limit exceeded. Retry after ${retryAfter} seconds.`;
  const headers = { 'retry-after': String(Math.ceil(retryAfter)) };
  return jsonAnswer(429, { _tag: 'RateLimitExceeded', message, retryAfter }, headers);
}

/** The headers of every response. */
export function rateLimitHeaders({ dayLimit, dayRemaining, resetsAtMs }: QuotaFigures): Record<string, string> {
  return {
    'x-ratelimit-limit': String(dayLimit),
    'x-ratelimit-remaining': String(dayRemaining),
    'x-ratelimit-reset': String(Math.ceil(resetsAtMs / 1000)),
  };
}
