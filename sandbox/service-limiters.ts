import type { PlanLimits } from '../src/model/plan.ts';

const MINUTE_MS = 60_000;
/** Less than a millionth of a request: rounding errors, which must not cost a request. */
const ROUNDING = 1e-6;

/** The requests a day of a service that has no day: more than anybody sends. */
export const NO_DAY = Number.MAX_SAFE_INTEGER;

/**
 * How "10 a minute, burst 20" may be counted; the interface does not say:
 *
 * - `token bucket`: the burst at once, then the rate.
 * - `fixed window`: the rate in each minute, which begins with its first request. No burst (express-rate-limit).
 * - `delaying`: answered at the rate, one by one; a burst waits, and what exceeds it is refused (nginx `limit_req`
 *   without `nodelay`).
 * - `refusals counted`: the rate in any 60 s, refused requests included (a log that each request is added to first).
 * - `fading window`: the rate in each minute, refused requests included, and what the minute before counted fades away
 *   evenly (HAProxy `http_req_rate`, the sliding window counters of gateways).
 */
export const SERVICE_LIMITERS = [
  'token bucket',
  'fixed window',
  'delaying',
  'refusals counted',
  'fading window',
] as const;
export type ServiceLimiter = (typeof SERVICE_LIMITERS)[number];

export type Rate = Pick<PlanLimits, 'requestsPerMinute' | 'burst'>;

/** What becomes of a request: it is let through, perhaps after a delay, or refused. */
export type Ruling = { delayMs: number } | { retryAfterMs: number };

/** What a limiter has counted until `atMs`. */
export interface Counted {
  atMs: number;
  /** In a bucket: requests that the rate has not made up for. */
  level: number;
  /** In a window: when the requests came that still count, oldest first. */
  log: readonly number[];
  /** When the present minute of a fading window began: with the first request after a silence, and from then on each minute. */
  beganAtMs: number;
}

export const NOTHING_COUNTED: Counted = { atMs: Number.NEGATIVE_INFINITY, level: 0, log: [], beganAtMs: 0 };

/** The state at a later time. A clock that is set back changes nothing. */
export function passTime(counted: Counted, limiter: ServiceLimiter, rate: Rate, nowMs: number): Counted {
  const passedMs = Math.max(0, nowMs - counted.atMs);
  const minutes = Math.max(0, Math.floor((nowMs - counted.beganAtMs) / MINUTE_MS));
  const beganAtMs = counted.beganAtMs + minutes * MINUTE_MS;
  return {
    atMs: nowMs,
    level: Math.max(0, counted.level - passedMs / intervalMs(rate)),
    log: counting(counted.log, limiter, nowMs, beganAtMs),
    beganAtMs,
  };
}

/** One request that arrives at the time of the state: what becomes of it, and the state after it. */
export function arrive(counted: Counted, limiter: ServiceLimiter, rate: Rate): { ruling: Ruling; counted: Counted } {
  const ruling = isBucket(limiter) ? ruleByBucket(counted, limiter, rate) : ruleByWindow(counted, limiter, rate);
  const counts = 'delayMs' in ruling || limiter === 'refusals counted' || limiter === 'fading window';
  return { ruling, counted: counts ? count(counted, limiter) : counted };
}

/** Counts a request whatever the limit. */
export function count(counted: Counted, limiter: ServiceLimiter): Counted {
  if (isBucket(limiter)) return { ...counted, level: counted.level + 1 };
  const beganAtMs = counted.log.length === 0 ? counted.atMs : counted.beganAtMs;
  return { ...counted, log: [...counted.log, counted.atMs], beganAtMs };
}

/** Whole requests that would be let through at the time of the state, delayed ones included. */
export function remaining(counted: Counted, limiter: ServiceLimiter, rate: Rate): number {
  const left = isBucket(limiter)
    ? capacity(limiter, rate) - counted.level + ROUNDING
    : Math.floor(rate.requestsPerMinute) - Math.floor(inWindow(counted, limiter));
  return Math.max(0, Math.floor(left));
}

/** Requests that count now. A part of one does not. */
function inWindow({ atMs, log, beganAtMs }: Counted, limiter: ServiceLimiter): number {
  if (limiter !== 'fading window') return log.length;
  const faded = Math.min(1, Math.max(0, (atMs - beganAtMs) / MINUTE_MS));
  const before = log.filter((requestAtMs) => requestAtMs < beganAtMs).length;
  return log.length - before + before * (1 - faded);
}

function ruleByBucket({ level }: Counted, limiter: ServiceLimiter, rate: Rate): Ruling {
  const missing = level + 1 - capacity(limiter, rate);
  if (missing > ROUNDING) return { retryAfterMs: Math.ceil(missing * intervalMs(rate) - ROUNDING) };
  return { delayMs: limiter === 'delaying' ? Math.ceil(level * intervalMs(rate) - ROUNDING) : 0 };
}

function ruleByWindow(counted: Counted, limiter: ServiceLimiter, rate: Rate): Ruling {
  if (remaining(counted, limiter, rate) > 0) return { delayMs: 0 };
  if (limiter === 'fading window') return { retryAfterMs: fadesInMs(count(counted, limiter), rate) };
  const { atMs, log } = counted;
  // The one that has to be older than the window before another is let through
  const last = limiter === 'fixed window' ? log[0] : [...log, atMs].at(-Math.floor(rate.requestsPerMinute));
  return { retryAfterMs: (last ?? atMs) + MINUTE_MS - atMs };
}

/** When there is room for one more, whole milliseconds from now, if none comes until then. */
function fadesInMs({ atMs, log, beganAtMs }: Counted, { requestsPerMinute }: Rate): number {
  const limit = Math.floor(requestsPerMinute);
  const before = log.filter((requestAtMs) => requestAtMs < beganAtMs).length;
  const since = log.length - before;
  const minutes = since < limit ? 1 - (limit - since) / before : 2 - limit / since;
  return Math.floor(beganAtMs + minutes * MINUTE_MS) + 1 - atMs;
}

function counting(
  log: readonly number[],
  limiter: ServiceLimiter,
  nowMs: number,
  beganAtMs: number,
): readonly number[] {
  if (limiter === 'fading window') return log.filter((atMs) => atMs >= beganAtMs - MINUTE_MS);
  const isOver = (atMs: number) => nowMs - atMs >= MINUTE_MS;
  const [first] = log;
  if (first === undefined || !isOver(first)) return log;
  return limiter === 'fixed window' ? [] : log.filter((atMs) => !isOver(atMs));
}

function isBucket(limiter: ServiceLimiter): boolean {
  return limiter === 'token bucket' || limiter === 'delaying';
}

/** One that delays has one request under way and a burst that waits. */
function capacity(limiter: ServiceLimiter, { burst }: Rate): number {
  return limiter === 'delaying' ? burst + 1 : burst;
}

function intervalMs({ requestsPerMinute }: Rate): number {
  return MINUTE_MS / requestsPerMinute;
}
