import { describe, expect, it } from 'vitest';
import { type Breaker, type BreakerReason, CLOSED_BREAKER } from '../../../src/model/quota.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../../src/quota/limiter-state.ts';
import { rejoined } from '../../../src/storage/redis/rejoin.ts';

const HOUR_MS = 3_600_000;

function opened(reason: BreakerReason, untilMs: number): Breaker {
  return { state: 'open', reason, sinceMs: 0, untilMs, failures: 1 };
}

function quota(remaining: number | undefined, receivedAtMs: number, resetsAtMs: number | undefined = HOUR_MS) {
  return { limit: 1_000, remaining, resetsAtMs, receivedAtMs };
}

describe('what is known after a time alone', () => {
  it('is what one knew, when nothing is known there', () => {
    const own: LimiterState = { ...INITIAL_LIMITER_STATE, breaker: opened('day', 9) };
    expect(rejoined(undefined, own)).toBe(own);
  });

  it.each<[string, Breaker, Breaker, Breaker]>([
    ['theirs, when ours is over', opened('pause', 5), CLOSED_BREAKER, opened('pause', 5)],
    ['ours, when theirs is over', CLOSED_BREAKER, opened('pause', 5), opened('pause', 5)],
    ['the longer, if that is theirs', opened('day', 9), opened('pause', 5), opened('day', 9)],
    ['the longer, if that is ours', opened('pause', 5), opened('outage', 9), opened('outage', 9)],
    ['none, when nobody has one', CLOSED_BREAKER, CLOSED_BREAKER, CLOSED_BREAKER],
  ])('of pauses is %s', (_, there, own, both) => {
    expect(
      rejoined({ ...INITIAL_LIMITER_STATE, breaker: there }, { ...INITIAL_LIMITER_STATE, breaker: own }).breaker,
    ).toEqual(both);
  });

  it.each([
    ['the lower, if it is older', quota(300, 1), quota(400, 2), 300],
    ['the lower, if it is newer', quota(300, 1), quota(200, 2), 200],
    ['that of the later window', quota(0, 1), quota(999, 2, 25 * HOUR_MS), 999],
    ['the only one', undefined, quota(400, 2), 400],
    ['one that is known', quota(300, 1), quota(undefined, 2), 300],
    ['of no window the lower', quota(300, 1), { ...quota(400, 2), resetsAtMs: undefined }, 300],
  ])('of figures is %s', (_, a, b, remaining) => {
    for (const [there, own] of [
      [a, b],
      [b, a],
    ]) {
      expect(
        rejoined({ ...INITIAL_LIMITER_STATE, quota: there }, { ...INITIAL_LIMITER_STATE, quota: own }).quota?.remaining,
      ).toBe(remaining);
    }
  });

  it.each([
    ['the smaller of one window', 9, HOUR_MS, 4, HOUR_MS, 4],
    ['that of the later window', 4, HOUR_MS, 9, 2 * HOUR_MS, 9],
  ])('of learnt bursts is %s', (_, capacityA, untilA, capacityB, untilB, capacity) => {
    const a = { ...INITIAL_LIMITER_STATE, learnedBurst: { capacity: capacityA, untilMs: untilA } };
    const b = { ...INITIAL_LIMITER_STATE, learnedBurst: { capacity: capacityB, untilMs: untilB } };
    expect([rejoined(a, b).learnedBurst?.capacity, rejoined(b, a).learnedBurst?.capacity]).toEqual([
      capacity,
      capacity,
    ]);
    expect(rejoined(INITIAL_LIMITER_STATE, a).learnedBurst?.capacity).toBe(capacityA);
  });
});
