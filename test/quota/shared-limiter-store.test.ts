import { describe, expect, it } from 'vitest';
import type { PlanSetting } from '../../src/model/plan.ts';
import type { OpenBreaker } from '../../src/model/quota.ts';
import { type Learned, NOTHING_LEARNED, SLICE_MS } from '../../src/quota/learned.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import {
  limiterWrite,
  type SharedCellOptions,
  SharedCopy,
  type SharedLimiterStore,
  sameSchedule,
} from '../../src/quota/shared-limiter-store.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const SETTING: PlanSetting = { plan: 'free', requestsPerMinute: 60, burst: 20 };
const CAPACITY_MS = 19_000;
const CLOSED = INITIAL_LIMITER_STATE;
const ENDS_MS = NOW_MS + 3_600_000;
const QUOTA = { limit: 1_000, remaining: 7, resetsAtMs: ENDS_MS, receivedAtMs: NOW_MS };

function withBreaker(state: OpenBreaker['state'], reason: OpenBreaker['reason'], untilMs = NOW_MS): LimiterState {
  return { ...CLOSED, breaker: { state, reason, sinceMs: NOW_MS, untilMs, failures: 1 } };
}

function learning(learned: Partial<Learned>): LimiterState {
  return { ...CLOSED, learned: { ...NOTHING_LEARNED, ...learned } };
}

function write(before: LimiterState | undefined, after: LimiterState) {
  return limiterWrite(before, after, SETTING, NOW_MS);
}

describe('what others need to know of a state', () => {
  it.each<[string, LimiterState | undefined, LimiterState, boolean]>([
    ['the first one', undefined, CLOSED, true],
    ['what remains', CLOSED, { ...CLOSED, quota: { ...QUOTA, limit: undefined } }, false],
    ['another daily limit', CLOSED, { ...CLOSED, quota: QUOTA }, true],
    ['an open breaker', CLOSED, withBreaker('open', 'pause'), true],
    ['a request that has ended', learning({}), learning({ ended: [[1, 1, 0]] }), false],
    [
      'one that keeps back another of a window',
      learning({ window: 9 }),
      learning({ window: 9, ended: [[1, 1, 0]] }),
      true,
    ],
    ['a longer pause', withBreaker('open', 'pause'), withBreaker('open', 'pause', NOW_MS + 5_000), true],
    [
      'a failure, after which nothing leaves for a while',
      CLOSED,
      { ...CLOSED, breaker: { ...CLOSED.breaker, failures: 1, untilMs: Date.now() + 1_000 } },
      true,
    ],
  ])('%s changes what permits depend on, or not', (_, before, after, isNews) => {
    expect(write(before, after).isNews).toBe(isNews);
  });

  it.each<[string, number, number, number]>([
    ['nothing, for a full bucket that stays full', -9_000, -5_000, 0],
    ['a delay of a bucket that is not full', 2_000, 2_250, 250],
    ['what goes beyond a full bucket', -9_000, 1_000, 1_000],
    ['nothing, for a bucket that looks fuller', 9_000, 8_000, 0],
  ])('a change charges %s', (_, beforeMs, afterMs, chargedMs) => {
    const before = { ...CLOSED, fullAtMs: NOW_MS + beforeMs };
    expect(write(before, { ...CLOSED, fullAtMs: NOW_MS + afterMs }).chargedMs).toBe(chargedMs);
  });

  it.each<[string, LimiterState, number]>([
    ['now', CLOSED, 0],
    ['at the end of a pause', withBreaker('open', 'pause', NOW_MS + 5_000), NOW_MS + 5_000],
    ['now, in an outage', withBreaker('open', 'outage', NOW_MS + 5_000), 0],
  ])('the bucket is no emptier than empty %s', (_, after, pausedUntilMs) => {
    expect(write(CLOSED, after)).toMatchObject({ pausedUntilMs, fillsInMs: CAPACITY_MS });
  });

  it.each([
    ['is stated', QUOTA, { requests: 7, untilMs: ENDS_MS }],
    [
      'is stated without a reset',
      { ...QUOTA, resetsAtMs: undefined },
      { requests: 7, untilMs: Date.UTC(2026, 10, 22) },
    ],
    ['is of an earlier window', { ...QUOTA, resetsAtMs: NOW_MS - 1 }, undefined],
    ['is unknown', undefined, undefined],
  ])('what remains %s', (_, quota, remaining) => {
    expect(write(CLOSED, { ...CLOSED, quota }).remaining).toEqual(remaining);
  });

  it.each<[LimiterState | undefined, LimiterState, string]>([
    [withBreaker('open', 'pause'), withBreaker('halfOpen', 'pause'), 'writer'],
    [undefined, withBreaker('halfOpen', 'pause'), 'writer'],
    [withBreaker('halfOpen', 'pause'), withBreaker('halfOpen', 'pause'), 'same'],
    [withBreaker('halfOpen', 'pause'), withBreaker('open', 'pause'), 'none'],
    [withBreaker('halfOpen', 'pause'), CLOSED, 'none'],
  ])('who holds the probe (%#)', (before, after, prober) => {
    expect(write(before, after).prober).toBe(prober);
  });
});

