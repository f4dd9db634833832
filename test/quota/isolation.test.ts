import { describe, expect, it } from 'vitest';
import type { PlanSetting } from '../../src/model/plan.ts';
import { type Breaker, type BreakerReason, CLOSED_BREAKER } from '../../src/model/quota.ts';
import { dividedFullAtMs, isolatedLimiter, rejoinedState } from '../../src/quota/isolation.ts';
import { type Learned, NOTHING_LEARNED } from '../../src/quota/learned.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { takeToken } from '../../src/quota/pace.ts';

const NOW_MS = 1_000_000_000;
const WHOLE = { intervalMs: 1_000, capacity: 19 };
const SETTING: PlanSetting = { plan: 'free', requestsPerMinute: 60, burst: 20 };

const HOUR_MS = 3_600_000;

function opened(reason: BreakerReason, untilMs: number): Breaker {
  return { state: 'open', reason, sinceMs: 0, untilMs, failures: 1 };
}

function quota(remaining: number | undefined, receivedAtMs: number, resetsAtMs: number | undefined = HOUR_MS) {
  return { limit: 1_000, remaining, resetsAtMs, receivedAtMs };
}

describe('dividedFullAtMs', () => {
  it.each([
    ['full', 2, 0, 9],
    ['full', 4, 0, 4],
    ['five short', 2, 5, 7],
    ['five and a half short', 2, 5.5, 6],
    ['almost empty', 4, 16, 0],
    ['empty', 2, 19, 0],
    ['emptier than empty', 2, 100, 0],
    ['full', 1, 0, 19],
    ['full', 40, 0, 0],
  ])(
    'of a bucket that was %s gives each of %i processes its share, rounded down (%d short: %i)',
    (_, processes, short, tokens) => {
      const share = { intervalMs: 1_000 * processes, capacity: Math.max(1, Math.floor(19 / processes)) };
      const whole = WHOLE;
      let fullAtMs: number | undefined = dividedFullAtMs(NOW_MS + short * 1_000, {
        whole,
        share,
        processes,
        nowMs: NOW_MS,
      });
      let taken = -1;
      for (; fullAtMs !== undefined; taken++) fullAtMs = takeToken(fullAtMs, NOW_MS, share);
      expect(taken).toBe(tokens);
    },
  );
});

describe('isolatedLimiter', () => {
  const isolation = { setting: SETTING, processes: 4, hasJoined: true, nowMs: NOW_MS };

  it('divides the plan', () => {
    expect(isolatedLimiter(INITIAL_LIMITER_STATE, isolation).setting).toEqual({ ...SETTING, processes: 4 });
  });

  it('has one token when it never read the shared state', () => {
    const { state } = isolatedLimiter(INITIAL_LIMITER_STATE, { ...isolation, hasJoined: false });
    const share = { intervalMs: 4_000, capacity: 4 };
    const afterOne = takeToken(state.fullAtMs, NOW_MS, share);
    expect(afterOne).toBeDefined();
    expect(takeToken(afterOne ?? 0, NOW_MS, share)).toBeUndefined();
  });
});

const PROBED: Breaker = { ...opened('pause', 5), state: 'halfOpen' };

describe('rejoinedState', () => {
  it('is the local state when none is stored', () => {
    const local: LimiterState = { ...INITIAL_LIMITER_STATE, breaker: opened('day', 9) };
    expect(rejoinedState(undefined, local)).toBe(local);
  });

  it.each<[string, Breaker, Breaker, Breaker]>([
    ['the shared one, when there is no other', opened('pause', 5), CLOSED_BREAKER, opened('pause', 5)],
    ['the local one, when there is no other', CLOSED_BREAKER, opened('pause', 5), opened('pause', 5)],
    ['the longer, when that is shared', opened('day', 9), opened('pause', 5), opened('day', 9)],
    ['the longer, when that is local', opened('pause', 5), opened('outage', 9), opened('outage', 9)],
    ['none, when there is none', CLOSED_BREAKER, CLOSED_BREAKER, CLOSED_BREAKER],
    ['that whose probe is under way here, when that is local', opened('pause', 5), PROBED, PROBED],
  ])('keeps of two pauses %s', (_, shared, local, both) => {
    expect(
      rejoinedState({ ...INITIAL_LIMITER_STATE, breaker: shared }, { ...INITIAL_LIMITER_STATE, breaker: local })
        .breaker,
    ).toEqual(both);
  });

  it.each([
    ['the lower, when it is older', quota(300, 1), quota(400, 2), 300],
    ['the lower, when it is newer', quota(300, 1), quota(200, 2), 200],
    ['the one of the later window', quota(0, 1), quota(999, 2, 25 * HOUR_MS), 999],
    ['the only one', undefined, quota(400, 2), 400],
    ['the one that has a figure', quota(300, 1), quota(undefined, 2), 300],
    ['the lower, when neither has a window', quota(300, 1), { ...quota(400, 2), resetsAtMs: undefined }, 300],
  ])('keeps of two figures %s', (_, a, b, remaining) => {
    for (const [shared, local] of [
      [a, b],
      [b, a],
    ]) {
      expect(
        rejoinedState({ ...INITIAL_LIMITER_STATE, quota: shared }, { ...INITIAL_LIMITER_STATE, quota: local }).quota
          ?.remaining,
      ).toBe(remaining);
    }
  });

  it.each<[string, Partial<Learned>, Partial<Learned>, Partial<Learned>]>([
    ['the smaller of two bursts', { capacity: 9 }, { capacity: 4 }, { capacity: 4 }],
    ['a burst that only one knows', { capacity: 9 }, {}, { capacity: 9 }],
    ['the smaller of two windows', { window: 10 }, { window: 7 }, { window: 7 }],
    [
      'the slower of two refills',
      { window: 10, refill: 'atOnce' },
      { window: 10, refill: 'evenly' },
      { refill: 'evenly' },
    ],
    ['the fewer requests at once', { inFlight: 12 }, { inFlight: 3 }, { inFlight: 3 }],
    [
      'what both have of the last minute once, and what each has alone',
      {
        ended: [
          [1, 4, 0],
          [2, 1, 0],
        ],
      },
      {
        ended: [
          [1, 4, 0],
          [3, 2, 1],
        ],
      },
      {
        ended: [
          [1, 4, 0],
          [2, 1, 0],
          [3, 2, 1],
        ],
      },
    ],
  ])('keeps of what was learned %s', (_, one, other, expected) => {
    const [a, b] = [one, other].map((learned) => ({
      ...INITIAL_LIMITER_STATE,
      learned: { ...NOTHING_LEARNED, ...learned },
    }));
    if (!a || !b) throw new Error('two are two');
    expect([rejoinedState(a, b).learned, rejoinedState(b, a).learned]).toMatchObject([expected, expected]);
  });

  it('keeps what was learned last when the plan has changed meanwhile', () => {
    const learnedUnder = (pace: string, servedAtMs: number) => ({
      ...INITIAL_LIMITER_STATE,
      learned: { ...NOTHING_LEARNED, pace, servedAtMs },
    });
    const [before, after] = [learnedUnder('6000 19', 1), learnedUnder('600 199', 2)];
    expect([rejoinedState(before, after), rejoinedState(after, before)].map(({ learned }) => learned.pace)).toEqual([
      '600 199',
      '600 199',
    ]);
  });
});
