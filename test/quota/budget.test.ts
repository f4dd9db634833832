import { describe, expect, it } from 'vitest';
import { plannedWindows } from '../../src/model/plan.ts';
import { budgetRefusal, foreignCap, memberCap } from '../../src/quota/budget.ts';
import { type Planned, settingOf } from '../support/described.ts';
import { table } from '../table.ts';

const figure = (text: string | undefined) => (text ? Number(text) : undefined);

it.each(table`
  a tenth of the day | | 50000 | 5000
  20 at least | | 200 | 20
  a tenth of a day under 200 | | 100 | 10
  what is configured | 7 | 1000 | 7
  no cap for 0 | 0 | 1000 |
  no cap while the daily limit is unknown | | |
`)('the daily budget of a member is %s', (_, configured, day, cap) => {
  expect(memberCap({ memberDaily: figure(configured) }, figure(day))).toBe(figure(cap));
});

it.each(table`
  a fifth of the day | | 1000 | 200
  20 at least | | 50 | 20
  what is configured | 7 | 1000 | 7
  nothing for 0 | 0 | 1000 | 0
  no cap while the daily limit is unknown | | |
`)('the daily budget of all foreign places is %s', (_, configured, day, cap) => {
  expect(foreignCap({ foreignDaily: figure(configured) }, figure(day))).toBe(figure(cap));
});

describe('a budget', () => {
  const NOTHING = { member: 0, guild: 0 };
  const caps = { member: 20, guild: 100 };

  it.each([
    ['allows the last request', { member: 19, guild: 99 }, NOTHING, undefined],
    ['refuses a member who has spent theirs', { member: 20, guild: 0 }, NOTHING, 'member'],
    ['counts what waits', { member: 18, guild: 0 }, { member: 2, guild: 2 }, 'member'],
    ['refuses a server that has spent its own', { member: 0, guild: 90 }, { member: 0, guild: 10 }, 'server'],
  ])('%s', (_, spent, queued, whose) => {
    expect(budgetRefusal({ caps, spent }, queued)?.whose).toBe(whose);
  });

  it('that all foreign places share is not called that of a server', () => {
    const spent = { caps, spent: { member: 0, guild: 100 }, isForeign: true };
    expect(budgetRefusal(spent, NOTHING)).toMatchObject({ whose: 'foreign', cap: 100 });
  });

  it('of nothing has no time at which there is more', () => {
    const nothing = { caps: { member: 20, guild: 0 }, spent: NOTHING, isForeign: true };
    const refusal = budgetRefusal(nothing, NOTHING);
    expect([refusal?.whose, refusal?.untilMs]).toEqual(['foreign', undefined]);
  });

  it('of one request has more from midnight on', () => {
    const spent = { caps: { member: 1, guild: 100 }, spent: { member: 1, guild: 1 } };
    expect(budgetRefusal(spent, NOTHING)?.untilMs).toBeGreaterThan(Date.now());
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
