import { expect, it } from 'vitest';
import type { QuotaState } from '../../src/model/quota.ts';
import { type UsageKnowledge, usageFigures } from '../../src/render/usage-embed.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);
const HOUR_MS = 3_600_000;
const TODAY = { startMs: MIDNIGHT_MS - 24 * HOUR_MS, endMs: MIDNIGHT_MS };
const NOVEMBER = { startMs: Date.UTC(2026, 10, 1), endMs: Date.UTC(2026, 11, 1) };
const REQUESTS = { used: 5, limit: 1_000, remaining: 995 };

function report(agoMs: number, usage: object = { plan: 'free', period: TODAY, requests: REQUESTS }) {
  return { usage, atMs: NOON_MS - agoMs };
}

function headers(agoMs: number, more: Partial<QuotaState> = {}): QuotaState {
  return { limit: 1_000, remaining: 0, resetsAtMs: MIDNIGHT_MS, receivedAtMs: NOON_MS - agoMs, ...more };
}

function figures(known: Partial<UsageKnowledge>) {
  const { today, report, inPeriod } = usageFigures({ report: undefined, quota: undefined, nowMs: NOON_MS, ...known });
  return { left: [today.remaining, today.limit], plan: report?.plan, inPeriod };
}

const NONE = [undefined, undefined];
const plan = 'free';
const requests = REQUESTS;
const PARTLY = { report: report(0, { requests: { used: 5 } }), quota: headers(20, { remaining: 999 }) };
const OTHER_PLAN = { report: report(HOUR_MS), quota: headers(0, { limit: 50_000, remaining: 49_000 }) };
const UNSTATED = { report: report(0, { plan, requests }), nowMs: MIDNIGHT_MS };
const ENDED = { ...TODAY, endMs: NOON_MS - HOUR_MS };
const SEEMED_OVER = { report: report(0, { plan, period: ENDED }), quota: headers(0) };
const MONTHLY = { report: report(0, { plan, period: NOVEMBER, requests }), quota: headers(HOUR_MS) };
const OTHER_REQUESTS = { used: 5, limit: 30_000, remaining: 29_995 };
const OTHER_LIMIT = { report: report(0, { requests: { used: 5, limit: 30_000 } }), quota: headers(0) };
const CONTRADICTORY = { report: report(0, { period: NOVEMBER, requests: { ...REQUESTS, remaining: 1 } }) };

it.each<[string, Partial<UsageKnowledge>, object]>([
  ['are unknown at first', {}, { left: NONE }],
  ['are those of the headers without a report', { quota: headers(0) }, { left: [0, 1_000] }],
  ['are those of the report without headers', { report: report(0) }, { left: [995, 1_000], plan }],
  ['are those of newer headers', { report: report(HOUR_MS), quota: headers(0) }, { left: [0, 1_000], plan }],
  ['are those of a newer report', { report: report(0), quota: headers(HOUR_MS) }, { left: [995, 1_000], plan }],
  ['are those of its own headers', { report: report(0), quota: headers(20) }, { left: [0, 1_000], plan }],
  ['follow from each other', { report: report(0, { requests: { used: 5, limit: 1_000 } }) }, { left: [995, 1_000] }],
  ['are not taken from a part of a report, beside headers', PARTLY, { left: [999, 1_000] }],
  ['leave out a plan of another limit than newer headers', OTHER_PLAN, { left: [49_000, 50_000] }],
  ['leave out a report whose period is over', { report: report(0), nowMs: MIDNIGHT_MS }, { left: NONE }],
  ['leave out a report without a period after midnight', UNSTATED, { left: NONE }],
  ['keep a report that seemed over when it came', SEEMED_OVER, { left: [0, 1_000], plan }],
  ['stand apart for a period that is not the day', MONTHLY, { left: [0, 1_000], plan, inPeriod: REQUESTS }],
  ['stand apart for an unstated period of another limit', OTHER_LIMIT, { left: [0, 1_000], inPeriod: OTHER_REQUESTS }],
  ['do not repeat what the service itself contradicts', CONTRADICTORY, { left: NONE, inPeriod: REQUESTS }],
])('the figures of /usage %s', (_, known, shown) => {
  expect(figures(known)).toEqual({ plan: undefined, inPeriod: undefined, ...shown });
});
