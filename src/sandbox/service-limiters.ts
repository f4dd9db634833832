import type { PlanLimits } from '../model/plan.ts';

const MINUTE_MS = 60_000;
/** Less than a millionth of a request: rounding errors, which must not cost a request. */
const ROUNDING = 1e-6;

/**
 * How "10 a minute, burst 20" may be counted; the interface does not say:
 *
 * - `token bucket`: the burst at once, then the rate.
 * - `fixed window`: the rate in each minute, which begins with its first request. No burst (express-rate-limit).
 * - `delaying`: answered at the rate, one by one; a burst waits, and what exceeds it is refused (nginx `limit_req`
 *   without `nodelay`).
 * - `refusals counted`: the rate in any 60 s, refused requests included (HAProxy `http_req_rate`).
 */
export const SERVICE_LIMITERS = ['token bucket', 'fixed window', 'delaying', 'refusals counted'] as const;
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
}

export const NOTHING_COUNTED: Counted = { atMs: Number.NEGATIVE_INFINITY, level: 0, log: [] };

/** The state at a later time. A clock that is set back changes nothing. */
export function passTime({ atMs, level, log }: Counted, limiter: ServiceLimiter, rate: Rate, nowMs: number): Counted {
  const passedMs = Math.max(0, nowMs - atMs);
  return { atMs: nowMs, level: Math.max(0, level - passedMs / intervalMs(rate)), log: counting(log, limiter, nowMs) };
}

/** One request that arrives at the time of the state: what becomes of it, and the state after it. */
export function arrive(counted: Counted, limiter: ServiceLimiter, rate: Rate): { ruling: Ruling; counted: Counted } {
  const ruling = isBucket(limiter) ? ruleByBucket(counted, limiter, rate) : ruleByWindow(counted, limiter, rate);
  const counts = 'delayMs' in ruling || limiter === 'refusals counted';
  return { ruling, counted: counts ? count(counted, limiter) : counted };
}

/** Counts a request whatever the limit. */
export function count(counted: Counted, limiter: ServiceLimiter): Counted {
  if (isBucket(limiter)) return { ...counted, level: counted.level + 1 };
  return { ...counted, log: [...counted.log, counted.atMs] };
}

/** Whole requests that would be let through at the time of the state, delayed ones included. */
export function remaining({ level, log }: Counted, limiter: ServiceLimiter, rate: Rate): number {
  const left = isBucket(limiter)
    ? capacity(limiter, rate) - level + ROUNDING
    : Math.floor(rate.requestsPerMinute) - log.length;
  return Math.max(0, Math.floor(left));
}

function ruleByBucket({ level }: Counted, limiter: ServiceLimiter, rate: Rate): Ruling {
  const missing = level + 1 - capacity(limiter, rate);
  if (missing > ROUNDING) return { retryAfterMs: Math.ceil(missing * intervalMs(rate) - ROUNDING) };
  return { delayMs: limiter === 'delaying' ? Math.ceil(level * intervalMs(rate) - ROUNDING) : 0 };
}

function ruleByWindow(counted: Counted, limiter: ServiceLimiter, rate: Rate): Ruling {
  if (remaining(counted, limiter, rate) > 0) return { delayMs: 0 };
  const { atMs, log } = counted;
  // The one that has to be older than the window before another is let through
  const last = limiter === 'fixed window' ? log[0] : [...log, atMs].at(-Math.floor(rate.requestsPerMinute));
  return { retryAfterMs: (last ?? atMs) + MINUTE_MS - atMs };
}

function counting(log: readonly number[], limiter: ServiceLimiter, nowMs: number): readonly number[] {
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
