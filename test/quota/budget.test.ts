import { describe, expect, it } from 'vitest';
import { budgetRefusal, memberCap } from '../../src/quota/budget.ts';

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

describe('a budget', () => {
  const caps = { member: 20, guild: 100 };

  it.each([
    ['allows the last request', { member: 19, guild: 99 }, { member: 0, guild: 0 }, undefined],
    ['refuses a member who has spent theirs', { member: 20, guild: 0 }, { member: 0, guild: 0 }, 'member'],
    ['counts what waits', { member: 18, guild: 0 }, { member: 2, guild: 2 }, 'member'],
    ['refuses a server that has spent its own', { member: 0, guild: 90 }, { member: 0, guild: 10 }, 'server'],
  ])('%s', (_, spent, queued, whose) => {
    expect(budgetRefusal({ caps, spent }, queued)?.whose).toBe(whose);
  });

  it('without caps refuses nothing', () => {
    const none = { caps: { member: undefined, guild: undefined }, spent: { member: 1_000, guild: 1_000 } };
    expect(budgetRefusal(none, { member: 1, guild: 1 })).toBeUndefined();
  });
});
