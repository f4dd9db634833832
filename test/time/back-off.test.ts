import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOffMs, withJitter } from '../../src/time/back-off.ts';

describe('backOffMs', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [9, 256_000],
    [10, 300_000],
    [5_000, 300_000],
  ])('after %d failures in a row is %d ms', (failures, waitMs) => {
    expect(backOffMs(failures, { firstMs: 1_000, longestMs: 300_000 })).toBe(waitMs);
  });
});

describe('withJitter', () => {
  it('is later by at most a fifth and 2 s, and never sooner', () => {
    const waits = fc.integer({ min: 0, max: 2_678_400_000 });
    fc.assert(
      fc.property(waits, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (waitMs, random) => {
        const laterMs = withJitter(waitMs, random) - waitMs;
        expect(laterMs).toBeGreaterThanOrEqual(0);
        expect(laterMs).toBeLessThanOrEqual(Math.min(2_000, waitMs * 0.2 + 1e-6));
      }),
    );
  });
});
