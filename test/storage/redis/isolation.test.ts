import { describe, expect, it } from 'vitest';
import type { PlanSetting } from '../../../src/model/plan.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../../src/quota/limiter-state.ts';
import { takeToken } from '../../../src/quota/token-bucket.ts';
import { dividedFullAtMs, parted } from '../../../src/storage/redis/isolation.ts';

const NOW_MS = 1_000_000_000;
const WHOLE = { intervalMs: 1_000, capacity: 19 };
const SETTING: PlanSetting = { plan: 'free', requestsPerMinute: 60, burst: 20 };
const PROBED: LimiterState = {
  ...INITIAL_LIMITER_STATE,
  breaker: { state: 'halfOpen', reason: 'pause', sinceMs: NOW_MS, untilMs: NOW_MS, failures: 1 },
};

describe('a divided bucket', () => {
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
    'that was %s gives each of %i processes what is left, rounded down (%d short: %i)',
    (_, processes, short, tokens) => {
      const part = { intervalMs: 1_000 * processes, capacity: Math.max(1, Math.floor(19 / processes)) };
      const whole = WHOLE;
      let fullAtMs: number | undefined = dividedFullAtMs(NOW_MS + short * 1_000, {
        whole,
        part,
        processes,
        nowMs: NOW_MS,
      });
      let taken = -1;
      for (; fullAtMs !== undefined; taken++) fullAtMs = takeToken(fullAtMs, NOW_MS, part);
      expect(taken).toBe(tokens);
    },
  );
});

describe('a process that parts', () => {
  const parting = { setting: SETTING, processes: 4, everJoined: true, ownProbe: false, nowMs: NOW_MS };

  it('paces to its part of the plan', () => {
    expect(parted(INITIAL_LIMITER_STATE, parting).setting).toEqual({ ...SETTING, processes: 4 });
  });

  it('does not wait for the probe of another, but for its own', () => {
    expect(parted(PROBED, parting).state.breaker).toEqual({ ...PROBED.breaker, state: 'open' });
    expect(parted(PROBED, { ...parting, ownProbe: true }).state.breaker.state).toBe('halfOpen');
  });

  it('has one token if it has never heard of the others', () => {
    const { state } = parted(INITIAL_LIMITER_STATE, { ...parting, everJoined: false });
    const part = { intervalMs: 4_000, capacity: 4 };
    const afterOne = takeToken(state.fullAtMs, NOW_MS, part);
    expect(afterOne).toBeDefined();
    expect(takeToken(afterOne ?? 0, NOW_MS, part)).toBeUndefined();
  });
});
