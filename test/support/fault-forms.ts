import { ApiError, type Refusal } from '../../sandbox/discord/api-error.ts';
import type { FaultyRoute, ScriptedFault } from '../../sandbox/discord/faults.ts';

export interface RateLimited {
  route: FaultyRoute;
  retryAfterSeconds: number;
  /** Where the wait is stated: in the header in whole seconds, in the body with decimals. Default: both. */
  statedIn?: 'header' | 'body' | 'both';
  /** `user`: this bot's calls of a route; `shared`: all bots' calls to a resource; `global`: all of this bot's calls. */
  scope?: 'user' | 'shared' | 'global';
  times?: number;
}

/** 429 with the headers and the body that topics/rate-limits documents. */
export function rateLimited({
  route,
  retryAfterSeconds,
  statedIn = 'both',
  scope = 'user',
  times = 1,
}: RateLimited): ScriptedFault {
  const global = scope === 'global';
  const headers = {
    ...(statedIn !== 'body' && { 'Retry-After': String(Math.ceil(retryAfterSeconds)) }),
    'X-RateLimit-Scope': scope,
    ...(global && { 'X-RateLimit-Global': 'true' }),
    // Only a limit of the bot itself has a bucket to name.
    ...(scope === 'user' && {
      'X-RateLimit-Limit': '5',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(Date.now() / 1_000 + retryAfterSeconds),
      'X-RateLimit-Reset-After': String(retryAfterSeconds),
      'X-RateLimit-Bucket': 'a-bucket-that-is-empty',
    }),
  };
  const message = scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.';
  const body = { message, ...(statedIn !== 'header' && { retry_after: retryAfterSeconds }), global };
  return { route, times, answer: { status: 429, headers, body } };
}

/** Cloudflare's answer to a banned address: no limits are named; topics/rate-limits. */
export function bannedByCloudflare(route: FaultyRoute, retryAfterSeconds: number, times = 1): ScriptedFault {
  const headers = { 'Retry-After': String(retryAfterSeconds), 'Content-Type': 'text/html' };
  return { route, times, answer: { status: 429, headers, body: 'error code: 1015' } };
}

/** A proxy's answer for a server that does not respond. */
export function serverError(route: FaultyRoute, { status = 502, times = 1 } = {}): ScriptedFault {
  return {
    route,
    times,
    answer: { status, headers: { 'Content-Type': 'text/html' }, body: `<html>${status}</html>` },
  };
}

/** One of Discord's own refusals, such as `unknownMessage` (404, 10008). */
export function refused(route: FaultyRoute, refusal: Refusal, times = 1): ScriptedFault {
  const error = new ApiError(refusal);
  return { route, times, answer: { status: error.status, body: error } };
}

/** A refusal in HTML by something in front of Discord; with `claimsJson` its content type is JSON. */
export function refusedWithHtml(
  route: FaultyRoute,
  status: number,
  { times = 1, claimsJson = false } = {},
): ScriptedFault {
  const headers = { 'Content-Type': claimsJson ? 'application/json' : 'text/html' };
  return { route, times, answer: { status, headers, body: `<html>${status}</html>` } };
}
