import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  arrive,
  NOTHING_COUNTED,
  passTime,
  type Rate,
  remaining,
  SERVICE_LIMITERS,
  type ServiceLimiter,
} from '../../../sandbox/service/limiters.ts';
import { table } from '../../table.ts';

const RATE: Rate = { requestsPerMinute: 3, burst: 2 };

/** Requests at these seconds, each as its delay (`+0`) or the wait that a 429 states (`!20`), in seconds. */
function rulings(limiter: ServiceLimiter, atSeconds: readonly string[]): string {
  let counted = NOTHING_COUNTED;
  const words = atSeconds.map((seconds) => {
    const arrived = arrive(passTime(counted, limiter, RATE, Number(seconds) * 1_000), limiter, RATE);
    const { ruling } = arrived;
    counted = arrived.counted;
    return 'delayMs' in ruling ? `+${ruling.delayMs / 1_000}` : `!${ruling.retryAfterMs / 1_000}`;
  });
  return words.join(' ');
}

it.each(table`
  token bucket | allows the burst at once and then the rate | 0 0 0 15 20 20 | +0 +0 !20 !5 +0 !20
  token bucket | saves no more than the burst | 0 500 500 500 | +0 +0 +0 !20
  fixed window | allows the rate in a minute from a request on | 30 40 89 89 90 | +0 +0 +0 !1 +0
  fixed window | allows twice the rate about a border | 0 59 59 60 60 60 60 | +0 +0 +0 +0 +0 +0 !60
  fixed window | does not count what it refuses | 0 0 0 30 60 60 60 | +0 +0 +0 !30 +0 +0 +0
  delaying | answers one by one, and refuses when the burst waits | 0 0 0 0 | +0 +20 +40 !20
  delaying | delays nobody at its pace | 0 20 40 41 | +0 +0 +0 +19
`)('a limiter of 3 a minute, burst 2: %s %s', (limiter, _, atSeconds = '', expected) => {
  expect(rulings(limiter as ServiceLimiter, atSeconds.split(' '))).toBe(expected);
});

it.each(SERVICE_LIMITERS)(
  '%s: as many at once as remain, none more when its clock is set back, and one after the stated wait',
  (limiter) => {
    let counted = passTime(NOTHING_COUNTED, limiter, RATE, 0);
    for (let left = remaining(counted, limiter, RATE); left > 0; left--) {
      expect(remaining(counted, limiter, RATE)).toBe(left);
      ({ counted } = arrive(counted, limiter, RATE));
    }
    expect(remaining(passTime(counted, limiter, RATE, -60_000), limiter, RATE)).toBe(0);
    const refused = arrive(counted, limiter, RATE);
    if (!('retryAfterMs' in refused.ruling)) throw new Error('more than remained');
    const later = passTime(refused.counted, limiter, RATE, refused.ruling.retryAfterMs);
    expect(arrive(later, limiter, RATE).ruling).toHaveProperty('delayMs');
  },
);

it('a token bucket never allows more than burst + rate × time, and never refuses longer than stated', () => {
  const waits = fc.array(fc.nat(20_000), { maxLength: 200 });
  fc.assert(
    fc.property(
      waits,
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 30 }),
      (waitsMs, requestsPerMinute, burst) => {
        const rate = { requestsPerMinute, burst };
        let [counted, nowMs, allowed, freeAtMs] = [NOTHING_COUNTED, 0, 0, Infinity];
        for (const waitMs of waitsMs) {
          nowMs += waitMs;
          const { ruling, ...after } = arrive(passTime(counted, 'token bucket', rate, nowMs), 'token bucket', rate);
          counted = after.counted;
          if ('retryAfterMs' in ruling) {
            expect(nowMs).toBeLessThan(freeAtMs);
            freeAtMs = Math.min(freeAtMs, nowMs + ruling.retryAfterMs);
          } else {
            allowed++;
            freeAtMs = Infinity;
          }
          expect(allowed).toBeLessThanOrEqual(burst + (nowMs * requestsPerMinute) / 60_000 + 0.001);
        }
      },
    ),
  );
});
