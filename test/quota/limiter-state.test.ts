import { describe, expect, it } from 'vitest';
import type { BreakerReason } from '../../src/model/quota.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import {
  INITIAL_LIMITER_STATE,
  type LimiterState,
  plausible,
  StoredLimiterState,
} from '../../src/quota/limiter-state.ts';
import { reportedPlan } from '../../src/quota/pace.ts';

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
    warned: { share: 0.8, windowEndsMs: untilMs },
    samples: [{ atMs: NOW_MS, remaining: 5 }],
  };
}

describe('a stored state', () => {
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
  ])('may be probed now when it is open (%s) for %i ms', (reason, forMs) => {
    expect(plausible(opened(reason, forMs), NOW_MS)).toEqual(opened(reason, 0));
  });

  it('is believed of a window that ends within days', () => {
    expect(plausible(knownUntil(NOW_MS + DAY_MS), NOW_MS)).toEqual(knownUntil(NOW_MS + DAY_MS));
  });

  it('is forgotten of a window that ends in years', () => {
    expect(plausible(knownUntil(NOW_MS + YEAR_MS), NOW_MS)).toMatchObject({
      quota: undefined,
      warned: undefined,
    });
  });
});

describe('a stored state', () => {
  const STATE: LimiterState = {
    fullAtMs: 1_234.5,
    breaker: { state: 'halfOpen', reason: 'day', sinceMs: 4_000, untilMs: 5_000, failures: 2 },
    openedUnder: 'pro  ',
    lastFailure: 7,
    quota: { limit: 1_000, remaining: 0, resetsAtMs: undefined, receivedAtMs: 4_000 },
    plan: 'pro',
    planAtLimit: 50_000,
    learned: { ...NOTHING_LEARNED, capacity: 9 },
    warned: { share: 0.8, windowEndsMs: 6_000 },
    samples: [{ atMs: 3_000, remaining: 12 }],
  };
  const TIMES = { sinceMs: 4_000, untilMs: 5_000, failures: 2 };
  const { breaker: _, openedUnder, ...SINCE_EVER } = STATE;
  /** As the versions stored it whose breaker was a gate. */
  const EARLIER = { ...SINCE_EVER, closedUnder: openedUnder, gate: { why: 'day', probing: true, ...TIMES } };

  it.each([STATE, INITIAL_LIMITER_STATE])('is read as it was written', (state) => {
    expect(StoredLimiterState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it.each<[string, object, object]>([
    ['closed', { why: 'open', probing: false }, { state: 'closed', reason: undefined }],
    ['open for a pause', { why: 'minute', probing: false }, { state: 'open', reason: 'pause' }],
    ['half-open for the day', { why: 'day', probing: true }, { state: 'halfOpen', reason: 'day' }],
    ['open for an outage', { why: 'down', probing: false }, { state: 'open', reason: 'outage' }],
    ['open for the key', { why: 'key', probing: false }, { state: 'open', reason: 'key' }],
  ])('of an earlier version is read: %s', (_, gate, breaker) => {
    const stored = JSON.stringify({ ...EARLIER, gate: { ...gate, ...TIMES } });
    expect(StoredLimiterState.parse(JSON.parse(stored))).toEqual({ ...STATE, breaker: { ...breaker, ...TIMES } });
  });

  it('without what the first versions did not store keeps its pace and breaker; its plan counts only without a stated limit', () => {
    const { closedUnder: _, planAtLimit: __, lastFailure: ___, ...first } = EARLIER;
    const read = StoredLimiterState.parse(first);
    expect(read).toEqual({ ...STATE, openedUnder: undefined, planAtLimit: undefined, lastFailure: 0 });
    expect(reportedPlan(read)).toBeUndefined();
    expect(reportedPlan({ ...read, quota: undefined })).toBe('pro');
  });

  it('of a version that took every window for the day keeps no figures of a shorter one', () => {
    const { lastFailure: _, ...first } = EARLIER;
    const quota = { limit: 10, remaining: 0, resetsAtMs: 64_000, receivedAtMs: 4_000 };
    expect(StoredLimiterState.parse({ ...first, quota }).quota).toBeUndefined();
    expect(StoredLimiterState.parse({ ...EARLIER, quota }).quota).toEqual(quota);
  });

  it.each([{}, null, { ...STATE, fullAtMs: 'soon' }, { ...EARLIER, gate: 'open' }])(
    'that does not fit is refused',
    (stored) => {
      expect(StoredLimiterState.safeParse(stored).success).toBe(false);
    },
  );
});
