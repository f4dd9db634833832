import { describe, expect, it } from 'vitest';
import type { Plan, PlanSetting } from '../../src/model/plan.ts';
import type { Breaker, BreakerReason } from '../../src/model/quota.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import {
  dividedPace,
  learnBurst,
  learnedPace,
  planPace,
  sameSchedule,
  scheduleOf,
  unknownLimit,
} from '../../src/quota/pace.ts';

const FREE = { intervalMs: 6_000, capacity: 19 };
const PRO = { intervalMs: 600, capacity: 199 };
const BUSINESS = { intervalMs: 120, capacity: 999 };

describe('planPace', () => {
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
    expect(planPace(setting, dailyLimit)).toEqual(pace);
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
    expect(unknownLimit(setting, dailyLimit, reported)).toBe(limit);
  });
});

describe('the pace of each of several processes', () => {
  it.each([
    [1, FREE],
    [2, { intervalMs: 12_000, capacity: 9 }],
    [4, { intervalMs: 24_000, capacity: 4 }],
    [40, { intervalMs: 240_000, capacity: 1 }],
  ])('of %i is slower by that factor, and holds its part of the burst, at least one token', (processes, pace) => {
    expect(dividedPace(FREE, processes)).toEqual(pace);
  });
});

describe('the learned burst', () => {
  const HOUR = 3_600_000;
  const MIDNIGHT = Date.UTC(2026, 10, 21);
  const NOON = MIDNIGHT - 12 * HOUR;
  const planned = planPace({ plan: 'free' }, undefined);

  it('halves with each unforeseen 429, down to one', () => {
    const learned = Array.from({ length: 6 }).reduce<number[]>((capacities) => {
      const known = capacities.length > 0 ? { capacity: capacities.at(-1) ?? 0, untilMs: MIDNIGHT } : undefined;
      return [...capacities, learnBurst(planned, known, MIDNIGHT, NOON).capacity];
    }, []);
    expect(learned).toEqual([9, 4, 2, 1, 1, 1]);
  });

  it('holds until the next window of the day', () => {
    const learned = learnBurst(planned, undefined, NOON + HOUR, NOON);
    expect(learnedPace(planned, learned, NOON + HOUR - 1).capacity).toBe(9);
    expect(learnedPace(planned, learned, NOON + HOUR)).toEqual(planned);
  });

  it('holds until 00:00 UTC when the end of the window is unknown', () => {
    expect(learnBurst(planned, undefined, undefined, NOON).untilMs).toBe(MIDNIGHT);
    expect(learnBurst(planned, undefined, NOON - 1, NOON).untilMs).toBe(MIDNIGHT);
  });

  it('never raises what the plan allows', () => {
    expect(learnedPace({ intervalMs: 1, capacity: 3 }, { capacity: 9, untilMs: MIDNIGHT }, NOON).capacity).toBe(3);
  });
});

describe('the schedule', () => {
  const NOW_MS = 1_000_000;
  const LONGEST_WAIT_MS = 300_000;

  function withBreaker(reason: BreakerReason, dueInMs: number, state: Breaker['state'] = 'open'): LimiterState {
    const breaker = { state, reason, sinceMs: NOW_MS, untilMs: NOW_MS + dueInMs, failures: 1 };
    return { ...INITIAL_LIMITER_STATE, breaker };
  }

  it.each<[string, LimiterState, boolean, BreakerReason | undefined]>([
    ['is free while the breaker is closed', INITIAL_LIMITER_STATE, false, undefined],
    ['is paused by a wait that can be sat out', withBreaker('pause', LONGEST_WAIT_MS), true, undefined],
    ['is paused and blocked by a longer one', withBreaker('pause', LONGEST_WAIT_MS + 1), true, 'pause'],
    ['is blocked by a spent day', withBreaker('day', 1), false, 'day'],
    ['is free again when the probe is due', withBreaker('day', 0), false, undefined],
    ['is blocked by an outage', withBreaker('outage', 5_000), false, 'outage'],
  ])('%s', (_, state, paused, reason) => {
    const schedule = scheduleOf(state, { plan: 'free' }, LONGEST_WAIT_MS, NOW_MS);
    expect([schedule.paused, schedule.blocked?.reason]).toEqual([paused, reason]);
  });

  it('has one permit per interval after a pause', () => {
    const { permitAtMs } = scheduleOf(withBreaker('pause', 7_000), { plan: 'free' }, LONGEST_WAIT_MS, NOW_MS);
    expect([1, 2, 3].map((position) => permitAtMs(position) - NOW_MS)).toEqual([7_000, 13_000, 19_000]);
  });

  it.each<[string, LimiterState, LimiterState, boolean]>([
    ['times that differ by as much as clocks do', withBreaker('day', 0), withBreaker('day', 100), true],
    ['another time', withBreaker('day', 0), withBreaker('day', 101), false],
    ['another reason', withBreaker('day', 0), withBreaker('outage', 0), false],
    ['a probe under way', withBreaker('day', 0), withBreaker('day', 0, 'halfOpen'), false],
    ['another plan', INITIAL_LIMITER_STATE, { ...INITIAL_LIMITER_STATE, plan: 'pro' }, false],
  ])('is the same or not with %s', (_, a, b, isSame) => {
    expect(sameSchedule(a, b)).toBe(isSame);
  });
});
