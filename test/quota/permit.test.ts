import { describe, expect, it } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import type { PlanSetting } from '../../src/model/plan.ts';
import type { BreakerReason, OpenBreaker } from '../../src/model/quota.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import type { PermitLane } from '../../src/quota/limiter-port.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { type LimiterFacts, StateView } from '../../src/quota/limiter-view.ts';
import { emptyBucket } from '../../src/quota/pace.ts';
import { releasePermit, spendToken, withLostProbe } from '../../src/quota/permit.ts';

const NOW_MS = 1_000_000;
const SETTING: PlanSetting = { plan: 'free' };
const PACE = { intervalMs: 6_000, capacity: 19 };
const LONGEST_WAIT_MS = 300_000;
const CLOSED = INITIAL_LIMITER_STATE;
/** Five were just served. */
const IN_BURST: LimiterState = {
  ...CLOSED,
  learned: { ...NOTHING_LEARNED, pace: '6000 19', ended: [[Math.floor(NOW_MS / 250), 5, 0]] },
};
/** Answers have shown that the service takes many requests at once. */
const OF_WINDOW: LimiterState = { ...CLOSED, learned: { ...NOTHING_LEARNED, inFlight: 100, window: 10 } };
const MANY_AT_ONCE: LimiterState = { ...CLOSED, learned: { ...NOTHING_LEARNED, inFlight: 100 } };

const AFTER_LATE: LimiterState = {
  ...CLOSED,
  learned: { ...NOTHING_LEARNED, inFlight: 100, late: { knownAtMs: NOW_MS, mostUnderWay: 1 } },
};

function withBreaker(state: OpenBreaker['state'], reason: BreakerReason, dueInMs = 0, failures = 1): LimiterState {
  return { ...CLOSED, breaker: { state, reason, sinceMs: NOW_MS - 4_500, untilMs: NOW_MS + dueInMs, failures } };
}

/** One request has failed 100 ms ago. */
const FAILED: LimiterState = {
  ...CLOSED,
  breaker: { ...CLOSED.breaker, failures: 1, sinceMs: NOW_MS - 100, untilMs: NOW_MS + 900 },
};
/** Three in a row have. */
const HICCUP = withBreaker('open', 'outage', 500, 3);
/** The next request may leave, and tell. */
const IN_DOUBT: LimiterState = { ...MANY_AT_ONCE, breaker: { ...FAILED.breaker, untilMs: NOW_MS } };

function viewOf(state: LimiterState, more: Partial<LimiterFacts> = {}, nowMs = NOW_MS): StateView {
  const facts = {
    setting: SETTING,
    underWay: 0,
    isUnconfirmed: false,
    longestWaitMs: LONGEST_WAIT_MS,
    answersTakeMs: 0,
  };
  return new StateView({ ...facts, state, ...more }, nowMs);
}

function withRemaining(remaining: number): LimiterState {
  const quota = { limit: 1_000, remaining, resetsAtMs: NOW_MS + 3_600_000, receivedAtMs: NOW_MS };
  return { ...CLOSED, quota };
}

