import { expect, it } from 'vitest';
import { z } from 'zod';
import { Moment, movedBy } from '../../src/model/store/rows.ts';
import { NOTHING_LEARNED } from '../../src/quota/learning.ts';
import { INITIAL_STATE, LimiterState } from '../../src/quota/limiter-state.ts';
import type { Planned } from '../support/described.ts';
import { LimiterScript } from '../support/limiter-script.ts';

const STATE: LimiterState = {
  ...INITIAL_STATE,
  fullAtMs: 1_234.5,
  trouble: { kind: 'outage', beganMs: 4_000, untilMs: 5_000, inARow: 4 },
  windows: {
    day: {
      stated: { limit: 1_000, remaining: 0, resetsAtMs: undefined, receivedAtMs: 4_000 },
      counted: { requests: 4, endsAtMs: 9_000 },
    },
  },
  reported: { plan: 'pro', atLimit: 50_000 },
  learned: { ...NOTHING_LEARNED, rung: 2, window: 1, refused: { atMs: 3_500, isOfPace: true } },
};
it.each([STATE, INITIAL_STATE])('a stored state is read as it was written', (state) => {
  expect(LimiterState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
});

const learned = (garbage: object) => ({ ...STATE, learned: { ...STATE.learned, ...garbage } });
it.each([
  ['nothing of it', {}],
  ['nothing at all', null],
  ['a moment in words', { ...STATE, fullAtMs: 'soon' }],
  // These figures would end the process.
  ['a window of a billion', learned({ window: 1e9 })],
  ['half a window', learned({ window: 1.5 })],
  ['less than nothing sent', learned({ left: [[8, -1]] })],
  ['a billion sent', learned({ left: [[8, 1e9]] })],
  ['an interval beyond all numbers', learned({ rung: 1e9 })],
])('a stored state that does not fit is refused: %s', (_, stored) => {
  expect(LimiterState.safeParse(stored).success).toBe(false);
});

it('moves every moment by another clock, and no other number', () => {
  const day = { limit: 100, remaining: 50, resetsAtMs: 9_000, receivedAtMs: 2_000 };
  const state: LimiterState = {
    ...STATE,
    windows: { day: { stated: day, counted: { requests: 4, endsAtMs: 9_000 } } },
    learned: { ...NOTHING_LEARNED, fastest: { tookMs: 70, atMs: 2_000 }, left: [[8, 1]] },
  };
  const later = { lateAtMs: 1_000, answeredAtMs: 1_000, quietSinceMs: 1_000 };
  expect(movedBy(LimiterState, state, 1_000)).toEqual({
    ...state,
    atMs: 1_000,
    fullAtMs: 2_234.5,
    trouble: { ...STATE.trouble, beganMs: 5_000, untilMs: 6_000 },
    windows: {
      day: {
        stated: { ...day, resetsAtMs: 10_000, receivedAtMs: 3_000 },
        counted: { requests: 4, endsAtMs: 10_000 },
      },
    },
    learned: { ...state.learned, ...later, fastest: { tookMs: 70, atMs: 3_000 }, left: [[9, 1]] },
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

it.each<[string, Partial<Planned>]>([
  ['plan', { plan: 'pro' }],
  ['rate', { requestsPerMinute: 20 }],
  ['burst', { burst: 9 }],
  ['day', { requestsPerDay: 500 }],
  ['month', { requestsPerMonth: 500 }],
  ['description of the plans', { plans: { free: { requestsPerMinute: 10, burst: 5, requestsPerMonth: 2_000 } } }],
])(
  'a spent window ends at a start with another %s, and with the same setting not before its reset',
  async (_, other) => {
    const setting: Planned = { plan: 'free', requestsPerDay: 100, requestsPerMonth: 300 };
    const script = new LimiterScript(setting);
    expect(await script.says('states 0 of 1000 for 2 h; restart; ask')).toBe('0, then day 2 h');
    script.setting = { ...setting, ...other };
    const said = await script.says('restart; ask; states 0 of 1000 for 2 h; answered; restart; ask');
    expect(said).toBe('1 | 0, then day 2 h');
  },
);
