import { describe, expect, it } from 'vitest';
import { pauseMs } from '../../src/quota/rate-limit-pause.ts';

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