describe('a request', () => {
  const TOKEN = { kind: 'token', permit: { probe: false }, heldBackMs: 0 };
  const PROBE = { kind: 'token', permit: { probe: true } };
  const WAIT = { kind: 'wait', untilMs: expect.any(Number) };
  const PAUSED = withBreaker('open', 'pause');
  const WITH_TOKEN = { ...PROBE, heldBackMs: 9 * PACE.intervalMs };

  it.each<[string, LimiterState, PermitLane, object]>([
    ['needs a token while the breaker is closed', CLOSED, 'members', TOKEN],
    ['sits out a pause', withBreaker('open', 'pause', 500), 'members', { kind: 'wait', untilMs: NOW_MS + 500 }],
    ['of a member probes after a pause without a token', PAUSED, 'members', { ...PROBE, heldBackMs: undefined }],
    ['for a renewal probes after a pause with a token', PAUSED, 'renewals', WITH_TOKEN],
    ['waits for the probe that is under way', withBreaker('halfOpen', 'outage'), 'members', WAIT],
    ['is blocked on a spent day', withBreaker('open', 'day', 500), 'members', { kind: 'blocked', reason: 'day' }],
    ['for a report may probe a spent day early', withBreaker('open', 'day', 500), 'report', PROBE],
    ['for a report is not sent beside the probe of a spent day', withBreaker('halfOpen', 'day'), 'report', WAIT],
    ['for a report is never another probe', withBreaker('open', 'outage'), 'report', WAIT],
    [
      'waits after a failure, as long as a lookup backs off',
      FAILED,
      'members',
      { kind: 'wait', untilMs: NOW_MS + 900 },
    ],
    ['sits out the first opening of an outage', HICCUP, 'members', { kind: 'wait', untilMs: NOW_MS + 500 }],
    ['is blocked by a second opening', withBreaker('open', 'outage', 500, 4), 'members', { kind: 'blocked' }],
    ['for a report ignores a refused key', withBreaker('open', 'key', 500), 'report', TOKEN],
    ['for a report ignores a plan that is too small', withBreaker('open', 'plan', 500), 'report', TOKEN],
    ['for watches is never a probe', PAUSED, 'watches', WAIT],
    ['of a member may take the reserve', withRemaining(19), 'members', TOKEN],
    ['for a renewal may not take the reserve', withRemaining(19), 'renewals', { kind: 'blocked', reason: 'reserve' }],
    ['for watches may not take the reserve', withRemaining(49), 'watches', { kind: 'blocked', reason: 'reserve' }],
  ])('%s', (_, state, lane, decision) => {
    expect(viewOf(state).decide(lane)).toMatchObject(decision);
  });

  it.each<[string, LimiterState, PlanSetting, Partial<LimiterFacts>, string]>([
    ['waits while as many are under way as remain', withRemaining(2), SETTING, { underWay: 2 }, 'wait'],
    ['may leave when nothing is under way, whatever remains', withRemaining(0), SETTING, { underWay: 0 }, 'token'],
    [
      "of auto stays in Free's burst until an answer",
      MANY_AT_ONCE,
      { plan: 'auto' },
      { underWay: 19, isUnconfirmed: true },
      'wait',
    ],
    ['of a set plan needs no answer', MANY_AT_ONCE, { plan: 'pro' }, { underWay: 19, isUnconfirmed: true }, 'token'],
    ['waits while a third would be under way before the first answer', CLOSED, SETTING, { underWay: 2 }, 'wait'],
    ['is one of two while the service may be down', IN_DOUBT, SETTING, { underWay: 2 }, 'wait'],
    ['leaves beside one that may hang', IN_DOUBT, SETTING, { underWay: 1 }, 'token'],
    ['waits while another one is the first of a window', OF_WINDOW, SETTING, { underWay: 1 }, 'wait'],
    ['waits while another one shows whether a late answer was chance', AFTER_LATE, SETTING, { underWay: 1 }, 'wait'],
    ['is one more under way than before after answers', MANY_AT_ONCE, SETTING, { underWay: 2 }, 'token'],
  ])('%s', (_, state, setting, contention, kind) => {
    expect(viewOf(state, { setting, ...contention }).decide('members').kind).toBe(kind);
  });

  it.each<[string, PermitLane, number]>([
    ['for a renewal leaves half the burst', 'renewals', 9 * PACE.intervalMs],
    ['for watches leaves all but one token of a full bucket', 'watches', 18 * PACE.intervalMs],
    ['for a member takes the last token', 'members', 0],
  ])('%s', (_, lane, heldBackMs) => {
    expect(viewOf(CLOSED).decide(lane)).toMatchObject({ heldBackMs });
  });
});

