import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { renewalPlan, WatchRenewals } from '../../src/members/renewals.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import type { QuotaState, WindowQuota } from '../../src/model/quota.ts';
import { viewOf as viewOfLimiter } from '../../src/quota/limiter.ts';
import { at, INITIAL_STATE, type Trouble } from '../../src/quota/limiter-state.ts';
import { HOUR_MS } from '../../src/time.ts';
import { settingOf } from '../support/described.ts';
import { msOf } from '../support/limiter-script.ts';
import { namesIn, queueScript, type World } from '../support/queue-script.ts';
import { table } from '../table.ts';

const MINUTE_MS = 60_000;
const RENEWALS = 'watch renewals';

/** Some hours before the reset; bob's lookup has just told what remains of the day. */
const FREE = 'plan free; 1000 of 1000 left today; 1 h left of the day; ';
const BOB = 'service latencyMs 200; bob: z; +200 ms; sent';
/** A service that states no figures, and of whose day no plan tells either. */
const WITHOUT_DAY = 'without a day;';

/** The queue with renewals beside it. */
function renewalsScript(watched: readonly string[]) {
  const error = vi.fn();
  const find = vi.fn(async () => watched.map((cardId) => ({ cardId })));
  let hasWindow = true;
  let renewals: WatchRenewals | undefined;
  const start = ({ cards, queue, limiter, claims }: World) => {
    const log = { error } as never;
    renewals = new WatchRenewals({ watches: { find }, cards, lookupQueue: queue, limiter, claims, hasWindow, log });
    onTestFinished(() => renewals?.close());
    renewals.start();
  };
  return queueScript([
    [
      /^without a day$/,
      ({ service }) => {
        hasWindow = false;
        service.inFront = (ruled) => {
          const answer = ruled();
          const none = { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' };
          return { ...answer, headers: { ...answer.headers, ...none } };
        };
      },
    ],
    [/^start$/, start],
    [/^stop$/, () => renewals?.close()],
    [/^storm (.+)$/, ({ service }, span) => service.storm(msOf(span))],
    [/^others unknown$/, ({ claims }) => void vi.spyOn(claims, 'claim').mockResolvedValue('unavailable')],
    [/^claimed$/, ({ claims }) => vi.mocked(claims.claim).mock.calls.length],
    [
      /^another renews$/,
      async ({ claims }) => {
        const claimed = await claims.claim(RENEWALS, { ttlMs: 5 * MINUTE_MS, endsWithOwner: false });
        return typeof claimed === 'object' ? `in ${claimed.heldForMs / 1_000} s` : undefined;
      },
    ],
    [
      /^not admitted$/,
      ({ queue }) => void vi.spyOn(queue, 'admit').mockResolvedValue({ refusal: new KeyRefused({ status: 401 }) }),
    ],
    [/^admissions$/, ({ queue }) => vi.mocked(queue.admit).mock.calls.length],
    [/^fault$/, () => void find.mockRejectedValueOnce(new Error('fault'))],
    [/^reads$/, () => find.mock.calls.length],
    [/^errors$/, () => error.mock.calls.length],
    [
      /^cards read by loop$/,
      async (world) => {
        const { mock } = vi.spyOn(world.storedCards, 'get');
        const reads = new Set<number>();
        start(world);
        for (let loops = 0; loops < 20; loops++) {
          await nextLoopIteration();
          reads.add(mock.calls.length);
        }
        return [...reads].join(' ');
      },
    ],
  ]);
}

// Columns: the cards that are watched, what is so before the evening, what happens, and what that tells
it.each(table`
  renews what is not fresh, the oldest price first, one at a time, each from a full bucket
    | a1 a2 a3 a4 | | a1 is known since 58 h; a2 is known since 59 h; a3 is known since 1 h; start; +6 s; sent;
      +13 s; sent; +30 min; sent; booked watches; booked bob
    | a4 | a2 a1 | | 3, 0 saved | 1, 0 saved
  leaves members twice the reserve | a1-40 | 116 of 1000 left today; | start; +55 min; requests | 15
  carries as many cards as a list may, with one request
    | a1-40 | lists of 20; | start; +1 min; sizes; booked watches; booked bob | 20 20 | 2, 38 saved | 1, 0 saved
  waits a minute after a list of which one card was not answered
    | none a1-39 | lists of 20; | answer nonsense to cards/none; start; +1 min; sizes; +1 min; sizes | 20 1 | 20
  reads what is watched seven times in an hour
    | a1-50 | 20 h left of the day; ${WITHOUT_DAY} | a1-50 are known; start; +1 h; reads | 7
  also where a card a minute is renewed
    | a1-50 | 20 h left of the day; ${WITHOUT_DAY} | a1-50 are known since 60 h; start; +1 h; reads | 7
  a member goes first, and lifts a renewal that waits
    | a | | bob: b; +1 s; start; +100 ms; sent; bob: a; +300 ms; sent; booked watches; booked bob
    | b | a | 0, 1 saved | 3, 0 saved
  goes on at once after a card that another process has fetched meanwhile
    | a b | | start; +100 ms; a is known; +30 s; sent | b
  a card that was refused without a request is renewed later
    | a | | start; +100 ms; storm 10 min; bob: b; +11 min; sent; bob: c; +11 min; sent | b | c a
  a card that the service denies, or answers with nonsense, rests for the hours of a window
    | none a | 2 h left of the day; | answer nonsense to a; start; +1.9 h; sent | none a
  renews again on the next day when its first request comes in the evening, too
    | a b | | start; +1 h; sent; clock ahead 23 h; bob: y; +30 min; sent | a b | y a b
  a 429 stops it until a member has had an answer
    | a1-20 | | start; +6 s; requests; storm 10 s; +10 min; requests; bob: b; +5 min; requests | 1 | 1 | 19
  plans anew every ten minutes: the reset or the clock may have moved
    | a | 20 h left of the day; | start; +1 min; clock ahead 19 h; +10 min; sent | a
  sends nothing while another process renews, or a member waits there
    | a | | elsewhere wait 0 1; another renews; start; +10 min; elsewhere wait 0 0; another renews; +4 min; sent;
      +3 min; sent
    | | a
  keeps others from renewing for five minutes, unless it has ended before
    | a | | start; +100 ms; another renews; +1 min; sent; another renews | in 299.9 s | a
  plans nothing while a member waits | a | | bob: b1-29; +1 s; length; start; +1 s; length | 11 | 11
  sends nothing while nobody can tell whether another process renews, and asks once a minute
    | a | | others unknown; start; +9.5 min; sent; claimed | | 10
  tries again a minute after a renewal was not admitted
    | a1-20 | | not admitted; start; +299 s; admissions; errors | 5 | 0
  goes on ten minutes after a fault, which is in the log once
    | a | | fault; start; +9 min; errors; sent; +2 min; sent | 1 | | a
  sends what waits for its permit, and plans nothing more, once it is closed
    | a1-20 | | start; +20 s; requests; stop; +10 min; requests | 3 | 1
  without a day renews each card once while its price is not fresh, again when it is old again
    | a b d | 20 h left of the day; lists of 20; ${WITHOUT_DAY} | start; +1 h; sent; +6 h; sent; booked watches
    | a b d | a b d | 6, 0 saved
  without a day asks once only in five hours for a card that the service does not answer
    | a | 5 h left of the day; ${WITHOUT_DAY}
    | service down true; start; +4 h; requests; service down false; +2 h; requests
    | 3 | 1
  lets others run after fifty cards of which it reads whether they are fresh
    | a1-50 b1-9 z | 20 h left of the day; ${WITHOUT_DAY} | cards read by loop | 0 50 60
`)('%s', async (_, watched = '', setting = '', script = '', ...told) => {
  const says = renewalsScript(namesIn(watched));
  await says(`${FREE}${setting} ${BOB}`);
  expect(await says(script)).toBe(told.join(' | '));
});

const RESET_MS = Date.UTC(2026, 10, 22);
const NOW_MS = RESET_MS - 20 * MINUTE_MS;
const QUOTA = { limit: 1_000, remaining: 400, resetsAtMs: RESET_MS, receivedAtMs: NOW_MS - MINUTE_MS };
/** What a plan is made of; one request carries more cards than a day spares. */
const FACTS = { view: viewOf(QUOTA), isWanted: false, mostTogether: 1_000, hasWindow: true, nowMs: NOW_MS };
const LOOK_AGAIN = { waitUntilMs: NOW_MS + MINUTE_MS };
const NOT_TODAY = { waitUntilMs: RESET_MS };
const PAUSE: Trouble = { kind: 'pause', beganMs: NOW_MS, untilMs: NOW_MS + 1, inARow: 1 };
const send = (cards: number) => ({ cards });
const known = (more: Partial<QuotaState>) => ({ view: viewOf({ ...QUOTA, ...more }) });
/** The day, and another window that ends in ten days, or with the day. */
function besides(window: Pick<WindowQuota, 'per' | 'limit' | 'remaining'>) {
  const resetsAtMs = window.per === 'month' ? NOW_MS + 240 * HOUR_MS : RESET_MS;
  const view = viewOf(QUOTA);
  return { view: { ...view, windows: [...view.windows, { ...window, resetsAtMs, receivedAtMs: NOW_MS }] } };
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

it.each<[string, Partial<typeof FACTS>, object]>([
  ['what remains beyond twice the reserve', {}, send(300)],
  ['nothing while no more remains', known({ remaining: 100 }), NOT_TODAY],
  ['nothing before the last two hours', { nowMs: RESET_MS - 3 * HOUR_MS }, { waitUntilMs: RESET_MS - 2 * HOUR_MS }],
  ['nothing that may leave after the reset', { nowMs: RESET_MS - 2 * MINUTE_MS + 1 }, NOT_TODAY],
  ['as much until two minutes before it', { nowMs: RESET_MS - 2 * MINUTE_MS }, send(300)],
  ['nothing of a spent day', known({ remaining: 0 }), NOT_TODAY],
  [
    'nothing that a month would not lose',
    besides({ per: 'month', limit: 3_000, remaining: 2_600 }),
    { waitUntilMs: NOW_MS + 240 * HOUR_MS - 2 * HOUR_MS },
  ],
  ['no more of an hour than it spares', besides({ per: 'hour', limit: 100, remaining: 60 }), send(40)],
  ['nothing of an unknown day', { view: viewOf(undefined) }, LOOK_AGAIN],
  ['one card where there is no day', { view: viewOf(undefined), hasWindow: false }, send(1)],
  ['none there while a member waits', { view: viewOf(undefined), hasWindow: false, isWanted: true }, LOOK_AGAIN],
  ['of a day that answers state, as of any other', { hasWindow: false }, send(300)],
  ['nothing when it is not known what remains', known({ remaining: undefined }), LOOK_AGAIN],
  ['nothing while the circuit breaker is open', { view: viewOf(QUOTA, { trouble: PAUSE }) }, LOOK_AGAIN],
  ['nothing while other processes cannot be reached', { view: viewOf(QUOTA, { awayForMs: 1 }) }, LOOK_AGAIN],
  ['nothing while a member waits', { isWanted: true }, LOOK_AGAIN],
  ['one where there are no lists', { mostTogether: 1 }, send(1)],
  ['as many as a list may carry', { mostTogether: 20 }, send(20)],
  ['without a stated reset until midnight UTC', known({ resetsAtMs: undefined }), send(300)],
])('spends %s', (_, facts, plan) => {
  const { view, hasWindow, nowMs, ...queue } = { ...FACTS, ...facts };
  expect(renewalPlan(view, queue, hasWindow, nowMs)).toEqual(plan);
});
