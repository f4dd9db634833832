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
const ALLOWED_WHERE_IT_FADES = 1.25;
const EPISODES_WHERE_IT_FADES = 3;
const NOT_DELAYED: Ruling = { delayMs: 0 };

const ofBucket = (burst: number) => (requests: number) => Math.max(0, requests - burst) * INTERVAL_MS;
const byWindows = (requests: number) => MINUTE_MS * (Math.ceil(requests / PER_MINUTE) - 1);
const oneByOne = (requests: number) => INTERVAL_MS * (requests - 1);

export const TOKEN_BUCKET: Limiter = {
  name: 'token bucket',
  begin: () => asInSandbox('token bucket'),
  optimumMs: ofBucket(BURST),
  allowed: ALLOWED,
};

export const FIXED_WINDOW: Limiter = {
  name: 'fixed window',
  begin: () => asInSandbox('fixed window'),
  optimumMs: byWindows,
  allowed: ALLOWED,
};

export const SLIDING_LOG: Limiter = {
  name: 'sliding log',
  begin: slidingLog,
  optimumMs: byWindows,
  allowed: ALLOWED,
};

export const WINDOW_BEGUN_ANEW: Limiter = {
  name: 'window begun anew by a refusal',
  begin: windowBegunAnew,
  optimumMs: byWindows,
  allowed: ALLOWED,
};

export const WINDOW_WITH_PENALTY: Limiter = {
  name: 'window with a penalty of 120 s',
  begin: windowWithPenalty,
  optimumMs: byWindows,
  allowed: ALLOWED_WITH_PENALTY,
};

export const FADING_WINDOW: Limiter = {
  name: 'fading window',
  begin: () => asInSandbox('fading window', { countsRefusals: false }),
  optimumMs: oneByOne,
  allowed: ALLOWED_WHERE_IT_FADES,
  episodesAllowed: EPISODES_WHERE_IT_FADES,
};

export const FADING_WITH_REFUSALS: Limiter = {
  name: 'fading window with refusals',
  begin: () => asInSandbox('fading window'),
  optimumMs: oneByOne,
  allowed: ALLOWED_WHERE_IT_FADES,
  episodesAllowed: EPISODES_WHERE_IT_FADES,
};

export const DELAYING: Limiter = {
  name: 'nginx burst=20 (delays)',
  begin: () => asInSandbox('delaying'),
  optimumMs: oneByOne,
  allowed: ALLOWED,
};

export const EVENLY_DELAYING: Limiter = {
  name: 'execEvenly (delays)',
  begin: evenlyDelaying,
  optimumMs: oneByOne,
  allowed: ALLOWED,
};

export const LIMITERS: readonly Limiter[] = [
  TOKEN_BUCKET,
  {
    // One request is under way, and the burst comes on top of it
    name: 'nginx burst=20 nodelay',
    begin: () => asInSandbox('token bucket', { burst: BURST + 1 }),
    optimumMs: ofBucket(BURST + 1),
    allowed: ALLOWED,
  },
  FIXED_WINDOW,
  SLIDING_LOG,
  {
    name: 'sliding log with refusals',
    begin: () => asInSandbox('refusals counted'),
    optimumMs: byWindows,
    allowed: ALLOWED,
  },
  WINDOW_BEGUN_ANEW,
  WINDOW_WITH_PENALTY,
  FADING_WINDOW,
  FADING_WITH_REFUSALS,
  DELAYING,
  EVENLY_DELAYING,
];

/** @param countsRefusals where the sandbox counts refused requests */
function asInSandbox(limiter: ServiceLimiter, { burst = BURST, countsRefusals = true } = {}): Rule {
  const rate = { requestsPerMinute: PER_MINUTE, burst };
  let counted: Counted = NOTHING_COUNTED;
  return (nowMs) => {
    const before = passTime(counted, limiter, rate, nowMs);
    const { ruling, counted: after } = arrive(before, limiter, rate);
    counted = countsRefusals || 'delayMs' in ruling ? after : before;
    return ruling;
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