describe('a permit', () => {
  it('for watches is counted apart from what members spend of the day', () => {
    const permit = { probe: false, leftAtMs: NOW_MS, isForWatches: true };
    const now = { longestWaitMs: 0, nowMs: NOW_MS, random: 0, underWay: 0 };
    const after = releasePermit(withRemaining(100), permit, { kind: 'answered' }, SETTING, now);
    expect(after.quota?.forWatches).toBe(1);
    expect(releasePermit(after, permit, { kind: 'answered' }, SETTING, now).quota?.forWatches).toBe(2);
  });

  it('that failed after the clock was set back holds others back no longer than any failure', () => {
    const permit = { probe: false, leftAtMs: NOW_MS + 300_000 };
    const now = { longestWaitMs: 300_000, nowMs: NOW_MS, random: 0, underWay: 0 };
    const { breaker } = releasePermit(CLOSED, permit, DOWN, SETTING, now);
    expect(breaker).toMatchObject({ failures: 1, untilMs: NOW_MS + 1_000 });
  });

  it('that is a probe leaves the breaker half-open and the bucket of a pause empty', () => {
    const paused = { ...withBreaker('open', 'pause'), fullAtMs: emptyBucket(NOW_MS, PACE) };
    const decision = viewOf(paused).decide('members');
    if (decision.kind !== 'token') throw new Error('may not leave');
    const { state, taken } = spendToken(paused, decision, NOW_MS);
    expect(taken).toEqual({ kind: 'taken', wasFull: true });
    expect(state).toMatchObject({ breaker: { state: 'halfOpen' }, fullAtMs: emptyBucket(NOW_MS, PACE) });
  });

  const ANSWERED: RequestOutcome = { kind: 'answered', cardIds: ['a'] };
  const DOWN: RequestOutcome = { kind: 'serviceDown', cardIds: ['a'] };
  const WITH_FAILED: LimiterState = { ...CLOSED, counted: [{ cardId: 'a', atMs: NOW_MS - 5_000 }] };
  const PROBED: LimiterState = { ...WITH_FAILED, breaker: withBreaker('halfOpen', 'outage').breaker };
  /** As over Redis, of another pace: all times of a state are moved to this clock. */
  const BY_CLOCK_BEHIND: LimiterState = {
    ...CLOSED,
    learned: { ...NOTHING_LEARNED, heldUntilMs: -300, pace: '600 9' },
  };
  const NO_PAUSE = { breaker: { state: 'closed' } };
  const NO_BURST = { learned: { capacity: undefined } };
  const SPENT_BURST = { ...IN_BURST, quota: withRemaining(0).quota };

  it.each<[string, LimiterState, boolean, RequestOutcome, object]>([
    ['learns a smaller burst from a 429 to a burst', IN_BURST, false, limited(5_000), { learned: { capacity: 9 } }],
    [
      'asks for no silence after an answer, whatever the clock by which nothing was held',
      BY_CLOCK_BEHIND,
      false,
      ANSWERED,
      NO_PAUSE,
    ],
    ['learns nothing from a 429 on a spent day', SPENT_BURST, false, limited(5_000), NO_BURST],
    ['learns nothing of the burst from a wait over a minute', IN_BURST, false, limited(61_000), NO_BURST],
    ['learns nothing of the burst from a probe', withBreaker('halfOpen', 'pause'), true, limited(5_000), NO_BURST],
    [
      'pauses as long as what was refused fills a window that fades',
      { ...IN_BURST, learned: { ...IN_BURST.learned, window: 10 } },
      false,
      limited(5_000),
      // One of ten requests, and the next one.
      { learned: { refill: 'evenly' }, breaker: { reason: 'pause', untilMs: NOW_MS + 12_000 } },
    ],
    [
      'pauses as long as was stated, where that is longer',
      { ...IN_BURST, learned: { ...IN_BURST.learned, window: 10 } },
      false,
      limited(30_000),
      { learned: { refill: 'evenly' }, breaker: { reason: 'pause', untilMs: NOW_MS + 30_000 } },
    ],
    ['notes the setting under which the day was spent', withRemaining(0), false, ANSWERED, { openedUnder: 'free  ' }],
    [
      'pauses by the back-off at a 429 that states no wait',
      CLOSED,
      false,
      { kind: 'rateLimited' },
      { breaker: { reason: 'pause', untilMs: NOW_MS + 1_000 } },
    ],
    ['counts a failure for its card', CLOSED, false, DOWN, { breaker: { failures: 1 }, counted: [{ cardId: 'a' }] }],
    [
      'counts a card once until it is answered',
      WITH_FAILED,
      false,
      DOWN,
      { breaker: CLOSED.breaker, counted: [{ cardId: 'a' }] },
    ],
    [
      'counts another card',
      WITH_FAILED,
      false,
      { ...DOWN, cardIds: ['b'] },
      { counted: [{ cardId: 'a' }, { cardId: 'b' }] },
    ],
    ['forgets a card that is answered', WITH_FAILED, false, ANSWERED, { counted: [] }],
    [
      'keeps a card while others are answered',
      WITH_FAILED,
      false,
      { ...ANSWERED, cardIds: ['b'] },
      { counted: [{ cardId: 'a' }] },
    ],
    [
      'leaves an outage open when its probe is of a card that counted',
      PROBED,
      true,
      DOWN,
      { breaker: { ...PROBED.breaker, state: 'open' } },
    ],
    [
      'counts no failure that left before a lookup would be tried again',
      { ...CLOSED, breaker: { ...CLOSED.breaker, failures: 1, untilMs: NOW_MS - 199 } },
      false,
      DOWN,
      { counted: [], breaker: { failures: 1, untilMs: NOW_MS - 199 } },
    ],
  ])('when released %s', (_, state, probe, outcome, expected) => {
    const now = { longestWaitMs: 300_000, nowMs: NOW_MS, random: 0, underWay: 4 };
    expect(releasePermit(state, { probe, leftAtMs: NOW_MS - 200 }, outcome, SETTING, now)).toMatchObject(expected);
  });

  describe('that times out while others were answered', () => {
    const HELD_MS = 10_000;
    const permit = { probe: false, afterFailure: 0, leftAtMs: NOW_MS - HELD_MS };
    const now = { longestWaitMs: 300_000, nowMs: NOW_MS, random: 0, underWay: 4 };
    const timedOut = (state: LimiterState) => releasePermit(state, permit, DOWN, SETTING, now);
    const answered = { ...IN_BURST, learned: { ...IN_BURST.learned, servedAtMs: NOW_MS - HELD_MS + 1 } };
    const silent = timedOut(timedOut(timedOut(answered)));

    it('asks for silence as long as it weighs, and is no failure', () => {
      const untilMs = NOW_MS + 3 * PACE.intervalMs;
      expect(silent).toMatchObject({ breaker: { reason: 'pause', untilMs }, counted: [] });
    });

    it('leaves one probe after that, whose answer ends the silence', () => {
      const atMs = silent.breaker.untilMs;
      const decision = viewOf(silent, {}, atMs).decide('members');
      if (decision.kind !== 'token') throw new Error('may not leave');
      expect(decision.permit.probe).toBe(true);
      const after = releasePermit(silent, decision.permit, ANSWERED, SETTING, { ...now, nowMs: atMs + 200 });
      expect(after.breaker).toEqual(CLOSED.breaker);
    });

    it('is a failure when nothing remains of the day, as any other', () => {
      const spent = timedOut({ ...answered, quota: withRemaining(0).quota });
      expect(spent.breaker).toMatchObject({ state: 'closed', failures: 1 });
    });
  });

  it('when released learns nothing from a 429 to a request alone', () => {
    const permit = { probe: false, leftAtMs: NOW_MS - 200 };
    const alone = { longestWaitMs: 300_000, nowMs: NOW_MS, random: 0, underWay: 0 };
    expect(releasePermit(CLOSED, permit, limited(5_000), SETTING, alone).learned.capacity).toBeUndefined();
  });

  function limited(statedMs: number): RequestOutcome {
    return { kind: 'rateLimited', statedMs };
  }
});

