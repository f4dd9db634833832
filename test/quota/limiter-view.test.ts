import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BREAKER_REASONS, CLOSED_BREAKER } from '../../src/model/quota.ts';
import { NOTHING_LEARNED, SLICE_MS } from '../../src/quota/learned.ts';
import { LANES } from '../../src/quota/limiter-port.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { type LimiterFacts, StateView } from '../../src/quota/limiter-view.ts';
import { spendToken } from '../../src/quota/permit.ts';

const NOW_MS = 1_000_000_000;
const LONGEST_WAIT_MS = 300_000;
const FACTS: Omit<LimiterFacts, 'state'> = {
  setting: { plan: 'pro' },
  underWay: 0,
  isUnconfirmed: false,
  longestWaitMs: LONGEST_WAIT_MS,
  answersTakeMs: 4_000,
};

const around = (ms: number) => fc.integer({ min: -ms, max: ms }).map((offset) => NOW_MS + offset);
const breaker = fc.oneof(
  fc.record({ failures: fc.nat(2), untilMs: around(2_000) }).map((more) => ({ ...CLOSED_BREAKER, ...more })),
  fc.record({
    state: fc.constantFrom('open' as const, 'halfOpen' as const),
    reason: fc.constantFrom(...BREAKER_REASONS),
    sinceMs: around(0),
    untilMs: around(2 * LONGEST_WAIT_MS),
    failures: fc.integer({ min: 1, max: 5 }),
  }),
);
const ended = fc
  .array(fc.tuple(fc.nat(75_000 / SLICE_MS), fc.nat(3), fc.nat(1)), { maxLength: 20 })
  .map((all) =>
    all.map(([ago, served, refused]): [number, number, number] => [NOW_MS / SLICE_MS - ago, served, refused]),
  );
const learned = fc
  .record({
    window: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    refill: fc.constantFrom('untried' as const, 'atOnce' as const, 'evenly' as const),
    capacity: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    inFlight: fc.double({ min: 1, max: 20, noNaN: true }),
    isStarting: fc.boolean(),
    ended,
  })
  .map((more) => ({ ...NOTHING_LEARNED, ...more }));
const quota = fc.option(
  fc.record({
    limit: fc.constant(1_000),
    remaining: fc.option(fc.nat(60), { nil: undefined }),
    resetsAtMs: around(50_000),
    receivedAtMs: fc.constant(NOW_MS - 1_000),
  }),
  { nil: undefined },
);
const state: fc.Arbitrary<LimiterState> = fc
  .record({ fullAtMs: around(50_000), breaker, learned, quota })
  .map((more) => ({ ...INITIAL_LIMITER_STATE, ...more }));
const facts: fc.Arbitrary<LimiterFacts> = fc
  .record({
    state,
    setting: fc.constantFrom<LimiterFacts['setting']>(
      { plan: 'free' },
      { plan: 'auto' },
      { plan: 'pro', processes: 3 },
    ),
    underWay: fc.nat(20),
    isUnconfirmed: fc.boolean(),
    answersTakeMs: fc.nat(10_000),
  })
  .map((more) => ({ ...FACTS, ...more }));

describe('a window', () => {
  it.each([
    [0, ['members', 'renewals', 'watches']],
    [4, ['members', 'renewals']],
    [5, ['members']],
    [9, ['members']],
    [10, []],
  ])(
    'of ten of which %i are taken gives permits to %j: renewals leave half of it free, watches all',
    (taken, given) => {
      const ended: [number, number, number][] = [[NOW_MS / SLICE_MS - 8, taken, 0]];
      const learned = { ...NOTHING_LEARNED, window: 10, refill: 'atOnce' as const, ended };
      const view = new StateView({ ...FACTS, state: { ...INITIAL_LIMITER_STATE, learned } }, NOW_MS);
      expect(LANES.filter((lane) => view.decide(lane).kind === 'token')).toEqual(given);
    },
  );
});

describe('requests under way', () => {
  it.each([
    [1, 5, 'token'],
    [1, 6, 'wait'],
    [3, 1, 'token'],
    [3, 2, 'wait'],
  ])(
    'are no more than remain of a day, and of 6 that remain one of %i processes has its share: %i, then a %s',
    (processes, underWay, kind) => {
      const quota = { limit: 50_000, remaining: 6, resetsAtMs: NOW_MS + 3_600_000, receivedAtMs: NOW_MS };
      const state = { ...INITIAL_LIMITER_STATE, quota, learned: { ...NOTHING_LEARNED, inFlight: 60 } };
      const view = new StateView({ ...FACTS, setting: { plan: 'pro', processes }, state, underWay }, NOW_MS);
      expect(view.decide('members').kind).toBe(kind);
    },
  );
});

describe('the forecast', () => {
  const probed: LimiterState = {
    ...INITIAL_LIMITER_STATE,
    breaker: { state: 'halfOpen', reason: 'outage', sinceMs: NOW_MS, untilMs: NOW_MS, failures: 3 },
  };

  it('is now exactly when a permit would be given, in each lane and for a report', () => {
    let given = 0;
    fc.assert(
      fc.property(facts, fc.constantFrom(...LANES, 'report' as const), (known, lane) => {
        const view = new StateView(known, NOW_MS);
        const decision = view.decide(lane);
        const isGiven = decision.kind === 'token' && spendToken(known.state, decision, NOW_MS).taken.kind === 'taken';
        given += isGiven ? 1 : 0;
        expect(view.forecast(lane, 1) <= NOW_MS).toBe(isGiven);
      }),
      { numRuns: 2_000 },
    );
    expect(given).toBeGreaterThan(20);
  });

  it('is no sooner for a later place', () => {
    fc.assert(
      fc.property(facts, fc.constantFrom(...LANES), fc.integer({ min: 1, max: 100 }), (known, lane, position) => {
        const view = new StateView(known, NOW_MS);
        expect(view.forecast(lane, position + 1)).toBeGreaterThanOrEqual(view.forecast(lane, position));
      }),
    );
  });

  it.each<[string, Partial<LimiterFacts>, readonly number[]]>([
    ['while places are free', { underWay: 0 }, [0, 0, 2_340, 4_000, 5_288]],
    ['while all are taken', { underWay: 2 }, [2_340, 4_000, 5_288]],
    ['beside a probe', { underWay: 1, state: probed }, [4_000, 4_000]],
    ['of a limiter that delays', { underWay: 2, state: slow(false) }, [2_000, 4_000, 6_000]],
  ])('lets places under way become free at the pace of the last answers %s', (_, more, expected) => {
    const view = new StateView({ ...FACTS, state: INITIAL_LIMITER_STATE, ...more }, NOW_MS);
    const times = expected.map((_, at) => Math.round(view.forecast('members', at + 1) - NOW_MS));
    expect(times.map((ms) => Math.max(0, ms))).toEqual(expected);
  });

  it('is at the plan’s rate after late answers, because a limiter delays them, and no lookup is refused for their time', () => {
    const late = { knownAtMs: NOW_MS, mostUnderWay: 1 };
    const state = { ...INITIAL_LIMITER_STATE, learned: { ...NOTHING_LEARNED, isStarting: false, inFlight: 1, late } };
    const view = new StateView(
      { ...FACTS, setting: { plan: 'free' }, state, underWay: 1, answersTakeMs: 37_000 },
      NOW_MS,
    );
    expect(view.forecast('members', 100) - NOW_MS).toBeLessThanOrEqual(100 * 6_000);
  });

  function slow(isStarting: boolean): LimiterState {
    return { ...INITIAL_LIMITER_STATE, learned: { ...NOTHING_LEARNED, isStarting } };
  }
});
