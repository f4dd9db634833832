import { expect, it } from 'vitest';
import { plannedWindows } from '../../src/model/quota.ts';
import { budgetRefusal, foreignCap, memberCap } from '../../src/quota/budget.ts';
import { settingOf } from '../support/described.ts';
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
  expect(memberCap(figure(configured), figure(day))).toBe(figure(cap));
});

it.each(table`
  a fifth of the day | | 1000 | 200
  whole requests | | 1003 | 200
  20 at least | | 50 | 20
  what is configured | 7 | 1000 | 7
  nothing for 0 | 0 | 1000 | 0
  no cap while the daily limit is unknown | | |
`)('the daily budget of all foreign places is %s', (_, configured, day, cap) => {
  expect(foreignCap(figure(configured), figure(day))).toBe(figure(cap));
});

const NOTHING = { member: 0, guild: 0 };

// Columns: what the member and the server have spent, and what waits of both
it.each(table`
  allows the last request | 19 | 99 | 0 | 0 | undefined
  refuses a member who has spent theirs | 20 | 0 | 0 | 0 | member
  counts what waits | 18 | 0 | 2 | 2 | member
  refuses a server that has spent its own | 0 | 90 | 0 | 10 | server
`)('a budget %s', (_, member, guild, waitingOfMember, waitingOfGuild, whose) => {
  const spent = { member: Number(member), guild: Number(guild) };
  const queued = { member: Number(waitingOfMember), guild: Number(waitingOfGuild) };
  expect(String(budgetRefusal({ caps: { member: 20, guild: 100 }, spent }, queued)?.whose)).toBe(whose);
});

it('a budget that all foreign places share is not called that of a server', () => {
  const spent = { caps: { member: 20, guild: 100 }, spent: { member: 0, guild: 100 }, isForeign: true };
  expect(budgetRefusal(spent, NOTHING)).toMatchObject({ whose: 'foreign', cap: 100 });
});

it('a budget of nothing has no time at which there is more, and one of one request has more from midnight on', () => {
  const nothing = { caps: { member: 20, guild: 0 }, spent: NOTHING, isForeign: true };
  const refusal = budgetRefusal(nothing, NOTHING);
  expect([refusal?.whose, refusal?.untilMs]).toEqual(['foreign', undefined]);
  const one = { caps: { member: 1, guild: 100 }, spent: { member: 1, guild: 1 } };
  expect(budgetRefusal(one, NOTHING)?.untilMs).toBeGreaterThan(Date.now());
});

it('a budget without caps refuses nothing', () => {
  const none = { caps: { member: undefined, guild: undefined }, spent: { member: 1_000, guild: 1_000 } };
  expect(budgetRefusal(none, { member: 1, guild: 1 })).toBeUndefined();
});

it.each(table`
  the plan’s | free | | 1000
  the first plan’s until the service tells which it is | auto | | 1000
  that of the variable, if set | free | 700 | 700
  not known of a plan without figures | enterprise | |
`)('the day of the configuration is %s', (_, plan = '', requestsPerDay, requests) => {
  expect(plannedWindows(settingOf({ plan, requestsPerDay: figure(requestsPerDay) })).day).toBe(figure(requests));
});
