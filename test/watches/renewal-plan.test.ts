import { expect, it } from 'vitest';
import { type Breaker, CLOSED_BREAKER, type QuotaState, type WindowQuota } from '../../src/model/quota.ts';
import { INITIAL_LIMITER_STATE } from '../../src/quota/limiter-state.ts';
import { StateView } from '../../src/quota/limiter-view.ts';
import { type RenewalFacts, renewalPlan } from '../../src/watches/renewal-plan.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const RESET_MS = Date.UTC(2026, 10, 22);
/** So late that lists need not be full. */
const NOW_MS = RESET_MS - 20 * MINUTE_MS;
const QUOTA = { limit: 1_000, remaining: 400, resetsAtMs: RESET_MS, receivedAtMs: NOW_MS - MINUTE_MS };
const FACTS: RenewalFacts = {
  nowMs: NOW_MS,
  view: viewOf(QUOTA),
  hasWindow: true,
  isMemberWaiting: false,
  usual: [80, 100, 20],
  usualDays: [60, 100],
  lately: 10,
  lastSentAtMs: undefined,
  mostTogether: 1_000,
};
const LOOK_AGAIN = { waitUntilMs: NOW_MS + MINUTE_MS };
const NOT_TODAY = { waitUntilMs: RESET_MS };
const OPEN = { ...CLOSED_BREAKER, state: 'open', reason: 'pause', untilMs: NOW_MS + 1 } as const;
const send = (cards: number) => ({ cards });
const known = (more: Partial<QuotaState>) => ({ view: viewOf({ ...QUOTA, ...more }) });
/** Half an hour before the reset. */
const EARLIER_MS = RESET_MS - 30 * MINUTE_MS;
const earlier = (mostTogether: number, receivedAtMs = EARLIER_MS) => ({
  nowMs: EARLIER_MS,
  mostTogether,
  ...known({ receivedAtMs }),
});
const OLD = { receivedAtMs: NOW_MS - 10 * MINUTE_MS - 1 };

/** The day, and another window that ends in ten days, or with the day. */
function besides(window: Pick<WindowQuota, 'per' | 'limit' | 'remaining'>): Pick<RenewalFacts, 'view'> {
  const resetsAtMs = window.per === 'month' ? NOW_MS + 10 * 24 * HOUR_MS : RESET_MS;
  const view = viewOf(QUOTA);
  const windows = [...view.windows, { ...window, resetsAtMs, receivedAtMs: NOW_MS }];
  return { view: { windows, breaker: view.breaker, isIsolated: view.isIsolated } };
}

function viewOf(
  quota: QuotaState | undefined,
  { breaker = CLOSED_BREAKER, processes }: { breaker?: Breaker; processes?: number } = {},
) {
  const facts = { underWay: 0, isUnconfirmed: false, longestWaitMs: 300_000, answersTakeMs: 0 };
  const setting = { plan: 'free', ...(processes && { processes }) } as const;
  return new StateView({ ...facts, state: { ...INITIAL_LIMITER_STATE, quota, breaker }, setting }, NOW_MS);
}

it.each<[string, Partial<RenewalFacts>, object]>([
  ['what remains beyond the reserve and twice the most that was usual', {}, send(150)],
  ['nothing that members may want as much of as lately', { lately: 174 }, send(2)],
  ['nothing while that leaves nothing, until less is usual', { lately: 175 }, LOOK_AGAIN],
  ['without such days nothing of half', { usual: [] }, send(150)],
  [
    'half of what there would be without what was sent',
    { usual: [], ...known({ remaining: 300, forWatches: 100 }) },
    send(50),
  ],
  ['without such days no less than lately either', { usual: [], lately: 170 }, send(10)],
  [
    'nothing before the last six hours',
    { nowMs: RESET_MS - 7 * HOUR_MS, ...known({ receivedAtMs: RESET_MS - 7 * HOUR_MS }) },
    { waitUntilMs: RESET_MS - 6 * HOUR_MS },
  ],
  ['nothing that may leave after the reset', { nowMs: RESET_MS - 2 * MINUTE_MS + 1 }, NOT_TODAY],
  [
    'as much until two minutes before it',
    { nowMs: RESET_MS - 2 * MINUTE_MS, ...known({ receivedAtMs: RESET_MS - 2 * MINUTE_MS }) },
    send(150),
  ],
  ['nothing of the reserve', known({ remaining: 50 }), NOT_TODAY],
  ['nothing of a spent day', known({ remaining: 0 }), NOT_TODAY],
  // Ten days of the month are left, of at most 100 requests each: 150 of 3,000 are kept, and twice 1,000 may be wanted.
  [
    'as much as the day spares where the month loses more',
    besides({ per: 'month', limit: 3_000, remaining: 2_600 }),
    send(150),
  ],
  ['no more than a month loses', besides({ per: 'month', limit: 3_000, remaining: 2_250 }), send(100)],
  ['nothing that a month would not lose', besides({ per: 'month', limit: 3_000, remaining: 2_100 }), LOOK_AGAIN],
  [
    'no more of an hour than half, less what is kept of it',
    besides({ per: 'hour', limit: 100, remaining: 60 }),
    send(20),
  ],
  ['nothing of an unknown day', { view: viewOf(undefined) }, LOOK_AGAIN],
  ['one card where there is no day', { view: viewOf(undefined), hasWindow: false }, send(1)],
  ['none there while a member waits', { view: viewOf(undefined), hasWindow: false, isMemberWaiting: true }, LOOK_AGAIN],
  ['of a day that answers state, as of any other', { hasWindow: false }, send(150)],
  ['nothing when it is not known what remains', known({ remaining: undefined }), LOOK_AGAIN],
  ['nothing while the circuit breaker is open', { view: viewOf(QUOTA, { breaker: OPEN }) }, LOOK_AGAIN],
  ['nothing while other processes cannot be reached', { view: viewOf(QUOTA, { processes: 2 }) }, LOOK_AGAIN],
  ['nothing while a member waits', { isMemberWaiting: true }, LOOK_AGAIN],
  ['as much by a figure of ten minutes ago', known({ receivedAtMs: OLD.receivedAtMs + 1 }), send(150)],
  ['one to renew an old figure', known(OLD), send(1)],
  [
    'one to renew an old figure by which one is left, before lists need not be full',
    { ...earlier(1_000), lately: 174, ...known({ remaining: 399, receivedAtMs: EARLIER_MS - 10 * MINUTE_MS - 1 }) },
    send(1),
  ],
  [
    'one although an earlier one has renewed the figure before',
    { ...known(OLD), lastSentAtMs: OLD.receivedAtMs - 1 },
    send(1),
  ],
  [
    'nothing more when its answer said nothing of what remains',
    { ...known(OLD), lastSentAtMs: NOW_MS - MINUTE_MS },
    NOT_TODAY,
  ],
  ['one where there are no lists', { mostTogether: 1 }, send(1)],
  ['as many as a list may carry', earlier(150), send(150)],
  ['nothing while a list could not be full', earlier(151), { waitUntilMs: EARLIER_MS + MINUTE_MS }],
  ['what there is from then on, full or not', { ...earlier(151), nowMs: EARLIER_MS + 1 }, send(150)],
  ['one to renew an old figure, list or not', earlier(20, EARLIER_MS - 11 * MINUTE_MS), send(1)],
  ['without a stated reset until midnight UTC', known({ resetsAtMs: undefined }), send(150)],
])('spends %s', (_, facts, plan) => {
  expect(renewalPlan({ ...FACTS, ...facts })).toEqual(plan);
});
