import { describe, expect, it } from 'vitest';
import { refusedWaitMs } from '../../../src/discord/gateway/identify-wait.ts';

describe('the wait after an identify that was refused', () => {
  it.each([
    ['is over when whoever was first no longer counts, and a second', 1, 0, 6_000],
    ['is up to four seconds longer, at random', 1, 1, 10_000],
    ['spreads twice as wide after the next', 2, 1, 14_000],
    ['is no longer for the luckiest', 9, 0, 6_000],
    ['is 100 s in the mean after many, so that no day has 1,000 of them', 50, 0.5, 100_000],
  ])('%s', (_, refusals, random, waitMs) => {
    expect(refusedWaitMs(refusals, () => random)).toBe(waitMs);
  });
});