describe('two schedules', () => {
  it.each<[string, LimiterState, LimiterState, boolean]>([
    ['times that differ by as much as clocks do', opened('day', 0), opened('day', 100), true],
    ['another time', opened('day', 0), opened('day', 101), false],
    ['another reason', opened('day', 0), opened('outage', 0), false],
    ['a probe under way', opened('day', 0), withBreaker('halfOpen', 'day'), false],
    ['another plan', CLOSED, { ...CLOSED, plan: 'pro' }, false],
    ['a window', CLOSED, { ...CLOSED, learned: { ...NOTHING_LEARNED, window: 10 } }, false],
    ['a window that refills evenly', withRefill('untried'), withRefill('evenly'), false],
    ['a smaller burst', CLOSED, { ...CLOSED, learned: { ...NOTHING_LEARNED, capacity: 9 } }, false],
  ])('are the same or not with %s', (_, a, b, isSame) => {
    expect(sameSchedule(a, b)).toBe(isSame);
  });

  function withRefill(refill: 'untried' | 'evenly'): LimiterState {
    return { ...CLOSED, learned: { ...NOTHING_LEARNED, window: 10, refill } };
  }

  function opened(reason: OpenBreaker['reason'], dueInMs: number): LimiterState {
    return withBreaker('open', reason, NOW_MS + dueInMs);
  }
});

it.each([
  { whose: 'of another process', probeOf: 'other', holds: false, state: 'halfOpen' },
  { whose: 'that this process has', probeOf: 'self', holds: true, state: 'halfOpen' },
  { whose: 'of which it has heard no answer', probeOf: 'self', holds: false, state: 'open' },
  { whose: 'of nobody', probeOf: '', holds: false, state: 'open' },
])('a probe $whose: the breaker is $state', ({ probeOf, holds, state }) => {
  const copy = copyOf(withBreaker('open', 'pause'), { probeOf });
  if (holds) copy.permits.add({ probe: true, leftAtMs: NOW_MS });
  expect(copy.stored?.breaker.state).toBe(state);
});

it.each([
  { lost: 0, ended: [[4, 1, 0]] },
  { lost: 2, ended: [[4, 3, 0]] },
])('$lost requests of dead processes count in a learned window, besides those that are known', ({ lost, ended }) => {
  const state = learning({ window: 9, ended: [[4, 1, 0]] });
  const copy = copyOf(state, { lost, lostAtMs: lost && 4.5 * SLICE_MS });
  expect(copy.stored?.learned.ended).toEqual(ended);
});

function copyOf(state: LimiterState, read: Partial<SharedLimiterStore['asRead']>): SharedCopy {
  const asRead = { era: 'one', probeOf: '', underWayElsewhere: 0, lost: 0, lostAtMs: 0, ...read };
  const store: Partial<SharedLimiterStore> = { state, asRead };
  return new SharedCopy({ store, setting: SETTING, processesAlive: { id: 'self' } } as SharedCellOptions);
}
