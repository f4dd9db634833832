import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PlanSetting } from '../../src/model/plan.ts';
import { Moment } from '../../src/model/stored-json.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import { INITIAL_LIMITER_STATE, LimiterState, shifted } from '../../src/quota/limiter-state.ts';
import { LimiterScript } from '../support/limiter-script.ts';

describe('a stored state', () => {
  const STATE: LimiterState = {
    fullAtMs: 1_234.5,
    breaker: { state: 'halfOpen', reason: 'day', sinceMs: 4_000, untilMs: 5_000, failures: 2 },
    openedUnder: 'pro  ',
    counted: [{ cardId: 'base1-4', atMs: 3_500 }],
    quota: { limit: 1_000, remaining: 0, resetsAtMs: undefined, receivedAtMs: 4_000 },
    plan: 'pro',
    planAtLimit: 50_000,
    learned: {
      ...NOTHING_LEARNED,
      ...{ capacity: 9, window: 1, slower: { steps: 2, sinceMs: 3_500 } },
      refusal: {
        ...{ knownAtMs: 3_500, served: 12, isSteady: false, isOfBurst: true },
        ...{ window: 12, refill: 'untried', capacity: 19 },
      },
    },
    samples: [{ atMs: 3_000, remaining: 12 }],
  };
  it.each([STATE, INITIAL_LIMITER_STATE])('is read as it was written', (state) => {
    expect(LimiterState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it.each([{}, null, { ...STATE, fullAtMs: 'soon' }])('that does not fit is refused', (stored) => {
    expect(LimiterState.safeParse(stored).success).toBe(false);
  });

  it.each<[string, object]>([
    ['a window of a billion', { window: 1e9 }],
    ['half a window', { window: 1.5 }],
    ['less than nothing served', { ended: [[8, -1, 0]] }],
    ['a billion served', { ended: [[8, 1e9, 0]] }],
    ['an interval beyond all numbers', { slower: { steps: 1e9, sinceMs: 0 } }],
  ])('whose figures would end the process is refused: %s', (_, garbage) => {
    const stored = { ...STATE, learned: { ...STATE.learned, ...garbage } };
    expect(LimiterState.safeParse(stored).success).toBe(false);
  });
});

it('moves every moment by another clock, and no other number', () => {
  const state: LimiterState = {
    ...INITIAL_LIMITER_STATE,
    fullAtMs: 1_000,
    breaker: { state: 'open', reason: 'outage', sinceMs: 2_000, beganMs: 1_000, untilMs: 3_000, failures: 4 },
    quota: { limit: 100, remaining: 50, resetsAtMs: 9_000, receivedAtMs: 2_000 },
    planAtLimit: 100,
    samples: [{ atMs: 2_000, remaining: 50 }],
    learned: {
      ...NOTHING_LEARNED,
      fastest: { tookMs: 70, atMs: 2_000 },
      servedAtMs: 2_000,
      ended: [[8, 1, 0]],
      heldUntilMs: 3_000,
      late: { knownAtMs: 2_000, mostUnderWay: 3 },
      slower: { steps: 2, sinceMs: 2_000 },
    },
  };
  expect(shifted(state, 500)).toEqual({
    ...state,
    fullAtMs: 1_500,
    breaker: { ...state.breaker, sinceMs: 2_500, beganMs: 1_500, untilMs: 3_500 },
    quota: { ...state.quota, resetsAtMs: 9_500, receivedAtMs: 2_500 },
    samples: [{ atMs: 2_500, remaining: 50 }],
    learned: {
      ...state.learned,
      fastest: { tookMs: 70, atMs: 2_500 },
      servedAtMs: 2_500,
      quietSinceMs: 500,
      ended: [[10, 1, 0]],
      heldUntilMs: 3_500,
      late: { knownAtMs: 2_500, mostUnderWay: 3 },
      slower: { steps: 2, sinceMs: 2_500 },
    },
  });
});

it('knows of each number of its schema that is called so whether it is a moment', () => {
  const named = (schema: unknown, path: string): string[] => {
    if (schema === Moment) return [];
    if (schema instanceof z.ZodObject)
      return Object.entries(schema.shape).flatMap(([name, inner]) => named(inner, `${path}.${name}`));
    if (schema instanceof z.ZodArray) return named(schema.element, path);
    if (schema instanceof z.ZodPipe) return named(schema.in, path);
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
      return named(schema.unwrap(), path);
    return path.endsWith('Ms') ? [path] : [];
  };
  expect(named(LimiterState, '')).toEqual(['.learned.fastest.tookMs']); // which is a duration
});

it.each<[string, Partial<PlanSetting>]>([
  ['plan', { plan: 'pro' }],
  ['rate', { requestsPerMinute: 20 }],
  ['burst', { burst: 9 }],
  ['day', { requestsPerDay: 500 }],
  ['month', { requestsPerMonth: 500 }],
  ['description of the plans', { plans: { free: { requestsPerMinute: 10, burst: 5, requestsPerMonth: 2_000 } } }],
])(
  'a spent window is probed at a start with another %s, and with the same setting not before it ends',
  async (_, other) => {
    const setting: PlanSetting = { plan: 'free', requestsPerDay: 100, requestsPerMonth: 300 };
    const script = new LimiterScript(setting);
    expect(await script.says('states 0 of 1000 for 2 h; answered; restart; ask')).toBe('0, then day 2 h');
    script.setting = { ...setting, ...other };
    expect(await script.says('restart; ask')).toBe('1 probe');
  },
);
