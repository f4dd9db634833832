import { describe, expect, it } from 'vitest';
import type { PlanSetting } from '../../src/model/plan.ts';
import type { Breaker, BreakerReason } from '../../src/model/quota.ts';
import type { RequestOutcome } from '../../src/quota/circuit-breaker.ts';
import type { PermitLane } from '../../src/quota/limiter.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { emptyBucket } from '../../src/quota/pace.ts';
import {
  acquirePermit,
  type Contention,
  decidePermit,
  releasePermit,
  sameSchedule,
  scheduleOf,
} from '../../src/quota/permit.ts';

const NOW_MS = 1_000_000;
const SETTING: PlanSetting = { plan: 'free' };
const PACE = { intervalMs: 6_000, capacity: 19 };
const NO_CONTENTION: Contention = { underWay: 0, isUnconfirmed: false };
const CLOSED = INITIAL_LIMITER_STATE;

function withBreaker(state: Breaker['state'], reason: BreakerReason, dueInMs = 0): LimiterState {
  return { ...CLOSED, breaker: { state, reason, sinceMs: 0, untilMs: NOW_MS + dueInMs, failures: 1 } };
}

function withRemaining(remaining: number): LimiterState {
  const quota = { limit: 1_000, remaining, resetsAtMs: NOW_MS + 3_600_000, receivedAtMs: NOW_MS };
  return { ...CLOSED, quota };
}

describe('a request', () => {
  const TOKEN = { kind: 'token', permit: { probe: false }, free: false };
  const PROBE = { kind: 'token', permit: { probe: true } };
  const WAIT = { kind: 'wait', untilMs: NOW_MS + PACE.intervalMs };

  it.each<[string, LimiterState, PermitLane, object]>([
    ['needs a token while the breaker is closed', CLOSED, 'members', TOKEN],
    ['sits out a pause', withBreaker('open', 'pause', 500), 'members', { kind: 'wait', untilMs: NOW_MS + 500 }],
    [
      'of a member probes after a pause without a token',
      withBreaker('open', 'pause'),
      'members',
      { ...PROBE, free: true },
    ],
    [
      'for a renewal probes after a pause with a token',
      withBreaker('open', 'pause'),
      'renewals',
      { ...PROBE, free: false },
    ],
    ['waits for the probe that is under way', withBreaker('halfOpen', 'outage'), 'members', WAIT],
    ['is blocked on a spent day', withBreaker('open', 'day', 500), 'members', { kind: 'blocked', reason: 'day' }],
    ['for a report may probe a spent day early', withBreaker('open', 'day', 500), 'report', PROBE],
    ['for a report is never another probe', withBreaker('open', 'outage'), 'report', WAIT],
    ['for a report ignores a refused key', withBreaker('open', 'key', 500), 'report', TOKEN],
    ['of a member may take the reserve', withRemaining(19), 'members', TOKEN],
    ['for a renewal may not take the reserve', withRemaining(19), 'renewals', { kind: 'blocked', reason: 'reserve' }],
  ])('%s', (_, state, lane, decision) => {
    expect(decidePermit(state, lane, SETTING, NOW_MS, NO_CONTENTION)).toMatchObject(decision);
  });

  it.each<[string, LimiterState, PlanSetting, Partial<Contention>, string]>([
    ['waits while as many are under way as remain', withRemaining(2), SETTING, { underWay: 2 }, 'wait'],
    ['may leave when nothing is under way, whatever remains', withRemaining(0), SETTING, { underWay: 0 }, 'token'],
    [
      "of auto stays in Free's burst until an answer",
      CLOSED,
      { plan: 'auto' },
      { underWay: 19, isUnconfirmed: true },
      'wait',
    ],
    ['of a set plan needs no answer', CLOSED, { plan: 'pro' }, { underWay: 19, isUnconfirmed: true }, 'token'],
  ])('%s', (_, state, setting, contention, kind) => {
    expect(decidePermit(state, 'members', setting, NOW_MS, { ...NO_CONTENTION, ...contention }).kind).toBe(kind);
  });

  it.each<[string, PermitLane, number]>([
    ['for a renewal leaves half the burst', 'renewals', 9 * PACE.intervalMs],
    ['for a member takes the last token', 'members', 0],
  ])('%s', (_, lane, heldBackMs) => {
    expect(decidePermit(CLOSED, lane, SETTING, NOW_MS, NO_CONTENTION)).toMatchObject({ heldBackMs });
  });
});

