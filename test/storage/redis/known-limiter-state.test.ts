import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanSetting } from '../../../src/model/plan.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../../src/quota/limiter-state.ts';
import { KnownLimiterState } from '../../../src/storage/redis/known-limiter-state.ts';

const SETTING: PlanSetting = { plan: 'free', requestsPerMinute: 6, burst: 20 };
const NO_CONTENTION = { underWay: 0, isUnconfirmed: false };
const PRO: LimiterState = { ...INITIAL_LIMITER_STATE, plan: 'pro' };
const down = (state: LimiterState): LimiterState => ({
  ...state,
  breaker: { ...state.breaker, failures: state.breaker.failures + 1 },
});

let known: KnownLimiterState;
beforeEach(() => {
  known = new KnownLimiterState(SETTING, 4);
});

function drain(): number {
  let permits = 0;
  while (known.acquireIsolated('members', NO_CONTENTION).kind === 'permit') permits++;
  return permits;
}

describe('KnownLimiterState', () => {
  it('is isolated at first, with one permit', () => {
    expect(known).toMatchObject({ isIsolated: true, hasJoined: false, setting: { processes: 4 } });
    expect(drain()).toBe(1);
    expect(known.spentWhileIsolated).toBe(1);
  });

  it('is the shared state once joined, with the changes that are not published yet', () => {
    known.join(INITIAL_LIMITER_STATE);
    known.change(down);
    known.change(down);
    known.adopt(PRO);
    expect(known.state).toMatchObject({ plan: 'pro', breaker: { failures: 2 } });
  });

  it('allows no larger burst than that of Free before its first answer, whatever plan is known', () => {
    known = new KnownLimiterState({ plan: 'auto' }, 1);
    known.join(PRO);
    known.isolate(1);
    expect(known.acquireIsolated('members', { ...NO_CONTENTION, underWay: 18, isUnconfirmed: true }).kind).toBe(
      'permit',
    );
    expect(known.acquireIsolated('members', { ...NO_CONTENTION, underWay: 19, isUnconfirmed: true }).kind).toBe('wait');
    expect(known.acquireIsolated('members', { ...NO_CONTENTION, underWay: 19 }).kind).toBe('permit');
  });

  it('hands out its changes once, as one', () => {
    known.join(INITIAL_LIMITER_STATE);
    known.change(down);
    known.change(down);
    const unpublished = known.takeUnpublished();
    expect(unpublished?.before.breaker.failures).toBe(0);
    expect(unpublished?.change(PRO)).toMatchObject({ plan: 'pro', breaker: { failures: 2 } });
    expect(known.takeUnpublished()).toBeUndefined();
  });

  it('is a share again when isolated, and then ignores the shared state', () => {
    known.join(INITIAL_LIMITER_STATE);
    known.isolate(4);
    expect(known.adopt(PRO)).toBe(false);
    expect(known.state.plan).toBeUndefined();
    expect(drain()).toBe(4);
    known.charged();
    expect(known.spentWhileIsolated).toBe(0);
  });

  it('tells whether permits come at other times than before', () => {
    known.join(INITIAL_LIMITER_STATE);
    const paused: LimiterState = {
      ...INITIAL_LIMITER_STATE,
      breaker: { ...INITIAL_LIMITER_STATE.breaker, state: 'open', reason: 'pause', untilMs: 5_000 },
    };
    expect(known.adopt(paused)).toBe(true);
    expect(known.adopt({ ...paused, breaker: { ...paused.breaker, untilMs: 5_002 } })).toBe(false);
    expect(known.adopt(INITIAL_LIMITER_STATE)).toBe(true);
  });

  it('excludes the probe of another process from what is local', () => {
    known.join({
      ...INITIAL_LIMITER_STATE,
      breaker: { state: 'halfOpen', reason: 'pause', sinceMs: 0, untilMs: 1, failures: 1 },
    });
    expect(known.state.breaker.state).toBe('halfOpen');
    expect(known.local.breaker.state).toBe('open');
    known.holdsProbe = true;
    expect(known.local.breaker.state).toBe('halfOpen');
  });
});
