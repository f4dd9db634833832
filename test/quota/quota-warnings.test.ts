import { expect, it } from 'vitest';
import { LimiterScript, settingIn } from '../support/limiter-script.ts';
import { table } from '../table.ts';

const OUTAGE = 'the card service is down: only saved cards are shown until it answers';
const PAUSE = 'the card service asked for a pause: requests wait';
const AGAIN = 'requests are sent again';
const CURE = 'if that is usual, set budgets or take a larger plan, see docs/quota.md';
const SPENT = `today's requests are used up: only saved cards are shown until the reset; ${CURE}`;
const SAVED = 'so only saved cards are shown';
const KEY = `the card service refuses the API key, ${SAVED}: check CARD_SERVICE_API_KEY`;
const LARGER = 'take a larger one, or correct `refused` in the description of the card service';
const PLAN = `the plan does not allow card lookups, ${SAVED}: ${LARGER}`;
const FEWER = 'the card service takes fewer requests at a time than the plan allows';
const TO_SET = 'set CARD_SERVICE_PLAN, or CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST';
const UNKNOWN = `the daily limit matches no known plan, so requests are sent at the rate of the Free plan: ${TO_SET}`;

/** What is logged in a scenario: the level of each line, its facts without their names, and its words. */
async function logged(steps = '', under = 'auto') {
  const script = new LimiterScript(settingIn(under));
  await script.says(steps);
  return script.lines.map(({ level, msg, time: _, ...facts }) => {
    const told = Object.values(facts).map((fact) =>
      typeof fact === 'object' || fact === 'requests' ? '' : `${fact} `,
    );
    return `${level} ${told.join('')}${msg}`.replace(/2026-11-20T(.+)[.]000Z/, '$1');
  });
}

it.each(table`
  once when requests stop and why, however many probes fail, and once when they go on
    | clock -3 s; 3 x down; down; wait; +45 s; 2 x answered
    | 30 outage 12:00:05 ${OUTAGE}
    | 30 outage 60000 ${AGAIN}
  nothing after a restart of a stop whose time is over: the next request tells
    | states 0 of 1000 for 1 h; +1 h; restart
    | 40 day 13:00:00 ${SPENT}
  that a window is learned, and evenly spaced requests once that was too much
    | 10 x answered; 429 1 s; +1 min; answered; ask 2; 429 1 s; answered; wait; answered
    | 30 pause 12:00:01 ${PAUSE}
    | 30 10 19 the card service takes 10 requests in any minute: the bot keeps to that
    | 30 pause 61000 ${AGAIN}
    | 30 pause 12:01:02 ${PAUSE}
    | 30 1 ${FEWER}: the bot spaces them evenly
    | 30 pause 1000 ${AGAIN}
  that a smaller burst is learned, once, and that it is given up
    | send 3; 429 1 s; answered; ask 2; 429 1 s; answered; +2 min; answered; +4 min; answered
    | 30 pause 12:00:01 ${PAUSE}
    | 30 6 ${FEWER}: the bot keeps to that
    | 30 pause 1000 ${AGAIN}
    | 30 pause 12:00:08 ${PAUSE}
    | 30 pause 1000 ${AGAIN}
    | 30 19 the bot keeps to the plan's rate and burst again
  once which plan was found, though a report names it, too
    | states of 50000 for 2 h; plan pro
    | 30 pro 100 the plan is pro: requests are sent at its rate
  at each start, once, that the daily limit is that of no plan
    | states of 123456 for 2 h; restart; states of 123456 for 2 h
    | 40 123456 ${UNKNOWN}
    | 40 123456 ${UNKNOWN}
`)('the log says %s', async (_, steps, ...told) => {
  expect(await logged(steps)).toEqual(told);
});

it("the log says of a plan's window that requests are spaced after a 429", async () => {
  const spaced = `30 1 ${FEWER}: the bot spaces them evenly`;
  const told = await logged('429 1 s; answered', 'free of isWindow 1');
  expect(told).toEqual([`30 pause 12:00:12 ${PAUSE}`, spaced, `30 pause 12000 ${AGAIN}`]);
});

it.each(table`
  a pause | 429 | 30 pause 12:00:09 ${PAUSE} | pause 1000
  a spent day | states 0 of 1000 for 1 h | 40 day 13:00:03 ${SPENT} | day
  a refused key | key refused | 50 key 12:01:08 ${KEY} | key 60000
  a refused plan | plan refused | 50 plan 12:01:08 ${PLAN} | plan 60000
`)('the log says why requests stop, and again after a restart: %s', async (_, stop, why, ended) => {
  const told = await logged(`3 x down; ${stop}; restart; answered; restart`);
  expect(told).toEqual([`30 outage 12:00:08 ${OUTAGE}`, why, why, `30 ${ended} ${AGAIN}`]);
});

it('the log says once of each window that a share of it is spent, and nothing of what a month leaves to a day', async () => {
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
