import { describe, expect, it } from 'vitest';
import {
  arrive,
  type Counted,
  NOTHING_COUNTED,
  passTime,
  type Rate,
  type Ruling,
  remaining,
  SERVICE_LIMITERS,
  type ServiceLimiter,
} from '../../../sandbox/service/limiters.ts';

const RATE: Rate = { requestsPerMinute: 3, burst: 2 };

/** Requests at these seconds, each as its delay (`+0`) or the wait that a 429 states (`!20`), in seconds. */
function rulings(limiter: ServiceLimiter, ...atSeconds: number[]): string {
  let counted: Counted = NOTHING_COUNTED;
  const words = atSeconds.map((seconds) => {
    let ruling: Ruling;
    ({ ruling, counted } = arrive(passTime(counted, limiter, RATE, seconds * 1_000), limiter, RATE));
    return 'delayMs' in ruling ? `+${ruling.delayMs / 1_000}` : `!${ruling.retryAfterMs / 1_000}`;
  });
  return words.join(' ');
}

describe('a limiter of 3 a minute, burst 2', () => {
  it.each<[ServiceLimiter, string, number[], string]>([
    ['token bucket', 'allows the burst at once and then the rate', [0, 0, 0, 15, 20, 20], '+0 +0 !20 !5 +0 !20'],
    ['token bucket', 'saves no more than the burst', [0, 500, 500, 500], '+0 +0 +0 !20'],
    ['fixed window', 'allows the rate in a minute from a request on', [30, 40, 89, 89, 90], '+0 +0 +0 !1 +0'],
    ['fixed window', 'allows twice the rate about a border', [0, 59, 59, 60, 60, 60, 60], '+0 +0 +0 +0 +0 +0 !60'],
    ['fixed window', 'does not count what it refuses', [0, 0, 0, 30, 60, 60, 60], '+0 +0 +0 !30 +0 +0 +0'],
    ['delaying', 'answers one by one, and refuses when the burst waits', [0, 0, 0, 0], '+0 +20 +40 !20'],
    ['delaying', 'delays nobody at its pace', [0, 20, 40, 41], '+0 +0 +0 +19'],
  ])('%s %s', (limiter, _, atSeconds, expected) => {
    expect(rulings(limiter, ...atSeconds)).toBe(expected);
  });

  it.each(SERVICE_LIMITERS)('%s: as many at once as remain, and one more after the stated wait', (limiter) => {
    let counted = passTime(NOTHING_COUNTED, limiter, RATE, 0);
    const expected = remaining(counted, limiter, RATE);
    for (let left = expected; left > 0; left--) {
      expect(remaining(counted, limiter, RATE)).toBe(left);
      ({ counted } = arrive(counted, limiter, RATE));
    }
    const refused = arrive(counted, limiter, RATE);
    if (!('retryAfterMs' in refused.ruling)) throw new Error('more than remained');
    const later = passTime(refused.counted, limiter, RATE, refused.ruling.retryAfterMs);
    expect(arrive(later, limiter, RATE).ruling).toHaveProperty('delayMs');
  });

  it.each(SERVICE_LIMITERS)('allows nothing more when its clock is set back: %s', (limiter) => {
    let counted = passTime(NOTHING_COUNTED, limiter, RATE, 0);
    while (remaining(counted, limiter, RATE) > 0) ({ counted } = arrive(counted, limiter, RATE));
    expect(remaining(passTime(counted, limiter, RATE, -60_000), limiter, RATE)).toBe(0);
  });
});
