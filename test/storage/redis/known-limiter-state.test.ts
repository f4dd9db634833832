import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanSetting } from '../../../src/model/plan.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../../src/quota/limiter-state.ts';
import { KnownLimiterState } from '../../../src/storage/redis/known-limiter-state.ts';

const SETTING: PlanSetting = { plan: 'free', requestsPerMinute: 6, burst: 20 };
const NOBODY = { politeMs: 0, underWay: 0, isUnheard: false };
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
  while (known.takeAlone('members', NOBODY).kind === 'permit') permits++;
  return permits;
}

describe('what a process knows', () => {
  it('is its own at first, with one turn', () => {
    expect(known).toMatchObject({ isAlone: true, everJoined: false, setting: { processes: 4 } });
    expect(drain()).toBe(1);
    expect(known.spentAlone).toBe(1);
  });

  it('is what all know once it has joined, with its own changes that they have not heard of', () => {
    known.join(INITIAL_LIMITER_STATE);
    known.change(down);
    known.change(down);
    known.hear(PRO);
    expect(known.state).toMatchObject({ plan: 'pro', breaker: { failures: 2 } });
  });

  it('lets no larger burst leave than that of Free before its first answer, whatever plan it has heard of', () => {
    known = new KnownLimiterState({ plan: 'auto' }, 1);
    known.join(PRO);
    known.part(1);
    expect(known.takeAlone('members', { ...NOBODY, underWay: 18, isUnheard: true }).kind).toBe('permit');
    expect(known.takeAlone('members', { ...NOBODY, underWay: 19, isUnheard: true }).kind).toBe('wait');
    expect(known.takeAlone('members', { ...NOBODY, underWay: 19 }).kind).toBe('permit');
  });

  it('gives its changes away once, as one', () => {
    known.join(INITIAL_LIMITER_STATE);
    known.change(down);
    known.change(down);
    const unshared = known.takeUnshared();
    expect(unshared?.before.breaker.failures).toBe(0);
    expect(unshared?.change(PRO)).toMatchObject({ plan: 'pro', breaker: { failures: 2 } });
    expect(known.takeUnshared()).toBeUndefined();
  });

  it('is its own part again when it parts, and what all know says nothing then', () => {
    known.join(INITIAL_LIMITER_STATE);
    known.part(4);
    expect(known.hear(PRO)).toBe(false);
    expect(known.state.plan).toBeUndefined();
    expect(drain()).toBe(4);
    known.charged();
    expect(known.spentAlone).toBe(0);
  });

  it('says whether turns come at other times than it seemed', () => {
    known.join(INITIAL_LIMITER_STATE);
    const paused: LimiterState = {
      ...INITIAL_LIMITER_STATE,
      breaker: { ...INITIAL_LIMITER_STATE.breaker, state: 'open', reason: 'pause', untilMs: 5_000 },
    };
    expect(known.hear(paused)).toBe(true);
    expect(known.hear({ ...paused, breaker: { ...paused.breaker, untilMs: 5_002 } })).toBe(false);
    expect(known.hear(INITIAL_LIMITER_STATE)).toBe(true);
  });

  it("claims no probe of another's as its own", () => {
    known.join({
      ...INITIAL_LIMITER_STATE,
      breaker: { state: 'halfOpen', reason: 'pause', sinceMs: 0, untilMs: 1, failures: 1 },
    });
    expect(known.state.breaker.state).toBe('halfOpen');
    expect(known.own.breaker.state).toBe('open');
    known.holdsProbe = true;
    expect(known.own.breaker.state).toBe('halfOpen');
  });
});
