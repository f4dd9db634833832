import { describe, expect, it } from 'vitest';
import { memberCap } from '../../src/quota/budget.ts';

describe('the daily budget of a member', () => {
  it.each([
    ['a tenth of the day', undefined, 50_000, 5_000],
    ['20 at least', undefined, 100, 20],
    ['what is configured', 7, 1_000, 7],
    ['no cap for 0', 0, 1_000, undefined],
    ['no cap while the daily limit is unknown', undefined, undefined, undefined],
  ])('is %s', (_, memberDaily, day, cap) => {
    expect(memberCap({ guildDaily: undefined, memberDaily }, day)).toBe(cap);
  });
});