describe('a permit', () => {
  it('that is a probe leaves the breaker half-open and the bucket of a pause empty', () => {
    const paused = { ...withBreaker('open', 'pause'), fullAtMs: emptyBucket(NOW_MS, PACE) };
    const { state, acquired } = acquirePermit(paused, 'members', SETTING, NOW_MS, NO_CONTENTION);
    expect(acquired).toMatchObject({ kind: 'permit', permit: { probe: true } });
    expect(state).toMatchObject({ breaker: { state: 'halfOpen' }, fullAtMs: emptyBucket(NOW_MS, PACE) });
  });

  it.each<[string, LimiterState, boolean, RequestOutcome, Partial<LimiterState>]>([
    ['learns a smaller burst from an unforeseen 429', CLOSED, false, limited(5_000), { learnedBurst: learned(9) }],
    [
      'learns nothing of the burst from a wait over a minute',
      CLOSED,
      false,
      limited(61_000),
      { learnedBurst: undefined },
    ],
    [
      'learns nothing of the burst from a probe',
      withBreaker('halfOpen', 'pause'),
      true,
      limited(5_000),
      { learnedBurst: undefined },
    ],
    [
      'notes the setting under which the day was spent',
      withRemaining(0),
      false,
      { kind: 'answered' },
      { openedUnder: 'free  ' },
    ],
    ['numbers a failure', CLOSED, false, { kind: 'serviceDown' }, { lastFailure: 1 }],
    ['does not number an answer', CLOSED, false, { kind: 'answered' }, { lastFailure: 0 }],
    [
      'counts no failure that left before the last was known',
      { ...CLOSED, lastFailure: 1 },
      false,
      { kind: 'serviceDown' },
      { lastFailure: 1, breaker: CLOSED.breaker },
    ],
  ])('when released %s', (_, state, probe, outcome, expected) => {
    const now = { longestWaitMs: 300_000, nowMs: NOW_MS, random: 0 };
    expect(releasePermit(state, { probe, afterFailure: 0 }, outcome, SETTING, now)).toMatchObject(expected);
  });

  function limited(statedMs: number): RequestOutcome {
    return { kind: 'rateLimited', statedMs };
  }

  function learned(capacity: number) {
    return { capacity, untilMs: 24 * 3_600_000 };
  }
});

describe('the schedule', () => {
  const LONGEST_WAIT_MS = 300_000;

  it.each<[string, LimiterState, boolean, BreakerReason | undefined]>([
    ['is free while the breaker is closed', CLOSED, false, undefined],
    ['is paused by a wait that can be sat out', withBreaker('open', 'pause', LONGEST_WAIT_MS), true, undefined],
    ['is paused and blocked by a longer one', withBreaker('open', 'pause', LONGEST_WAIT_MS + 1), true, 'pause'],
    ['is blocked by a spent day', withBreaker('open', 'day', 1), false, 'day'],
    ['is free again when the probe is due', withBreaker('open', 'day', 0), false, undefined],
    ['is blocked by an outage', withBreaker('open', 'outage', 5_000), false, 'outage'],
  ])('%s', (_, state, paused, reason) => {
    const schedule = scheduleOf(state, SETTING, LONGEST_WAIT_MS, NOW_MS);
    expect([schedule.paused, schedule.blocked?.reason]).toEqual([paused, reason]);
  });

  it('has one permit per interval after a pause', () => {
    const { permitAtMs } = scheduleOf(withBreaker('open', 'pause', 7_000), SETTING, LONGEST_WAIT_MS, NOW_MS);
    expect([1, 2, 3].map((position) => permitAtMs(position) - NOW_MS)).toEqual([7_000, 13_000, 19_000]);
  });

  it.each<[string, LimiterState, LimiterState, boolean]>([
    ['times that differ by as much as clocks do', withBreaker('open', 'day', 0), withBreaker('open', 'day', 100), true],
    ['another time', withBreaker('open', 'day', 0), withBreaker('open', 'day', 101), false],
    ['another reason', withBreaker('open', 'day', 0), withBreaker('open', 'outage', 0), false],
    ['a probe under way', withBreaker('open', 'day', 0), withBreaker('halfOpen', 'day'), false],
    ['another plan', CLOSED, { ...CLOSED, plan: 'pro' }, false],
  ])('is the same or not with %s', (_, a, b, isSame) => {
    expect(sameSchedule(a, b)).toBe(isSame);
  });
});
