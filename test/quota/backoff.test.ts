import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, pauseMs, withJitter } from '../../src/quota/backoff.ts';

describe('backoffMs', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [9, 256_000],
    [10, 300_000],
    [5_000, 300_000],
  ])('after %d failures in a row is %d ms', (failures, waitMs) => {
    expect(backoffMs(failures)).toBe(waitMs);
  });
});

describe('pauseMs', () => {
  it.each<[string, number | undefined, number, number]>([
    ['what is stated', 7_000, 1, 7_000],
    ['what is stated, when that is longer than the back-off', 20_000, 3, 20_000],
    ['the back-off, when a statement has failed before', 1_000, 4, 8_000],
    ['the back-off without a statement', undefined, 2, 2_000],
    ['a moment, when the stated wait is none', 0, 1, 250],
  ])('is %s', (_, statedMs, failures, waitMs) => {
    expect(pauseMs(statedMs, failures)).toBe(waitMs);
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
