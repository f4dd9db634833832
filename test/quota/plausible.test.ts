import { describe, expect, it } from 'vitest';
import type { Breaker } from '../../src/quota/circuit-breaker.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { plausible } from '../../src/quota/plausible.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const YEAR_MS = 365 * DAY_MS;

function closed(why: Breaker['why'], forMs: number): LimiterState {
  return {
    ...INITIAL_LIMITER_STATE,
    breaker: { why, sinceMs: NOW_MS, untilMs: NOW_MS + forMs, probing: false, failures: 1 },
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
  it.each<[Breaker['why'], number]>([
    ['minute', 31 * DAY_MS],
    ['down', 31 * DAY_MS],
    ['key', MINUTE_MS],
    ['day', 31 * DAY_MS],
  ])('is believed when it is closed (%s) for %i ms', (why, forMs) => {
    expect(plausible(closed(why, forMs), NOW_MS)).toEqual(closed(why, forMs));
  });

  it.each<[Breaker['why'], number]>([
    ['minute', YEAR_MS],
    ['down', YEAR_MS],
    ['key', 10 * MINUTE_MS],
    ['day', YEAR_MS],
  ])('may be probed now when it is closed (%s) for as long as %i ms', (why, forMs) => {
    expect(plausible(closed(why, forMs), NOW_MS)).toEqual(closed(why, 0));
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
