import type { OddFigures } from './odd-figures.ts';
import type { QuotaFigures } from './service-quota.ts';

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

/** Some services have a header of their own for the key. */
export function keyIn(
  authorization: string | null | undefined,
  ownHeader: string | string[] | null | undefined,
): string | undefined {
  return authorization ?? (ownHeader ? `Bearer ${ownHeader}` : undefined);
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
export function rateLimitHeaders({ dayLimit, dayRemaining, resetsAtMs }: QuotaFigures): Record<string, string> {
  return {
    'x-ratelimit-limit': String(dayLimit),
    'x-ratelimit-remaining': String(dayRemaining),
    'x-ratelimit-reset': String(Math.ceil(resetsAtMs / 1000)),
  };
}
