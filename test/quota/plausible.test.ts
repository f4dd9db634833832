import { describe, expect, it } from 'vitest';
import type { BreakerReason } from '../../src/model/quota.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { plausible } from '../../src/quota/plausible.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const YEAR_MS = 365 * DAY_MS;

function opened(reason: BreakerReason, forMs: number): LimiterState {
  return {
    ...INITIAL_LIMITER_STATE,
    breaker: { state: 'open', reason, sinceMs: NOW_MS, untilMs: NOW_MS + forMs, failures: 1 },
  };
}

/** All that is known, of a window that ends then. */
function knownUntil(untilMs: number): LimiterState {
  return {
    ...INITIAL_LIMITER_STATE,
    quota: { limit: 1_000, remaining: 5, resetsAtMs: untilMs, receivedAtMs: NOW_MS },
    learnedBurst: { capacity: 9, untilMs },
    warned: { share: 0.8, windowEndsMs: untilMs },
    samples: [{ atMs: NOW_MS, remaining: 5 }],
  };
}

describe('a state that was kept', () => {
  it.each<[BreakerReason, number]>([
    ['pause', 31 * DAY_MS],
    ['outage', 31 * DAY_MS],
    ['key', MINUTE_MS],
    ['day', 31 * DAY_MS],
  ])('is believed when it is open (%s) for %i ms', (reason, forMs) => {
    expect(plausible(opened(reason, forMs), NOW_MS)).toEqual(opened(reason, forMs));
  });

  it.each<[BreakerReason, number]>([
    ['pause', YEAR_MS],
    ['outage', YEAR_MS],
    ['key', 10 * MINUTE_MS],
    ['day', YEAR_MS],
  ])('may be probed now when it is open (%s) for as long as %i ms', (reason, forMs) => {
    expect(plausible(opened(reason, forMs), NOW_MS)).toEqual(opened(reason, 0));
  });

  it('is believed of a window that ends within days', () => {
    expect(plausible(knownUntil(NOW_MS + DAY_MS), NOW_MS)).toEqual(knownUntil(NOW_MS + DAY_MS));
  });

  it('is forgotten of a window that ends in years', () => {
    expect(plausible(knownUntil(NOW_MS + YEAR_MS), NOW_MS)).toMatchObject({
      quota: undefined,
      learnedBurst: undefined,
      warned: undefined,
    });
  });
});