describe('the view', () => {
  it.each<[string, LimiterState, boolean, BreakerReason | undefined]>([
    ['is free while the breaker is closed', CLOSED, false, undefined],
    ['is paused by a wait that can be sat out', withBreaker('open', 'pause', LONGEST_WAIT_MS), true, undefined],
    ['is paused and blocked by a longer one', withBreaker('open', 'pause', LONGEST_WAIT_MS + 1), true, 'pause'],
    ['is blocked by a spent day', withBreaker('open', 'day', 1), false, 'day'],
    ['is free again when the probe is due', withBreaker('open', 'day', 0), false, undefined],
    ['is blocked by an outage', withBreaker('open', 'outage', 5_000, 4), false, 'outage'],
    [
      'is blocked by an outage of over a minute that the service states',
      withBreaker('open', 'outage', 61_000, 3),
      false,
      'outage',
    ],
    ['is not blocked while the first opening of an outage is sat out', HICCUP, false, undefined],
  ])('%s', (_, state, paused, reason) => {
    const view = viewOf(state);
    expect([view.paused, view.refusalFor('members')?.reason]).toEqual([paused, reason]);
  });

  it('has one permit per interval after a pause', () => {
    const view = viewOf(withBreaker('open', 'pause', 7_000), { underWay: 0 });
    expect([1, 2, 3].map((position) => view.forecast('members', position) - NOW_MS)).toEqual([7_000, 13_000, 19_000]);
  });

  it('promises no place in a window that a request under way takes', () => {
    const state = { ...OF_WINDOW, learned: { ...OF_WINDOW.learned, window: 3, refill: 'atOnce' as const } };
    const view = viewOf(state, { underWay: 2 });
    expect([1, 2, 3, 4, 5].map((position) => view.forecast('members', position) - NOW_MS)).toEqual([
      0, 60_000, 60_000, 60_000, 120_000,
    ]);
  });

  it('promises no more after a pause than a window allows', () => {
    const paused = { ...withBreaker('open', 'pause', 7_000), learned: { ...NOTHING_LEARNED, window: 2 } };
    const view = viewOf(paused, { underWay: 0 });
    expect([1, 2, 3, 4, 5].map((position) => view.forecast('members', position) - NOW_MS)).toEqual([
      7_000, 7_000, 67_000, 67_000, 127_000,
    ]);
  });
});

it.each([
  ['at its time, though no token is there', 'open', 1_000],
  ['with a token, if its probe was under way', 'halfOpen', 6_000],
] as const)('a pause ends after a restart %s', (_, breakerState, endsInMs) => {
  const before = { ...withBreaker(breakerState, 'pause', 1_000), fullAtMs: emptyBucket(NOW_MS, PACE) };
  expect(withLostProbe(before, SETTING, NOW_MS).breaker).toMatchObject({ state: 'open', untilMs: NOW_MS + endsInMs });
});
