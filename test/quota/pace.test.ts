import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pace, Plan, PlanSetting } from '../../src/model/plan.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import {
  afterToken,
  emptyBucket,
  fullAtMsAfter,
  keepingMs,
  paceOf,
  plannedDay,
  plannedPace,
  refillLagMs,
  tokenAtMs,
  unknownLimit,
} from '../../src/quota/pace.ts';

const FREE = { intervalMs: 6_000, capacity: 19 };
const PRO = { intervalMs: 600, capacity: 199 };
const BUSINESS = { intervalMs: 120, capacity: 999 };

/** What headers with this daily limit tell, and a report that came with them. */
function facts(limit: number | undefined, plan?: Plan) {
  return { quota: { limit, remaining: undefined, resetsAtMs: undefined, receivedAtMs: 0 }, plan, planAtLimit: limit };
}

describe('the pace of a plan', () => {
  it.each<[string, PlanSetting, number | undefined, object]>([
    ['the plan, one token of its burst left out', { plan: 'pro' }, undefined, PRO],
    ['the plan, whatever the headers say', { plan: 'free' }, 50_000, FREE],
    ["Free's, while auto has seen no headers", { plan: 'auto' }, undefined, FREE],
    ["Free's by its daily limit", { plan: 'auto' }, 1_000, FREE],
    ["Pro's by its daily limit", { plan: 'auto' }, 50_000, PRO],
    ["Business's by its daily limit", { plan: 'auto' }, 200_000, BUSINESS],
    ["Free's for a daily limit of no plan", { plan: 'auto' }, 123_456, FREE],
    [
      'what enterprise is configured to',
      { plan: 'enterprise', requestsPerMinute: 600, burst: 50 },
      1_000,
      { intervalMs: 100, capacity: 49 },
    ],
    [
      'the plan with another rate',
      { plan: 'pro', requestsPerMinute: 60 },
      undefined,
      { intervalMs: 1_000, capacity: 199 },
    ],
    ['the plan with another burst', { plan: 'auto', burst: 5 }, 50_000, { intervalMs: 600, capacity: 4 }],
    ['one token at least', { plan: 'free', burst: 1 }, undefined, { intervalMs: 6_000, capacity: 1 }],
  ])('is %s', (_, setting, dailyLimit, pace) => {
    expect(plannedPace(facts(dailyLimit), setting)).toEqual(pace);
  });

  it("is a report's, until the headers state another daily limit than with it", () => {
    const reported = facts(50_000, 'business');
    expect(plannedPace(reported, { plan: 'auto' })).toEqual(BUSINESS);
    expect(plannedPace({ ...reported, quota: facts(1_000).quota }, { plan: 'auto' })).toEqual(FREE);
  });
});

describe('a daily limit of no plan', () => {
  const both = { requestsPerMinute: 60, burst: 30 };

  it.each<[string, PlanSetting, number | undefined, Plan | undefined, number | undefined]>([
    ['is one that no plan has', { plan: 'auto' }, 30_000, undefined, 30_000],
    ['is one that an Enterprise report does not explain', { plan: 'auto' }, 30_000, 'enterprise', 30_000],
    ['is one, when only the rate is set', { plan: 'auto', requestsPerMinute: 60 }, 30_000, undefined, 30_000],
    ["is not a plan's", { plan: 'auto' }, 50_000, undefined, undefined],
    ['is not an unknown one', { plan: 'auto' }, undefined, undefined, undefined],
    ['is not one when a report names the plan', { plan: 'auto' }, 30_000, 'pro', undefined],
    ['is not one when the plan is set', { plan: 'free' }, 30_000, undefined, undefined],
    ['is not one when rate and burst are set', { plan: 'auto', ...both }, 30_000, undefined, undefined],
  ])('%s', (_, setting, dailyLimit, reported, limit) => {
    expect(unknownLimit(facts(dailyLimit, reported), setting)).toBe(limit);
  });
});

it.each([
  [1, FREE],
  [2, { intervalMs: 12_000, capacity: 9 }],
  [4, { intervalMs: 24_000, capacity: 4 }],
  [40, { intervalMs: 240_000, capacity: 1 }],
])(
  'the pace of each of several processes of %i is slower by that factor, and holds its part of the burst, at least one token',
  (processes, pace) => {
    expect(paceOf(INITIAL_LIMITER_STATE, { plan: 'free', processes })).toEqual(pace);
  },
);

it.each([
  ['is what 429s have shown it to be', 9, 9],
  ['is never more than the plan allows', 40, 19],
])('the burst %s', (_, capacity, expected) => {
  const state = { ...INITIAL_LIMITER_STATE, learned: { ...NOTHING_LEARNED, capacity } };
  expect(paceOf(state, { plan: 'free' }).capacity).toBe(expected);
});

const PACE: Pace = { intervalMs: 6_000, capacity: 19 };
const NOW_MS = 1_000_000_000;

/** @returns when the bucket will be full after a token is taken now; `undefined` when there is none to take */
function takeToken(fullAtMs: number, nowMs: number, pace: Pace, heldBackMs = 0): number | undefined {
  return tokenAtMs(fullAtMs, nowMs, pace, heldBackMs) > nowMs ? undefined : afterToken(fullAtMs, nowMs, pace);
}

