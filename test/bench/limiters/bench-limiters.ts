import {
  arrive,
  NOTHING_COUNTED,
  passTime,
  type Rate,
  type Ruling,
  SERVICE_LIMITERS,
  type ServiceLimiter,
} from '../../../sandbox/service-limiters.ts';

export const PLAN_RATE: Rate = { requestsPerMinute: 10, burst: 20 };
export const MINUTE_MS = 60_000;
const INTERVAL_MS = MINUTE_MS / PLAN_RATE.requestsPerMinute;

/** What becomes of a request that arrives now. One that is refused without a stated wait is just `refused`. */
export type Arrival = () => Ruling | 'refused';

export interface BenchLimiter {
  name: string;
  /** The time in which a client that knew the limiter would get so many answers after a long silence. */
  optimumMs: (requests: number) => number;
  /** It has counted nothing yet. */
  begin: (rate: Rate) => Arrival;
}

const byWindows = (requests: number) => MINUTE_MS * (Math.ceil(requests / PLAN_RATE.requestsPerMinute) - 1);
const after = (atOnce: number) => (requests: number) => Math.max(0, requests - atOnce) * INTERVAL_MS;
const OPTIMUM_MS: Readonly<Record<ServiceLimiter, BenchLimiter['optimumMs']>> = {
  'token bucket': after(PLAN_RATE.burst),
  'fixed window': byWindows,
  'refusals counted': byWindows,
  'fading window': after(1),
  delaying: after(1),
};

/** Those of the sandbox, and two as nginx has them: `rate=10r/m` with `burst=20 delay=8`, and without both. */
export const BENCH_LIMITERS: readonly BenchLimiter[] = [
  ...SERVICE_LIMITERS.map(ofSandbox),
  { name: 'delaying after 9', optimumMs: after(9), begin: (rate) => nginx(rate, { burst: 20, delay: 8 }) },
  { name: 'no burst', optimumMs: after(1), begin: (rate) => nginx(rate, { burst: 0, delay: 0 }) },
];

export function limiterNamed(name: string): BenchLimiter {
  const found = BENCH_LIMITERS.find((limiter) => limiter.name === name);
  if (!found) throw new Error(`there is no limiter ${name}`);
  return found;
}

function ofSandbox(limiter: ServiceLimiter): BenchLimiter {
  const begin = (rate: Rate): Arrival => {
    let counted = NOTHING_COUNTED;
    return () => {
      const found = arrive(passTime(counted, limiter, rate, Date.now()), limiter, rate);
      counted = found.counted;
      return found.ruling;
    };
  };
  return { name: limiter, optimumMs: OPTIMUM_MS[limiter], begin };
}

/**
 * nginx `limit_req`. It keeps its rate in whole thousandths of a request a second: of ten a minute, one comes in 6.024 s.
 * What it has refused does not count; what was given up while it waited does.
 */
export function nginx({ requestsPerMinute }: Rate, { burst, delay }: { burst: number; delay: number }): Arrival {
  const perSecond = Math.floor((1_000 * requestsPerMinute) / 60) / 1_000;
  let [excess, lastMs] = [-1, 0];
  return () => {
    const nowMs = Date.now();
    const next = Math.max(0, excess + 1 - (perSecond * (nowMs - lastMs)) / 1_000);
    if (next > burst) return 'refused';
    [excess, lastMs] = [next, nowMs];
    return { delayMs: (1_000 * Math.max(0, excess - delay)) / perSecond };
  };
}

/** express-slow-down: in each minute, which begins with its first request, each but so many waits for one interval more. */
export function slowDown(delayAfter: number): Arrival {
  let [count, beganMs] = [0, Number.NEGATIVE_INFINITY];
  return () => {
    if (Date.now() - beganMs >= MINUTE_MS) [count, beganMs] = [0, Date.now()];
    count += 1;
    return { delayMs: Math.max(0, count - delayAfter) * INTERVAL_MS };
  };
}

/** `limiter` of npm: what exceeds the rate waits until the minute is over, and then for a token each. */
export function untilNextMinute(): Arrival {
  const { requestsPerMinute } = PLAN_RATE;
  let [count, beganMs, fullAtMs] = [0, Number.NEGATIVE_INFINITY, 0];
  return () => {
    const nowMs = Date.now();
    if (nowMs - beganMs >= MINUTE_MS) [count, beganMs] = [0, nowMs];
    count += 1;
    const wokenMs = count > requestsPerMinute ? beganMs + MINUTE_MS : nowMs;
    const passesMs = Math.max(wokenMs, fullAtMs - (requestsPerMinute - 1) * INTERVAL_MS);
    fullAtMs = Math.max(fullAtMs, passesMs) + INTERVAL_MS;
    return { delayMs: passesMs - nowMs };
  };
}
