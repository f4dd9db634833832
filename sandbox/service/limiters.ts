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
 */
export const SERVICE_LIMITERS = ['token bucket', 'fixed window', 'delaying'] as const;
export type ServiceLimiter = (typeof SERVICE_LIMITERS)[number];

/** What a plan allows. */
export interface PlanLimits {
  requestsPerDay: number;
  requestsPerMinute: number;
  /** Requests that may be sent at once after a quiet time. */
  burst: number;
}

/** The interface's table, without Enterprise, which is "custom" in it. */
export const PLAN_LIMITS = {
  free: { requestsPerDay: 1_000, requestsPerMinute: 10, burst: 20 },
  pro: { requestsPerDay: 50_000, requestsPerMinute: 100, burst: 200 },
  business: { requestsPerDay: 200_000, requestsPerMinute: 500, burst: 1_000 },
} satisfies Record<string, PlanLimits>;
export type Plan = keyof typeof PLAN_LIMITS;

export type Rate = Pick<PlanLimits, 'requestsPerMinute' | 'burst'>;

/** What becomes of a request: it is let through, perhaps after a delay, or refused. */
export type Ruling = { delayMs: number } | { retryAfterMs: number };

/** What a limiter has counted until `atMs`. */
export interface Counted {
  atMs: number;
  /** In a bucket: requests that the rate has not made up for. In a window: those of the present one. */
  level: number;
  /** When the present window began. */
  beganAtMs: number;
}

export const NOTHING_COUNTED: Counted = { atMs: Number.NEGATIVE_INFINITY, level: 0, beganAtMs: 0 };

/** The state at a later time. A clock that is set back changes nothing. */
export function passTime(counted: Counted, limiter: ServiceLimiter, rate: Rate, nowMs: number): Counted {
  const passedMs = Math.max(0, nowMs - counted.atMs);
  const isOver = limiter === 'fixed window' && nowMs - counted.beganAtMs >= MINUTE_MS;
  const left = limiter === 'fixed window' ? counted.level : counted.level - passedMs / intervalMs(rate);
  return { ...counted, atMs: nowMs, level: isOver ? 0 : Math.max(0, left) };
}

/** One request that arrives at the time of the state: what becomes of it, and the state after it. */
export function arrive(counted: Counted, limiter: ServiceLimiter, rate: Rate): { ruling: Ruling; counted: Counted } {
  const ruling = rule(counted, limiter, rate);
  return { ruling, counted: 'delayMs' in ruling ? count(counted) : counted };
}

/** Counts a request whatever the limit. */
export function count({ atMs, level, beganAtMs }: Counted): Counted {
  return { atMs, level: level + 1, beganAtMs: level === 0 ? atMs : beganAtMs };
}

/** Whole requests that would be let through at the time of the state, delayed ones included. */
export function remaining({ level }: Counted, limiter: ServiceLimiter, rate: Rate): number {
  return Math.max(0, Math.floor(capacity(limiter, rate) - level + ROUNDING));
}

function rule({ atMs, level, beganAtMs }: Counted, limiter: ServiceLimiter, rate: Rate): Ruling {
  const missing = level + 1 - capacity(limiter, rate);
  if (missing <= ROUNDING) return { delayMs: limiter === 'delaying' ? wholeMs(level, rate) : 0 };
  return { retryAfterMs: limiter === 'fixed window' ? beganAtMs + MINUTE_MS - atMs : wholeMs(missing, rate) };
}

/** One that delays has one request under way and a burst that waits. */
function capacity(limiter: ServiceLimiter, { requestsPerMinute, burst }: Rate): number {
  if (limiter === 'fixed window') return Math.floor(requestsPerMinute);
  return limiter === 'delaying' ? burst + 1 : burst;
}

function wholeMs(requests: number, rate: Rate): number {
  return Math.ceil(requests * intervalMs(rate) - ROUNDING);
}

function intervalMs({ requestsPerMinute }: Rate): number {
  return MINUTE_MS / requestsPerMinute;
}
