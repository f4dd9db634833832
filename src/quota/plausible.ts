import type { Gate } from './gate.ts';
import type { PacingState } from './pacing.ts';

const MINUTE_MS = 60_000;
/** No quota window is longer. */
const LONGEST_WINDOW_MS = 35 * 24 * 60 * MINUTE_MS;
/** No closing of its kind lasts so long; of what a service states, up to a month is believed (see retry-after.ts). */
const LONGEST_CLOSING_MS: Record<Gate['why'], number> = {
  open: LONGEST_WINDOW_MS,
  minute: LONGEST_WINDOW_MS,
  down: LONGEST_WINDOW_MS,
  key: 2 * MINUTE_MS,
  day: LONGEST_WINDOW_MS,
};

/**
 * What can be believed of a state that was kept: clocks are set wrong, and then right. A closing that lies too far ahead
 * may be probed now; other figures that do are forgotten.
 */
export function plausible(state: PacingState, nowMs: number): PacingState {
  const { gate, quota, learnedBurst, warned, samples } = state;
  const isNear = (atMs: number | undefined) => atMs === undefined || atMs <= nowMs + LONGEST_WINDOW_MS;
  const isGateNear = gate.untilMs <= nowMs + LONGEST_CLOSING_MS[gate.why];
  return {
    ...state,
    gate: isGateNear ? gate : { ...gate, untilMs: nowMs },
    quota: isNear(quota?.resetsAtMs) && isNear(quota?.receivedAtMs) ? quota : undefined,
    learnedBurst: isNear(learnedBurst?.untilMs) ? learnedBurst : undefined,
    warned: isNear(warned?.windowEndsMs) ? warned : undefined,
    samples: samples.filter(({ atMs }) => isNear(atMs)),
  };
}
