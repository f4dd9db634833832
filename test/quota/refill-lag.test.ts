import { describe, expect, it } from 'vitest';
import { RefillLag } from '../../src/quota/refill-lag.ts';

const NOW_MS = 1_000_000;

describe('the lag of a bucket that was full', () => {
  it.each([
    [0, 0],
    [30, 30],
    [250, 250],
    [10_000, 250], // the service took its time; it had the request long before
    [-5, 0], // the clock was set back
  ])(
    "is the time until the first request has ended, and not the service's own time: after %d ms, %d ms",
    (afterMs, lagMs) => {
      const lag = new RefillLag();
      lag.tookFromFull(NOW_MS);
      expect(lag.arrived(NOW_MS + afterMs)).toBe(lagMs);
    },
  );

  it('counts once, from the first token', () => {
    const lag = new RefillLag();
    lag.tookFromFull(NOW_MS);
    lag.tookFromFull(NOW_MS + 20);
    expect([lag.arrived(NOW_MS + 50), lag.arrived(NOW_MS + 60)]).toEqual([50, 0]);
  });

  it('is none of a bucket that was not full', () => {
    expect(new RefillLag().arrived(NOW_MS)).toBe(0);
  });
});
