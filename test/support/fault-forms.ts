import { ApiError, type Refusal } from '../../sandbox/discord/api-error.ts';
import type { FaultyRoute, ScriptedFault } from '../../sandbox/discord/faults.ts';

export interface RateLimited {
  route: FaultyRoute;
  retryAfterSeconds: number;
  /** The wait is stated in the body alone, with decimals, and not in the header in whole seconds, too. */
  isInBody?: true;
  /** `user`: this bot's calls of a route; `shared`: all bots' calls to a resource; `global`: all of this bot's calls. */
  scope?: 'user' | 'shared' | 'global';
  times?: number;
}

/** 429 with the headers and the body that topics/rate-limits documents. */
export function rateLimited({
  route,
  retryAfterSeconds,
  isInBody,
  scope = 'user',
  times = 1,
}: RateLimited): ScriptedFault {
  const global = scope === 'global';
  const headers = {
    ...(!isInBody && { 'Retry-After': String(Math.ceil(retryAfterSeconds)) }),
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
  const body = { message, retry_after: retryAfterSeconds, global };
  return { route, times, answer: { status: 429, headers, body } };
}

/** Cloudflare's answer to a banned address: no limits are named; topics/rate-limits. */
export function bannedByCloudflare(route: FaultyRoute, retryAfterSeconds: number): ScriptedFault {
  const headers = { 'Retry-After': String(retryAfterSeconds), 'Content-Type': 'text/html' };
  return { route, answer: { status: 429, headers, body: 'error code: 1015' } };
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

/** A refusal in HTML by something in front of Discord, which claims to be JSON. */
export function refusedWithHtml(route: FaultyRoute, status: number): ScriptedFault {
  return { route, answer: { status, headers: { 'Content-Type': 'application/json' }, body: `<html>${status}</html>` } };
}
