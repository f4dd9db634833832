import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitsOf, ServiceQuota } from '../../../sandbox/service/quota.ts';
import { nextUtcMidnightMs } from '../../../src/time.ts';

const NOON_MS = Date.UTC(2030, 0, 1, 12);
const MIDNIGHT_MS = Date.UTC(2030, 0, 2);

function counted(times: number, limits = limitsOf('free')) {
  const clock = { nowMs: NOON_MS };
  const quota = new ServiceQuota(limits, () => clock.nowMs, nextUtcMidnightMs);
  for (let index = 0; index < times; index++) quota.count();
  return { quota, clock };
}

describe('the limits of the service', () => {
  it('judge by the last token, by what a bucket is short of, and by a day that is spent', () => {
    const rulings = [19, 22, 1_000].map((times) => counted(times).quota.admit());
    expect(rulings).toEqual([{ delayMs: 0 }, { retryAfterMs: 18_000 }, { retryAfterMs: MIDNIGHT_MS - NOON_MS }]);
  });

  it('reset the day and keep the bucket', () => {
    const { quota, clock } = counted(0);
    clock.nowMs = MIDNIGHT_MS - 1;
    for (let index = 0; index < 20; index++) quota.count();
    clock.nowMs = MIDNIGHT_MS;
    const resetsAtMs = Date.UTC(2030, 0, 3);
    expect(quota.figures()).toMatchObject({ dayRemaining: 1_000, minuteRemaining: 0, resetsAtMs });
  });

  it('keep the usage when the plan changes', () => {
    const { quota } = counted(20);
    quota.changePlan('pro');
    expect(quota.figures()).toMatchObject({ dayRemaining: 49_980, minuteRemaining: 180 });
    expect(counted(20, limitsOf('free', { requestsPerDay: 5 })).quota.figures().dayRemaining).toBe(0);
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
        const { quota, clock } = counted(0, limits);
        let [allowed, freeAtMs] = [0, 0];
        for (const waitMs of waitsMs) {
          clock.nowMs += waitMs;
          const ruling = quota.admit();
          if ('retryAfterMs' in ruling) {
            freeAtMs ||= clock.nowMs + ruling.retryAfterMs;
            expect(clock.nowMs).toBeLessThan(freeAtMs);
          } else {
            allowed += 1;
            freeAtMs = 0;
          }
          const most = limits.burst + ((clock.nowMs - NOON_MS) * limits.requestsPerMinute) / 60_000;
          expect(allowed).toBeLessThanOrEqual(most + 0.001);
        }
      }),
    );
  });
});
