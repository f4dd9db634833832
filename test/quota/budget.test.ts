import { describe, expect, it } from 'vitest';
import { plannedWindows } from '../../src/model/plan.ts';
import { budgetRefusal, foreignCap, memberCap } from '../../src/quota/budget.ts';
import { type Planned, settingOf } from '../support/described.ts';

it.each([
  ['a tenth of the day', undefined, 50_000, 5_000],
  ['20 at least', undefined, 200, 20],
  ['a tenth of a day under 200', undefined, 100, 10],
  ['what is configured', 7, 1_000, 7],
  ['no cap for 0', 0, 1_000, undefined],
  ['no cap while the daily limit is unknown', undefined, undefined, undefined],
])('the daily budget of a member is %s', (_, memberDaily, day, cap) => {
  expect(memberCap({ memberDaily }, day)).toBe(cap);
});

it.each([
  ['a fifth of the day', undefined, 1_000, 200],
  ['20 at least', undefined, 50, 20],
  ['what is configured', 7, 1_000, 7],
  ['nothing for 0', 0, 1_000, 0],
  ['no cap while the daily limit is unknown', undefined, undefined, undefined],
])('the daily budget of all foreign places is %s', (_, foreignDaily, day, cap) => {
  expect(foreignCap({ foreignDaily }, day)).toBe(cap);
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

  it('that all foreign places share is not called that of a server', () => {
    const spent = { caps, spent: { member: 0, guild: 100 }, isForeign: true };
    expect(budgetRefusal(spent, { member: 0, guild: 0 })).toMatchObject({ whose: 'foreign', cap: 100 });
  });

  it('of nothing has no time at which there is more', () => {
    const nothing = { caps: { member: 20, guild: 0 }, spent: { member: 0, guild: 0 }, isForeign: true };
    const refusal = budgetRefusal(nothing, { member: 0, guild: 0 });
    expect([refusal?.whose, refusal?.untilMs]).toEqual(['foreign', undefined]);
  });

  it('of one request has more from midnight on', () => {
    const spent = { caps: { member: 1, guild: 100 }, spent: { member: 1, guild: 1 } };
    expect(budgetRefusal(spent, { member: 0, guild: 0 })?.untilMs).toBeGreaterThan(Date.now());
  });

  it('without caps refuses nothing', () => {
    const none = { caps: { member: undefined, guild: undefined }, spent: { member: 1_000, guild: 1_000 } };
    expect(budgetRefusal(none, { member: 1, guild: 1 })).toBeUndefined();
  });
});

it.each<[string, Planned, number | undefined]>([
  ['the plan’s', { plan: 'free' }, 1_000],
  ['the first plan’s until the service tells which it is', { plan: 'auto' }, 1_000],
  ['that of the variable, if set', { plan: 'free', requestsPerDay: 700 }, 700],
  ['not known of a plan without figures', { plan: 'enterprise' }, undefined],
])('the day of the configuration is %s', (_, planned, requests) => {
  expect(plannedWindows(settingOf(planned)).day).toBe(requests);
});
