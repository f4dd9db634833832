import type { PlanLimits } from '../model/plan.ts';
import { DAY_MS } from '../time/utc-day.ts';
import { listedIds, listingAnswer, unlessMalformed } from './bulk-listing.ts';
import type { CardServiceSwitches } from './card-service-controls.ts';
import type { OddFigures } from './odd-figures.ts';
import type { ServiceCard } from './sample-cards.ts';
import { dayRemaining, type LimitState } from './service-limits.ts';

/** One request to the service; `path` with its query, still encoded. `body`: of a POST. */
export interface ReceivedRequest {
  method: string;
  path: string;
  authorization: string | undefined;
  body?: string;
}

export interface ServiceAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/**
 * How a connection breaks: `hang` never answers, `stall` sends the head and half of the body and then nothing, `reset`
 * sends a TCP reset at once.
 */
export type ServiceFault = 'hang' | 'stall' | 'reset';

/** The answer, or how the connection breaks. */
export interface ServiceOutcome extends ServiceAnswer {
  fault?: ServiceFault;
}

/** The service as a function. `signal` aborts when the client leaves. */
export type AnswerRequest = (request: ReceivedRequest, signal?: AbortSignal) => Promise<ServiceOutcome>;

/** The state on which an answer depends. */
export interface ServiceContext {
  cards: ReadonlyMap<string, ServiceCard>;
  switches: Pick<CardServiceSwitches, 'plan' | 'bulkShape' | 'bulkRefusal'>;
  limits: PlanLimits;
  state: LimitState;
}

export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): ServiceAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
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

/** A firewall in front of the service does not use its error bodies. */
export const FIREWALL_ANSWER: ServiceAnswer = {
  status: 403,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>403 Forbidden</title><h1>Request blocked</h1>',
};

export function rateLimitAnswer(retryAfterMs: number, odd: OddFigures = 'none'): ServiceAnswer {
  const seconds = Math.ceil(retryAfterMs) / 1000;
  const message = `Rate limit exceeded. Retry after ${seconds} seconds.`;
  const retryAfter = odd === 'retryAfter in milliseconds' ? Math.ceil(retryAfterMs) : seconds;
  return jsonAnswer(
    429,
    { _tag: 'RateLimitExceeded', message, retryAfter },
    { 'retry-after': String(Math.ceil(seconds)) },
  );
}

/** @param retryAfterSeconds 0 = not stated */
export function downAnswer(retryAfterSeconds: number): ServiceAnswer {
  const headers = retryAfterSeconds > 0 ? { 'retry-after': String(retryAfterSeconds) } : {};
  return errorAnswer(503, 'ServiceUnavailable', 'The service is down for maintenance.', headers);
}

/** The headers of every response. */
export function rateLimitHeaders(state: LimitState, limits: PlanLimits): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limits.requestsPerDay),
    'x-ratelimit-remaining': String(dayRemaining(state, limits)),
    'x-ratelimit-reset': String(Math.ceil(state.resetsAtMs / 1000)),
  };
}

/** The answer to a request that the limits allow. */
export function routeAnswer(request: ReceivedRequest, context: ServiceContext): ServiceAnswer {
  const [path = '', query = ''] = request.path.split('?', 2);
  const { switches, cards } = context;
  const ids = switches.bulkShape === 'none' ? undefined : listedIds(request);
  if (ids) return listingAnswer(ids, query.includes('includePrices=true'), switches, cards);
  if (request.method !== 'GET') {
    return errorAnswer(405, 'MethodNotAllowed', `${request.method} is not supported.`, { allow: 'GET' });
  }
  if (path === '/v1/usage') return usageAnswer(context);
  const segment = /^\/cards\/([^/]+)$/.exec(path)?.[1];
  if (segment !== undefined) return cardAnswer(segment, query, cards);
  return errorAnswer(404, 'NotFound', 'There is nothing at this path.');
}

function cardAnswer(segment: string, query: string, cards: ServiceContext['cards']): ServiceAnswer {
  const includePrices = new URLSearchParams(query).get('includePrices') ?? 'false';
  if (includePrices !== 'true' && includePrices !== 'false') {
    return errorAnswer(400, 'InvalidRequest', 'includePrices must be true or false.');
  }
  const id = unlessMalformed(() => decodeURIComponent(segment));
  if (id === undefined) return errorAnswer(400, 'InvalidRequest', 'The card id is not encoded properly.');
  const card = cards.get(id);
  if (!card) return errorAnswer(404, 'CardNotFound', `No card has the id '${id}'.`);
  if (includePrices === 'true') return jsonAnswer(200, card);
  const { prices: _, ...facts } = card;
  return jsonAnswer(200, facts);
}

/** The interface states limits per day only, so the period of the report is the day. */
function usageAnswer({ switches: { plan }, limits, state }: ServiceContext): ServiceAnswer {
  const limit = limits.requestsPerDay;
  const remaining = dayRemaining(state, limits);
  return jsonAnswer(200, {
    plan,
    period: {
      start: new Date(state.resetsAtMs - DAY_MS).toISOString(),
      end: new Date(state.resetsAtMs).toISOString(),
    },
    requests: { used: limit - remaining, limit, remaining },
  });
}
