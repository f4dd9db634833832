import type { PacingState } from './pacing.ts';
import { asReading, mergeReading } from './quota.ts';

/**
 * What is known together, after a time in which this process was on its own: of two pauses the longer, of two figures
 * the lower.
 *
 * @param there `undefined`: nothing is known there, so what is known here is everybody's
 */
export function rejoined(there: PacingState | undefined, own: PacingState): PacingState {
  if (there === undefined) return own;
  const { gate, closedUnder } = own.gate.why !== 'open' && own.gate.untilMs > there.gate.untilMs ? own : there;
  const reported = own.plan === undefined ? there : own;
  return {
    ...there,
    gate,
    closedUnder,
    lastFailure: Math.max(own.lastFailure, there.lastFailure),
    quota: lowerQuota(there.quota, own.quota),
    plan: reported.plan,
    planAtLimit: reported.planAtLimit,
    learnedBurst: lowerBurst(there.learnedBurst, own.learnedBurst),
    warned: (own.warned?.windowEndsMs ?? 0) > (there.warned?.windowEndsMs ?? 0) ? own.warned : there.warned,
  };
}

/** The older as if its answer had been under way together with the newer. */
function lowerQuota(there: PacingState['quota'], own: PacingState['quota']): PacingState['quota'] {
  if (there === undefined || own === undefined) return there ?? own;
  const [older, newer] = there.receivedAtMs < own.receivedAtMs ? [there, own] : [own, there];
  return mergeReading(older, { ...asReading(newer), sentAtMs: older.receivedAtMs - 1 });
}

function lowerBurst(there: PacingState['learnedBurst'], own: PacingState['learnedBurst']) {
  if (there === undefined || own === undefined) return there ?? own;
  if (there.untilMs !== own.untilMs) return there.untilMs > own.untilMs ? there : own;
  return there.capacity < own.capacity ? there : own;
}
