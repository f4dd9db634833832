import { expect, it } from 'vitest';
import type { StopReason } from '../../src/model/quota.ts';
import type { Planned } from '../support/described.ts';
import { LimiterScript } from '../support/limiter-script.ts';
import { ERROR, INFO, WARN } from '../support/log-lines.ts';

const AUTO: Planned = { plan: 'auto' };

/** What is logged in a scenario. */
async function logged(steps: string, setting?: Planned) {
  const script = new LimiterScript(setting);
  await script.says(steps);
  return script.lines;
}

it('says once in the log when requests stop and why, however many probes fail, and once when they go on', async () => {
  // The third failure left at 12:00, and the breaker is closed a minute later.
  const lines = await logged('clock -3 s; 3 x down; down; wait; +45 s; 2 x answered');
  expect(lines.map(({ msg, reason, until, lastedMs }) => [reason, until ?? lastedMs, msg])).toEqual([
    ['outage', '2026-11-20T12:00:05.000Z', expect.stringContaining('the card service is down')],
    ['outage', 60_000, 'requests are sent again'],
  ]);
});

it.each<[StopReason, string, string, level: number]>([
  ['pause', '429', 'asked for a pause', INFO],
  ['day', 'states 0 of 1000 for 1 h', 'used up', WARN],
  ['key', 'key refused', 'refuses the API key', ERROR],
  ['plan', 'plan refused', 'does not allow card lookups', ERROR],
])('says in the log why requests stop, and again after a restart: %s', async (reason, steps, words, level) => {
  const lines = await logged(`3 x down; ${steps}; restart; answered; restart`, AUTO);
  const stopped = { level, reason, until: expect.any(String), msg: expect.stringContaining(words) };
  const again = { reason, msg: 'requests are sent again' };
  expect(lines.filter(({ share }) => !share)).toMatchObject([{ reason: 'outage' }, stopped, stopped, again]);
});

it('says nothing after a restart of a stop whose time is over: the next request tells', async () => {
  expect(await logged('states 0 of 1000 for 1 h; +1 h; restart', AUTO)).toHaveLength(1);
});

it('says once of each window that a share of it is spent, and nothing of what a month leaves to a day', async () => {
  const limits = { requestsPerMinute: 1_000, burst: 1_000, requestsPerDay: 1_000, requestsPerMonth: 600 };
  // 11 days are left of the month, so that it leaves this one 109 requests.
  const script = new LimiterScript({ plan: 'free', plans: { free: limits } });
  await script.says('100 x answered');
  expect(script.lines.filter(({ share }) => share)).toEqual([]);
  await script.says('+5 d; 380 x answered; +1 h; answered');
  expect(script.lines.filter(({ share }) => share)).toMatchObject([
    { share: 0.8, limit: 600, remaining: 120, msg: expect.stringMatching(/^80 % of this month's .+docs\/quota\.md/) },
  ]);
});

it.each([
  [
    'a window, and evenly spaced requests once that was too much',
    '10 x answered; 429 1 s; +1 min; answered; ask 2; 429 1 s; answered; wait; answered',
    [
      'the card service takes 10 requests in any minute: the bot keeps to that',
      'the card service takes fewer requests at a time than the plan allows: the bot spaces them evenly',
    ],
  ],
  [
    'a smaller burst, once, and that it is given up',
    'send 3; 429 1 s; answered; ask 2; 429 1 s; answered; +2 min; answered; +4 min; answered',
    [
      'the card service takes fewer requests at a time than the plan allows: the bot keeps to that',
      "the bot keeps to the plan's rate and burst again",
    ],
  ],
])('says in the log when this is learned: %s', async (_, steps, texts) => {
  const lines = await logged(steps);
  const told = lines.filter(({ reason }) => reason === undefined);
  expect(told.map(({ level, msg }) => [level, msg])).toEqual(texts.map((text) => [INFO, text]));
});

it('says once which plan was found, though a report names it, too', async () => {
  const lines = await logged('states of 50000 for 2 h; plan pro', AUTO);
  expect(lines).toMatchObject([{ level: INFO, plan: 'pro', requestsPerMinute: 100 }]);
});

it('warns at each start, once, that the daily limit is that of no plan', async () => {
  const warning = { level: WARN, limit: 123_456 };
  const lines = await logged('states of 123456 for 2 h; restart; states of 123456 for 2 h', AUTO);
  expect(lines).toMatchObject([warning, warning]);
});
