import {
  arrive,
  type Counted,
  NOTHING_COUNTED,
  passTime,
  type Ruling,
  type ServiceLimiter,
} from '../../../src/sandbox/service-limiters.ts';

export type { Ruling };

/** Decides on a request that arrives now; times do not go back. */
export type Rule = (nowMs: number) => Ruling;

/** A limiter of "10 a minute, burst 20", as libraries and proxies implement it. */
export interface Limiter {
  name: string;
  /** Begins with nothing counted. */
  begin(): Rule;
  /** The time in which a client that knew this limiter would get `requests` answers after a long silence. */
  optimumMs(requests: number): number;
  /** Times of 429s over all runs; by default one, in the first run. */
  episodesAllowed?: number;
  /** How much later than the optimum the first run may end: one refusal costs more where it is punished. */
  allowed: number;
}

export const PER_MINUTE = 10;
export const BURST = 20;
const MINUTE_MS = 60_000;
const INTERVAL_MS = MINUTE_MS / PER_MINUTE;
const PENALTY_MS = 120_000;
const ALLOWED = 1.05;
const ALLOWED_WITH_PENALTY = 1.15;
/** Two refusals show that a window fades, and those that count take a part of the rate. */
const WHERE_IT_FADES = { allowed: 1.25, episodesAllowed: 3 };
const NOT_DELAYED: Ruling = { delayMs: 0 };

const ofBucket = (burst: number) => (requests: number) => Math.max(0, requests - burst) * INTERVAL_MS;
const byWindows = (requests: number) => MINUTE_MS * (Math.ceil(requests / PER_MINUTE) - 1);
const oneByOne = (requests: number) => INTERVAL_MS * (requests - 1);

export const TOKEN_BUCKET = limiter('token bucket', ofBucket(BURST), asInSandbox('token bucket'));
// One request is under way, and the burst comes on top of it.
const NOT_DELAYING = limiter(
  'nginx burst=20 nodelay',
  ofBucket(BURST + 1),
  asInSandbox('token bucket', { burst: BURST + 1 }),
);
export const FIXED_WINDOW = limiter('fixed window', byWindows, asInSandbox('fixed window'));
export const SLIDING_LOG = limiter('sliding log', byWindows, slidingLog);
const LOG_WITH_REFUSALS = limiter('sliding log with refusals', byWindows, asInSandbox('refusals counted'));
export const WINDOW_BEGUN_ANEW = limiter('window begun anew by a refusal', byWindows, windowBegunAnew);
export const WINDOW_WITH_PENALTY = limiter('window with a penalty of 120 s', byWindows, windowWithPenalty, {
  allowed: ALLOWED_WITH_PENALTY,
});
export const FADING_WINDOW = limiter(
  'fading window',
  oneByOne,
  asInSandbox('fading window', { countsRefusals: false }),
  WHERE_IT_FADES,
);
export const FADING_WITH_REFUSALS = limiter(
  'fading window with refusals',
  oneByOne,
  asInSandbox('fading window'),
  WHERE_IT_FADES,
);
export const DELAYING = limiter('nginx burst=20 (delays)', oneByOne, asInSandbox('delaying'));
export const EVENLY_DELAYING = limiter('execEvenly (delays)', oneByOne, evenlyDelaying);

export const LIMITERS: readonly Limiter[] = [
  ...[TOKEN_BUCKET, NOT_DELAYING, FIXED_WINDOW, SLIDING_LOG, LOG_WITH_REFUSALS, WINDOW_BEGUN_ANEW],
  ...[WINDOW_WITH_PENALTY, FADING_WINDOW, FADING_WITH_REFUSALS, DELAYING, EVENLY_DELAYING],
];

function limiter(
  name: string,
  optimumMs: Limiter['optimumMs'],
  begin: () => Rule,
  more: Partial<Limiter> = {},
): Limiter {
  return { name, begin, optimumMs, allowed: ALLOWED, ...more };
}

/** @param countsRefusals where the sandbox counts refused requests */
function asInSandbox(name: ServiceLimiter, { burst = BURST, countsRefusals = true } = {}): () => Rule {
  const rate = { requestsPerMinute: PER_MINUTE, burst };
  return () => {
    let counted: Counted = NOTHING_COUNTED;
    return (nowMs) => {
      const before = passTime(counted, name, rate, nowMs);
      const { ruling, counted: after } = arrive(before, name, rate);
      counted = countsRefusals || 'delayMs' in ruling ? after : before;
      return ruling;
    };
  };
}

/** So many in any 60 s; refused requests do not count. */
function slidingLog(): Rule {
  let log: number[] = [];
  return (nowMs) => {
    log = log.filter((atMs) => nowMs - atMs < MINUTE_MS);
    if (log.length >= PER_MINUTE) return { retryAfterMs: (log[0] ?? nowMs) + MINUTE_MS - nowMs };
    log.push(nowMs);
    return NOT_DELAYED;
  };
}

/** `continueExceeding` of @fastify/rate-limit: who asks too early waits a whole window again. */
function windowBegunAnew(): Rule {
  let [beganAtMs, count] = [Number.NEGATIVE_INFINITY, 0];
  return (nowMs) => {
    if (nowMs - beganAtMs >= MINUTE_MS) [beganAtMs, count] = [nowMs, 0];
    if (count++ < PER_MINUTE) return NOT_DELAYED;
    beganAtMs = nowMs;
    return { retryAfterMs: MINUTE_MS };
  };
}

/** `blockDuration` of rate-limiter-flexible: the first refusal blocks for longer than the window. */
function windowWithPenalty(): Rule {
  let [endsAtMs, count] = [Number.NEGATIVE_INFINITY, 0];
  return (nowMs) => {
    if (nowMs >= endsAtMs) [endsAtMs, count] = [nowMs + MINUTE_MS, 0];
    count++;
    if (count <= PER_MINUTE) return NOT_DELAYED;
    if (count === PER_MINUTE + 1) endsAtMs = nowMs + PENALTY_MS;
    return { retryAfterMs: endsAtMs - nowMs };
  };
}

/**
 * `execEvenly` of rate-limiter-flexible: what is left of the window is divided among the requests that it still allows.
 * Where that is less than the interval of the rate, the delay grows with the requests of the window instead.
 */
function evenlyDelaying(): Rule {
  let [endsAtMs, count] = [Number.NEGATIVE_INFINITY, 0];
  return (nowMs) => {
    if (nowMs >= endsAtMs) [endsAtMs, count] = [nowMs + MINUTE_MS, 0];
    count++;
    const leftMs = endsAtMs - nowMs;
    if (count > PER_MINUTE) return { retryAfterMs: leftMs };
    if (count === 1) return NOT_DELAYED;
    const shareMs = Math.ceil(leftMs / (PER_MINUTE - count + 2));
    return { delayMs: shareMs < INTERVAL_MS ? count * INTERVAL_MS : shareMs };
  };
}
