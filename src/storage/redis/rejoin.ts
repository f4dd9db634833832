import type { LimiterState } from '../../quota/limiter-state.ts';
import { asReading, mergeReading } from '../../quota/quota.ts';

/**
 * What is known together, after a time in which this process was on its own: of two pauses the longer, of two figures
 * the lower.
 *
 * @param there `undefined`: nothing is known there, so what is known here is everybody's
 */
export function rejoined(there: LimiterState | undefined, own: LimiterState): LimiterState {
  if (there === undefined) return own;
  const { breaker, openedUnder } =
    own.breaker.state !== 'closed' && own.breaker.untilMs > there.breaker.untilMs ? own : there;
  const reported = own.plan === undefined ? there : own;
  return {
    ...there,
    breaker,
    openedUnder,
    lastFailure: Math.max(own.lastFailure, there.lastFailure),
    quota: lowerQuota(there.quota, own.quota),
    plan: reported.plan,
    planAtLimit: reported.planAtLimit,
    learnedBurst: lowerBurst(there.learnedBurst, own.learnedBurst),
    warned: (own.warned?.windowEndsMs ?? 0) > (there.warned?.windowEndsMs ?? 0) ? own.warned : there.warned,
  };
}

/** The older as if its answer had been under way together with the newer. */
function lowerQuota(there: LimiterState['quota'], own: LimiterState['quota']): LimiterState['quota'] {
  if (there === undefined || own === undefined) return there ?? own;
  const [older, newer] = there.receivedAtMs < own.receivedAtMs ? [there, own] : [own, there];
  return mergeReading(older, { ...asReading(newer), sentAtMs: older.receivedAtMs - 1 });
}

function lowerBurst(there: LimiterState['learnedBurst'], own: LimiterState['learnedBurst']) {
  if (there === undefined || own === undefined) return there ?? own;
  if (there.untilMs !== own.untilMs) return there.untilMs > own.untilMs ? there : own;
  return there.capacity < own.capacity ? there : own;
}
