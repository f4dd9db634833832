import { expect, it } from 'vitest';
import { viewOf as viewOfLimiter } from '../../src/limiter/limiter.ts';
import { at, INITIAL_STATE, type Trouble } from '../../src/limiter/state.ts';
import type { QuotaState, WindowQuota } from '../../src/model/quota.ts';
import { type RenewalFacts, renewalPlan } from '../../src/watches/renewals.ts';
import { settingOf } from '../support/described.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const RESET_MS = Date.UTC(2026, 10, 22);
const NOW_MS = RESET_MS - 20 * MINUTE_MS;
const QUOTA = { limit: 1_000, remaining: 400, resetsAtMs: RESET_MS, receivedAtMs: NOW_MS - MINUTE_MS };
const FACTS: RenewalFacts = {
  nowMs: NOW_MS,
  view: viewOf(QUOTA),
  hasWindow: true,
  isMemberWaiting: false,
  mostTogether: 1_000,
};
const LOOK_AGAIN = { waitUntilMs: NOW_MS + MINUTE_MS };
const NOT_TODAY = { waitUntilMs: RESET_MS };
const PAUSE: Trouble = { kind: 'pause', beganMs: NOW_MS, untilMs: NOW_MS + 1, inARow: 1 };
const send = (cards: number) => ({ cards });
const known = (more: Partial<QuotaState>) => ({ view: viewOf({ ...QUOTA, ...more }) });
/** The day, and another window that ends in ten days, or with the day. */
function besides(window: Pick<WindowQuota, 'per' | 'limit' | 'remaining'>): Pick<RenewalFacts, 'view'> {
  const resetsAtMs = window.per === 'month' ? NOW_MS + 10 * 24 * HOUR_MS : RESET_MS;
  const view = viewOf(QUOTA);
  const windows = [...view.windows, { ...window, resetsAtMs, receivedAtMs: NOW_MS }];
  return { view: { windows, trouble: view.trouble, storeAwaitedUntilMs: view.storeAwaitedUntilMs } };
}

function viewOf(
  stated: QuotaState | undefined,
  { trouble, awayForMs }: { trouble?: Trouble; awayForMs?: number } = {},
) {
  const state = { ...INITIAL_STATE, trouble, windows: { day: { stated, counted: undefined } } };
  const flow = { underWay: 0, isProbing: false, ahead: 0, answersTakeMs: 0 };
  const terms = { setting: settingOf(), longestWaitMs: 300_000 };
  return viewOfLimiter(at(state, terms, NOW_MS), flow, awayForMs && NOW_MS + awayForMs);
}

it.each<[string, Partial<RenewalFacts>, object]>([
  ['what remains beyond twice the reserve', {}, send(300)],
  ['nothing while no more remains', known({ remaining: 100 }), NOT_TODAY],
  ['nothing before the last two hours', { nowMs: RESET_MS - 3 * HOUR_MS }, { waitUntilMs: RESET_MS - 2 * HOUR_MS }],
  ['nothing that may leave after the reset', { nowMs: RESET_MS - 2 * MINUTE_MS + 1 }, NOT_TODAY],
  ['as much until two minutes before it', { nowMs: RESET_MS - 2 * MINUTE_MS }, send(300)],
  ['nothing of a spent day', known({ remaining: 0 }), NOT_TODAY],
  [
    'nothing that a month would not lose',
    besides({ per: 'month', limit: 3_000, remaining: 2_600 }),
    { waitUntilMs: NOW_MS + 10 * 24 * HOUR_MS - 2 * HOUR_MS },
  ],
  ['no more of an hour than it spares', besides({ per: 'hour', limit: 100, remaining: 60 }), send(40)],
  ['nothing of an unknown day', { view: viewOf(undefined) }, LOOK_AGAIN],
  ['one card where there is no day', { view: viewOf(undefined), hasWindow: false }, send(1)],
  ['none there while a member waits', { view: viewOf(undefined), hasWindow: false, isMemberWaiting: true }, LOOK_AGAIN],
  ['of a day that answers state, as of any other', { hasWindow: false }, send(300)],
  ['nothing when it is not known what remains', known({ remaining: undefined }), LOOK_AGAIN],
  ['nothing while the circuit breaker is open', { view: viewOf(QUOTA, { trouble: PAUSE }) }, LOOK_AGAIN],
  ['nothing while other processes cannot be reached', { view: viewOf(QUOTA, { awayForMs: 1 }) }, LOOK_AGAIN],
  ['nothing while a member waits', { isMemberWaiting: true }, LOOK_AGAIN],
  ['one where there are no lists', { mostTogether: 1 }, send(1)],
  ['as many as a list may carry', { mostTogether: 20 }, send(20)],
  ['without a stated reset until midnight UTC', known({ resetsAtMs: undefined }), send(300)],
])('spends %s', (_, facts, plan) => {
  expect(renewalPlan({ ...FACTS, ...facts })).toEqual(plan);
});