it.each([
  ['a token at the slower pace, too', 50_000, 1_000, 600, 6_000],
  ['all of them, where the smaller bucket has no more', 50_000, 1_000, 199 * 600, 19 * 6_000],
  ['no token sooner at the faster pace', 1_000, 50_000, 6_000, 6_000],
])('a bucket that misses a token misses %s (%d to %d a day)', (_, dayBefore, dayAfter, missingMs, expectedMs) => {
  const of = (limit: number): LimiterState => ({
    ...INITIAL_LIMITER_STATE,
    fullAtMs: NOW_MS + missingMs,
    quota: facts(limit).quota,
  });
  const fullAtMs = fullAtMsAfter(of(dayBefore), of(dayAfter), { plan: 'auto' }, NOW_MS);
  expect(fullAtMs - NOW_MS).toBe(expectedMs);
});

/** How many tokens can be taken at once. */
function drain(fullAtMs: number, nowMs: number, pace: Pace, keepTokens = 0): { taken: number; fullAtMs: number } {
  let taken = 0;
  for (; taken < 10_000; taken++) {
    const next = takeToken(fullAtMs, nowMs, pace, keepingMs(keepTokens, pace));
    if (next === undefined) break;
    fullAtMs = next;
  }
  return { taken, fullAtMs };
}

describe('a bucket', () => {
  it.each([
    ['full', 0, 19],
    ['full since this moment', NOW_MS, 19],
    ['one token short', NOW_MS + 6_000, 18],
    ['a moment short of full', NOW_MS + 1, 18],
    ['empty', emptyBucket(NOW_MS, PACE), 0],
    ['emptier than empty', emptyBucket(NOW_MS, PACE) * 2, 0],
  ])('that is %s, full at %d, gives %d tokens', (_, fullAtMs, tokens) => {
    expect(drain(fullAtMs, NOW_MS, PACE).taken).toBe(tokens);
  });

  it('gives the next token one interval after it was emptied, and not before', () => {
    const { fullAtMs } = drain(0, NOW_MS, PACE);
    expect(tokenAtMs(fullAtMs, NOW_MS, PACE)).toBe(NOW_MS + 6_000);
    expect(takeToken(fullAtMs, NOW_MS + 5_999, PACE)).toBeUndefined();
    expect(takeToken(fullAtMs, NOW_MS + 6_000, PACE)).toBeDefined();
  });

  it.each([
    [0, 19],
    [9, 10],
    [18, 1],
    [19, 1],
    [100, 1],
  ])('of which %d tokens are to be kept gives %d', (keepTokens, tokens) => {
    expect(drain(0, NOW_MS, PACE, keepTokens).taken).toBe(tokens);
  });

  it('states when a token is there that leaves as many as must be kept', () => {
    const { fullAtMs } = drain(0, NOW_MS, PACE);
    expect(tokenAtMs(fullAtMs, NOW_MS, PACE, keepingMs(9, PACE))).toBe(NOW_MS + 10 * 6_000);
  });

  it('has its next token in at most one interval after a clock was set back or the pace changed', () => {
    const fullAtMs = emptyBucket(NOW_MS + 86_400_000, PACE);
    expect(tokenAtMs(fullAtMs, NOW_MS, PACE)).toBe(NOW_MS + 6_000);
    expect(tokenAtMs(fullAtMs, NOW_MS, { intervalMs: 600, capacity: 199 })).toBe(NOW_MS + 600);
  });
});

describe('any sequence of takes and clock jumps', () => {
  const pace = fc.record({
    intervalMs: fc.double({ min: 0.5, max: 60_000, noNaN: true }),
    capacity: fc.integer({ min: 1, max: 50 }),
  });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant({ afterMs: 0, keepTokens: 0 }) },
    { weight: 4, arbitrary: fc.record({ afterMs: fc.nat(20_000), keepTokens: fc.nat(25) }) },
    { weight: 1, arbitrary: fc.record({ afterMs: fc.integer({ min: -1e12, max: 1e9 }), keepTokens: fc.nat(25) }) },
  );

  it('takes no more tokens than the bucket holds and time adds', () => {
    fc.assert(
      fc.property(pace, fc.array(step, { maxLength: 120 }), (pace, steps) => {
        let nowMs = NOW_MS;
        let elapsedMs = 0;
        let fullAtMs = 0;
        let taken = 0;
        for (const { afterMs, keepTokens } of steps) {
          nowMs += afterMs;
          elapsedMs += Math.max(0, afterMs);
          const next = takeToken(fullAtMs, nowMs, pace, keepingMs(keepTokens, pace));
          if (next !== undefined) taken++;
          fullAtMs = next ?? fullAtMs;
          expect(taken).toBeLessThanOrEqual(pace.capacity + elapsedMs / pace.intervalMs + 1e-3);
        }
      }),
    );
  });
});

it.each([
  [0, 0],
  [30, 30],
  [250, 250],
  [10_000, 250], // the service took its time; it had the request long before
  [-5, 0], // the clock was set back
])(
  "the lag of a bucket that was full is the time until the first request has ended, without the service's own: after %d ms, %d ms",
  (afterMs, lagMs) => {
    expect(refillLagMs(NOW_MS, NOW_MS + afterMs)).toBe(lagMs);
  },
);

it.each<[string, PlanSetting, number | undefined]>([
  ['the plan’s', { plan: 'free' }, 1_000],
  ['the first plan’s until the service tells which it is', { plan: 'auto' }, 1_000],
  ['that of the variable, if set', { plan: 'free', requestsPerDay: 700 }, 700],
  ['not known of a plan without figures', { plan: 'enterprise' }, undefined],
])('the day of the configuration is %s', (_, setting, requests) => {
  expect(plannedDay(setting)).toBe(requests);
});
