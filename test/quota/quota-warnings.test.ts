import { expect, it, onTestFinished, vi } from 'vitest';
import type { PlanSetting } from '../../src/model/plan.ts';
import { type Breaker, type BreakerReason, CLOSED_BREAKER, type OpenBreaker } from '../../src/model/quota.ts';
import { type Learned, NOTHING_LEARNED } from '../../src/quota/learned.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { countedOwn } from '../../src/quota/windows.ts';
import { ERROR, INFO, logLines, WARN } from '../support/log-lines.ts';

const SETTING: PlanSetting = { plan: 'free' };
const NOW_MS = Date.UTC(2026, 10, 20, 12);

function opened(reason: BreakerReason, more: Partial<OpenBreaker> = {}): Breaker {
  return { state: 'open', reason, sinceMs: NOW_MS, untilMs: NOW_MS + 5_000, failures: 3, ...more };
}

/** What is logged as the breaker goes through these states. */
function logged(...breakers: Breaker[]): unknown[] {
  vi.useFakeTimers({ now: NOW_MS + 60_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = logLines();
  const warnings = new QuotaWarnings(log);
  const states = breakers.map((breaker): LimiterState => ({ ...INITIAL_LIMITER_STATE, breaker }));
  for (const [index, state] of states.entries()) if (index > 0) warnings.changed(states[index - 1], state, SETTING);
  return lines.map(({ msg, reason, until, lastedMs }) => [reason, until ?? lastedMs, msg]);
}

it('says once in the log when requests stop and why, however many probes fail, and once when they go on', () => {
  const again = opened('outage', { sinceMs: NOW_MS + 30_000, beganMs: NOW_MS });
  const halfOpen = opened('outage', { state: 'halfOpen' });
  expect(logged(CLOSED_BREAKER, opened('outage'), halfOpen, again, CLOSED_BREAKER, CLOSED_BREAKER)).toEqual([
    ['outage', '2026-11-20T12:00:05.000Z', expect.stringContaining('the card service is down')],
    ['outage', 60_000, 'requests are sent again'],
  ]);
});

it.each<[BreakerReason, string, level: number]>([
  ['pause', 'asked for a pause', INFO],
  ['day', 'used up', WARN],
  ['key', 'refuses the API key', ERROR],
  ['plan', 'does not allow card lookups', ERROR],
])('says in the log why requests stop, and again after a restart: %s', (reason, words, level) => {
  expect(logged(opened('outage'), opened(reason))).toEqual([
    [reason, expect.any(String), expect.stringContaining(words)],
  ]);
  const { log, lines } = logLines();
  const untilMs = Date.now() + 1;
  new QuotaWarnings(log).started({ ...INITIAL_LIMITER_STATE, breaker: opened(reason, { untilMs }) }, { plan: 'auto' });
  new QuotaWarnings(log).started(INITIAL_LIMITER_STATE, { plan: 'auto' });
  expect(lines).toMatchObject([{ level, reason, msg: expect.stringContaining(words) }]);
});

it('says nothing after a restart of a stop whose time is over: the next request tells', () => {
  vi.useFakeTimers({ now: NOW_MS + 60_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = logLines();
  new QuotaWarnings(log).started({ ...INITIAL_LIMITER_STATE, breaker: opened('day') }, { plan: 'auto' });
  expect(lines).toEqual([]);
});

it('says in the log, once, that a share of the day is spent', () => {
  const { log, lines } = logLines();
  const warnings = new QuotaWarnings(log);
  const known = (remaining: number): LimiterState => {
    const quota = { limit: 1_000, remaining, resetsAtMs: Date.now() + 60_000, receivedAtMs: Date.now() };
    return { ...INITIAL_LIMITER_STATE, quota };
  };
  warnings.changed(undefined, known(900), SETTING);
  warnings.changed(known(900), known(200), SETTING);
  warnings.changed(known(200), known(199), SETTING);
  expect(lines).toMatchObject([
    {
      share: 0.8,
      limit: 1_000,
      remaining: 200,
      msg: expect.stringMatching(/^80 % of today's requests are used: .+docs\/quota\.md/),
    },
  ]);
});

it('says once of each window that a share of it is spent, and nothing of what a month leaves to a day', () => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = logLines();
  const warnings = new QuotaWarnings(log);
  const limits = { requestsPerMinute: 10, burst: 5, requestsPerDay: 1_000, requestsPerMonth: 600 };
  const setting: PlanSetting = { plan: 'free', plans: { free: limits } };
  // 11 days are left of the month, so that it leaves this one 109 requests.
  const counted = (requests: number): LimiterState => {
    return { ...INITIAL_LIMITER_STATE, own: countedOwn(undefined, requests, setting, NOW_MS) };
  };
  for (const requests of [88, 89, 100, 480, 481]) warnings.changed(counted(requests - 1), counted(requests), setting);
  expect(lines).toMatchObject([{ share: 0.8, limit: 600, msg: expect.stringMatching(/^80 % of this month's/) }]);
});

const learned = (allowed: Partial<Learned>): LimiterState => {
  return { ...INITIAL_LIMITER_STATE, learned: { ...NOTHING_LEARNED, ...allowed } };
};

it('says in the log when a window, evenly spaced requests or a smaller burst is learned, and when it is given up', () => {
  const { log, lines } = logLines();
  const warnings = new QuotaWarnings(log);
  const states = [
    learned({}),
    learned({ window: 10, refill: 'untried' }),
    learned({ window: 10, refill: 'atOnce' }),
    learned({ window: 10, refill: 'evenly' }),
    learned({ window: 9, refill: 'evenly' }),
    learned({ window: 9, refill: 'untried' }),
    learned({ capacity: 9 }),
    learned({ capacity: 4 }),
    learned({}),
  ];
  for (const [at, state] of states.slice(1).entries()) warnings.changed(states[at], state, SETTING);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual(
    [
      'the card service takes 10 requests in any minute: the bot keeps to that',
      'the card service takes 10 requests in any minute: the bot spaces them evenly',
      'the card service takes 9 requests in any minute: the bot spaces them evenly',
      'the card service takes 9 requests in any minute: the bot keeps to that',
      'the card service takes fewer requests at a time than the plan allows: the bot keeps to that',
      "the bot keeps to the plan's rate and burst again",
    ].map((text) => [INFO, text]),
  );
});

it('says once which plan was found, though a report names it, too', () => {
  const { log, lines } = logLines();
  const warnings = new QuotaWarnings(log);
  const quota = { limit: 50_000, remaining: undefined, resetsAtMs: undefined, receivedAtMs: Date.now() };
  const found: LimiterState = { ...INITIAL_LIMITER_STATE, quota };
  warnings.changed(undefined, found, { plan: 'auto' });
  warnings.changed(found, { ...found, plan: 'pro', planAtLimit: 50_000 }, { plan: 'auto' });
  expect(lines).toMatchObject([{ level: INFO, plan: 'pro', requestsPerMinute: 100 }]);
});

it('says in the log at a start, once, that the daily limit is that of no plan', () => {
  const { log, lines } = logLines();
  const warnings = new QuotaWarnings(log);
  const quota = { limit: 123_456, remaining: undefined, resetsAtMs: undefined, receivedAtMs: Date.now() };
  const state: LimiterState = { ...INITIAL_LIMITER_STATE, quota };
  warnings.started(state, { plan: 'auto' });
  warnings.changed(INITIAL_LIMITER_STATE, state, { plan: 'auto' });
  expect(lines.filter(({ limit }) => limit === 123_456)).toMatchObject([{ level: WARN }]);
});
