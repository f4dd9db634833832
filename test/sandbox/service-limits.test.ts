import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanLimits } from '../../src/model/plan.ts';
import { remaining } from '../../src/sandbox/service-limiters.ts';
import {
  admit,
  advance,
  changeLimiter,
  dayRemaining,
  freshLimits,
  type LimitState,
  limitsOf,
  spend,
} from '../../src/sandbox/service-limits.ts';
import { nextUtcMidnightMs } from '../../src/time/utc-day.ts';

const minuteRemaining = ({ minute, limiter }: LimitState, limits: PlanLimits) => remaining(minute, limiter, limits);

const NOON_MS = Date.UTC(2030, 0, 1, 12);
const MIDNIGHT_MS = Date.UTC(2030, 0, 2);
const FREE = limitsOf('free');

function spent(times: number, limits = FREE) {
  let state = freshLimits(NOON_MS, nextUtcMidnightMs);
  for (let index = 0; index < times; index++) state = spend(state);
  return { state, limits };
}

describe('the limits of the service', () => {
  it.each([
    ['a full bucket', 0, { allowed: true, delayMs: 0 }],
    ['the last token', 19, { allowed: true, delayMs: 0 }],
    ['an empty bucket', 20, { allowed: false, reason: 'minute', retryAfterMs: 6_000 }],
    ['a bucket three short', 22, { allowed: false, reason: 'minute', retryAfterMs: 18_000 }],
    ['a spent day', 1_000, { allowed: false, reason: 'day', retryAfterMs: MIDNIGHT_MS - NOON_MS }],
  ])('judge %s', (_, times, verdict) => {
    const { state, limits } = spent(times);
    expect(admit(state, limits).verdict).toEqual(verdict);
  });

  it('reset the day and keep the bucket', () => {
    const { state, limits } = spent(1_000);
    const next = advance(state, limits, MIDNIGHT_MS, nextUtcMidnightMs);
    expect(dayRemaining(next, limits)).toBe(1_000);
    expect(next.resetsAtMs).toBe(Date.UTC(2030, 0, 3));
  });

  it('keep the usage when the plan changes', () => {
    const { state } = spent(20);
    expect(dayRemaining(state, limitsOf('pro'))).toBe(49_980);
    expect(minuteRemaining(state, limitsOf('pro'))).toBe(180);
    expect(dayRemaining(spent(20).state, limitsOf('free', { requestsPerDay: 5 }))).toBe(0);
  });

  it('begin with nothing counted in the minute when the limiter changes, and keep the day', () => {
    const { state, limits } = spent(20);
    const changed = changeLimiter(state, 'fixed window');
    expect([minuteRemaining(changed, limits), dayRemaining(changed, limits)]).toEqual([10, 980]);
  });

  it.each([
    ['requestsPerMinute', 0],
    ['burst', 0.5],
    ['requestsPerDay', Number.NaN],
    ['burst', Number.POSITIVE_INFINITY],
  ])('refuse %s of %d with a sentence', (name, value) => {
    expect(() => limitsOf('free', { [name]: value })).toThrow(`${name} must be a number of at least 1, not ${value}.`);
  });

  it('never allow more than burst + rate × time, and never refuse longer than stated', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 });
    const figures = fc.record({
      requestsPerMinute: fc.integer({ min: 1, max: 500 }),
      burst: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(waits, figures, (waitsMs, replaced) => {
        const limits = limitsOf('business', replaced);
        let state = freshLimits(NOON_MS, nextUtcMidnightMs);
        let [nowMs, allowed] = [NOON_MS, 0];
        for (const waitMs of waitsMs) {
          nowMs += waitMs;
          state = advance(state, limits, nowMs, nextUtcMidnightMs);
          const { verdict, state: next } = admit(state, limits);
          state = next;
          if (verdict.allowed) {
            allowed += 1;
          } else {
            const later = advance(state, limits, nowMs + verdict.retryAfterMs, nextUtcMidnightMs);
            expect(admit(later, limits).verdict.allowed).toBe(true);
          }
          const most = limits.burst + ((nowMs - NOON_MS) * limits.requestsPerMinute) / 60_000;
          expect(allowed).toBeLessThanOrEqual(most + 0.001);
        }
      }),
    );
  });
});
