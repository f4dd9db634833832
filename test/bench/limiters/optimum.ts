import type { ServiceLimiter } from '../../../src/sandbox/service-limiters.ts';

export const PER_MINUTE = 10;
export const BURST = 20;
const MINUTE_MS = 60_000;
const INTERVAL_MS = MINUTE_MS / PER_MINUTE;

const byWindows = (requests: number) => MINUTE_MS * (Math.ceil(requests / PER_MINUTE) - 1);
const oneByOne = (requests: number) => INTERVAL_MS * (requests - 1);

/** The time in which a client that knew the limiter would get so many answers after a long silence. */
export const OPTIMUM_MS: Readonly<Record<ServiceLimiter, (requests: number) => number>> = {
  'token bucket': (requests) => Math.max(0, requests - BURST) * INTERVAL_MS,
  'fixed window': byWindows,
  'refusals counted': byWindows,
  'fading window': oneByOne,
  delaying: oneByOne,
};
