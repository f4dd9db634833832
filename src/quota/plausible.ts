import { DAY_MS } from '../time/utc-day.ts';
import type { LimiterState } from './limiter-state.ts';

/** No quota window is longer; of the waits that a service states, up to a month is believed (see retry-after.ts). */
const LONGEST_WINDOW_MS = 35 * DAY_MS;
/** Twice what the breaker opens for; no service states this one. */
const LONGEST_KEY_PAUSE_MS = 120_000;

/**
 * What can be believed of a state that was kept: clocks are set wrong, and then right. A closing that lies too far ahead
 * may be probed now; other figures that do are forgotten.
 */
export function plausible(state: LimiterState, nowMs: number): LimiterState {
  const { breaker, quota, learnedBurst, warned, samples } = state;
  const isNear = (atMs: number | undefined) => atMs === undefined || atMs <= nowMs + LONGEST_WINDOW_MS;
  const longestMs = breaker.reason === 'key' ? LONGEST_KEY_PAUSE_MS : LONGEST_WINDOW_MS;
  return {
    ...state,
    breaker: breaker.untilMs <= nowMs + longestMs ? breaker : { ...breaker, untilMs: nowMs },
    quota: isNear(quota?.resetsAtMs) && isNear(quota?.receivedAtMs) ? quota : undefined,
    learnedBurst: isNear(learnedBurst?.untilMs) ? learnedBurst : undefined,
    warned: isNear(warned?.windowEndsMs) ? warned : undefined,
    samples: samples.filter(({ atMs }) => isNear(atMs)),
  };
}
