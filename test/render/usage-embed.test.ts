import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Stop } from '../../src/model/quota.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { usageDay } from '../../src/render/usage-day.ts';
import { bar, type UsageView, usageEmbed, usageFigures } from '../../src/render/usage-embed.ts';
import { UsageAnswer } from '../../src/service/answers.ts';
import { table } from '../table.ts';
import { expectAccepted, withoutFile } from './discord-limits.ts';
import { anyHours, momentMs, quotaState, serviceUsage } from './service-answers.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;

const DAY_MS = 86_400_000;

const WORKING = 'Working normally.';
const TODAY = '▰▰▰▰▰▱▱▱▱▱ 50%\n500 of 1,000 used, 500 left';
const RESETS = `Resets at <t:${NOON + 3_600}:t>`;
const PERIOD = `<t:${NOON}:d> – <t:${NOON + 30 * 86_400}:d>`;
const MONTH_ENDS = 'Resets on <t:1795435200:f>\nAt this rate, runs out on <t:1795262400:f>';
const OUTSIDE = 'Today outside servers that added me';
const SINCE_MS = NOON_MS - 25_000;
const STOP: Stop = { reason: 'outage', beganMs: SINCE_MS, untilMs: NOON_MS + 5_000 };

const VIEW: UsageView = {
  stop: undefined,
  isProbing: false,
  hasFailed: false,
  isStoreAway: false,
  missing: undefined,
  learned: { window: undefined, capacity: undefined },
  figures: {
    today: { used: 500, limit: 1_000, remaining: 500, resetsAtMs: NOON_MS + 3_600_000, atMs: NOON_MS },
    report: { plan: 'pro' },
    period: { startMs: NOON_MS, endMs: NOON_MS + 30 * DAY_MS },
    inPeriod: { used: 10_000, limit: 50_000, remaining: 40_000 },
  },
  windows: [],
  reportAtMs: NOON_MS,
  runsOutAtMs: undefined,
  everybody: { requests: 500, refused: 0, saved: 1_234 },
  spentOnWatches: 0,
  server: { requests: 40, refused: 0, saved: 70, cap: 200, memberCap: 100 },
  foreign: undefined,
  topMembers: [
    { memberId: '101', requests: 30 },
    { memberId: '102', requests: 10 },
  ],
  day: undefined,
  waitingNow: 3,
  nowMs: NOON_MS,
  locale: 'en-US',
};

/** The fields by their names, the first lines as `state`, and whether the colour is that of a bot that works. */
function shown(view: Partial<UsageView>): Record<string, unknown> {
  const { fields = [], description, color } = usageEmbed({ ...VIEW, ...view });
  const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  return { state: description, isWell: color === usageEmbed(VIEW).color, ...values };
}

it('shows today, what was answered from memory, this server, the plan and its period', () => {
  expect(shown({})).toEqual({
    state: 'Working normally.',
    isWell: true,
    Today: `${TODAY}\n${RESETS}`,
    'Answered from memory': '71% of lookups · 1,234 requests saved',
    'In line right now': '3 cards',
    'This server today': '40 of 200 new lookups · 70 answered from memory\nEach member gets 100 new lookups a day.',
    'Most new lookups today': '<@101> 30\n<@102> 10',
    Plan: 'pro',
    'This period': `${PERIOD}\n▰▰▱▱▱▱▱▱▱▱ 20%\n10,000 of 50,000 used, 40,000 left`,
  });
});

const { figures } = VIEW;
const ofToday = (today: Partial<UsageView['figures']['today']>) => ({
  figures: { ...figures, today: { ...figures.today, ...today } },
});
const NOTHING = { used: undefined, limit: undefined, remaining: undefined, resetsAtMs: undefined };
const NONE = { requests: 0, refused: 0, saved: 0 };
const ONE = { ...NONE, requests: 1 };
const WATCHES = '7 otherwise unused requests spent on watched cards';
const AWAY = "I'm cut off from my shared database (Redis). Until it's back, I fetch no new cards.";
const DOWN = `The card service has been down since <t:${NOON - 25}:t>.`;
const USED_UP = "Today's requests are used up";
const MONTH = { per: 'month' as const, limit: 1_000, receivedAtMs: NOON_MS, resetsAtMs: NOON_MS + 3 * DAY_MS };
const month = (remaining: number) => ({ windows: [{ ...MONTH, remaining, runsOutAtMs: NOON_MS + DAY_MS }] });
const open = (more: Partial<Stop>, isProbing = false) => ({ stop: { ...STOP, ...more }, isProbing });
const outside = (foreign: UsageView['foreign']) => ({ foreign });

/** Of a view what its fields say; a field of `undefined` is none. */
it.each<[string, Partial<UsageView>, Record<string, unknown>]>([
  [
    'a month that will be spent',
    month(40),
    { 'This month': `▰▰▰▰▰▰▰▰▰▰ 96%\n960 of 1,000 used, 40 left\n${MONTH_ENDS}` },
  ],
  [
    'a month that is spent: the state says when it ends',
    month(0),
    { 'This month': '▰▰▰▰▰▰▰▰▰▰ 100%\n1,000 of 1,000 used, 0 left' },
  ],
  ['what was spent on watches', { spentOnWatches: 7 }, { Today: `${TODAY}\n${WATCHES}\n${RESETS}` }],
  [
    'that on a spent day, too',
    { spentOnWatches: 7, ...ofToday({ ...NOTHING, limit: 1_000, remaining: 0 }) },
    { Today: expect.stringContaining(WATCHES) },
  ],
  [
    'without a report what is known, and what is missing',
    { figures: { ...figures, report: undefined, period: undefined, inPeriod: undefined }, missing: 'No key.' },
    { state: `${WORKING}\nNo key.`, isWell: false, Plan: undefined, 'This period': undefined },
  ],
  [
    'how many at a time answers have taught',
    { learned: { window: undefined, capacity: 1 } },
    { state: `${WORKING}\nThe card service takes one request at a time, so I keep to that.` },
  ],
  ['nothing known before the first answer', ofToday(NOTHING), { Today: 'Known after the first lookup today.' }],
  ['no lookups yet', { everybody: NONE }, { 'Answered from memory': 'No lookups yet today' }],
  ['a limit alone', ofToday({ ...NOTHING, limit: 1_000 }), { Today: '1,000 a day' }],
  ['a remainder alone', ofToday({ ...NOTHING, remaining: 5 }), { Today: '5 left' }],
  [
    'single figures of the report that are missing',
    {
      figures: {
        ...{ ...figures, report: { plan: '' }, period: { startMs: undefined, endMs: NOON_MS } },
        inPeriod: { used: 3, limit: undefined, remaining: undefined },
      },
    },
    { Plan: 'unnamed', 'This period': `? – <t:${NOON}:d>\n3 used` },
  ],
  [
    'when the day will be spent, if it will',
    { runsOutAtMs: NOON_MS + 60_000 },
    { Today: expect.stringContaining(`At this rate, runs out around <t:${NOON + 60}:T>`) },
  ],
  [
    'once when the day is spent until',
    { ...open({ reason: 'day' }), runsOutAtMs: NOON_MS + 60_000 },
    { Today: TODAY, state: `${USED_UP} until <t:${NOON + 5}:T>.`, isWell: false },
  ],
  [
    'that nothing remains of the day',
    ofToday({ remaining: 0 }),
    { state: `${USED_UP} until <t:${NOON + 3_600}:t>.`, isWell: false },
  ],
  ['that of a day without an end', ofToday({ remaining: 0, resetsAtMs: undefined }), { state: `${USED_UP}.` }],
  [
    'that nothing remains of the period',
    { figures: { ...figures, inPeriod: { used: 10, limit: 10, remaining: 0 } } },
    { state: "This period's requests are used up.", isWell: false },
  ],
  ['that it is cut off from Redis', { isStoreAway: true }, { state: AWAY }],
  [
    'that beside why no requests flow',
    { isStoreAway: true, ...open({}) },
    { state: `${DOWN} Next try at <t:${NOON + 5}:T>.\n${AWAY}` },
  ],
  [
    'what foreign places used',
    outside({ requests: 12, refused: 1, saved: 3, cap: 200 }),
    { [OUTSIDE]: '12 of 200 new lookups · 3 answered from memory' },
  ],
  [
    'that without a budget while the day is unknown',
    outside({ ...ONE, cap: undefined }),
    { [OUTSIDE]: '1 new lookup · 0 answered from memory' },
  ],
  [
    'foreign lookups that cost nothing',
    outside({ ...NONE, saved: 3, cap: 200 }),
    { [OUTSIDE]: '0 of 200 new lookups · 3 answered from memory' },
  ],
  ['no foreign places where nobody was', outside({ ...NONE, cap: 200 }), { [OUTSIDE]: undefined }],
  ['none where members cannot bring the bot along', outside({ ...ONE, cap: 0 }), { [OUTSIDE]: undefined }],
  ['none to members who may not see it', outside(undefined), { [OUTSIDE]: undefined }],
  [
    'no budget, cap, top members and line that there are not',
    { server: { ...ONE, cap: undefined, memberCap: undefined }, topMembers: [], waitingNow: 0 },
    {
      'This server today': '1 new lookup · 0 answered from memory',
      'Most new lookups today': undefined,
      'In line right now': undefined,
    },
  ],
  ['an outage', open({}), { state: `${DOWN} Next try at <t:${NOON + 5}:T>.`, isWell: false }],
  [
    'an outage that began before the last probe',
    open({ beganMs: NOON_MS - 3_600_000 }),
    {
      state: `The card service has been down since <t:${NOON - 3_600}:t>. Next try at <t:${NOON + 5}:T>.`,
      isWell: false,
    },
  ],
  [
    'an outage until a try has succeeded',
    open({ untilMs: NOON_MS }),
    { state: `${DOWN} The next lookup will try again.`, isWell: false },
  ],
  [
    'a try under way',
    open({ untilMs: NOON_MS - 1 }, true),
    { state: `${DOWN} Trying again right now.`, isWell: false },
  ],
  [
    'a pause that it asked for',
    open({ reason: 'pause' }),
    { state: `Waiting until <t:${NOON + 5}:T>, as the card service asked.`, isWell: false },
  ],
  [
    'a refused key',
    open({ reason: 'key' }),
    { state: `The card service refuses my key. Next try at <t:${NOON + 5}:T>.`, isWell: false },
  ],
  [
    'a plan that is too small',
    open({ reason: 'plan' }),
    { state: `My plan with the card service doesn't allow lookups. Next try at <t:${NOON + 5}:T>.`, isWell: false },
  ],
  [
    'that one request was not answered',
    { hasFailed: true },
    { state: "Working, but the card service didn't answer just now.", isWell: false },
  ],
])('shows %s', (_, view, expected) => {
  const all = shown(view);
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, all[name]]))).toEqual(expected);
});

it('says of when every figure is that is older than a minute', () => {
  const asOf = (agoMs: number) => `-# As of <t:${(NOON_MS - agoMs) / 1000}:t>`;
  const said = shown({ ...ofToday({ atMs: NOON_MS - 60_000 }), reportAtMs: NOON_MS - 90_000 });
  const ends = ['Today', 'Plan', 'This period'].map((name) => String(said[name]).split('\n').at(-1));
  expect(ends).toEqual([asOf(60_000), asOf(90_000), asOf(90_000)]);
  expect(JSON.stringify(shown({ reportAtMs: NOON_MS - 59_000 }))).not.toContain('As of');
});

it('says in words what the picture of the day shows, below it and in its alt text', () => {
  const quiet = Array(11).fill(NONE);
  const hours = [...quiet, { requests: 200, saved: 900 }, { requests: 300, saved: 334 }];
  const today = { ...figures.today, limit: 2_000, remaining: 1_500, resetsAtMs: undefined };
  const day = usageDay(hours, today, undefined, NOON_MS + 1);
  expect(shown({ day })).toMatchObject({
    Today: expect.stringContaining('\nAt this rate, about 1,000 used by the end of the day'),
    'By hour, in UTC': expect.stringMatching(
      /^Busiest hour: 11:00, with 200 requests and 900 answered from memory\n-# Blue: requests/,
    ),
  });
  expect(usageEmbed({ ...VIEW, day }).image).toEqual({
    url: 'attachment://day.png',
    description:
      'Chart of today by hour, in UTC. 500 of 2,000 requests are used. 1,234 lookups were answered from memory. The busiest hour began at 11:00, with 200 requests and 900 answered from memory. At this rate, about 1,000 are used by the end of the day.',
  });
});

const count = fc.maxSafeNat();
const perhaps = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const bookings = { requests: count, refused: count, saved: count };

it.each(LANGUAGES)('whatever the service sends for a report Discord accepts the embed in %s', (locale) => {
  const usage = serviceUsage.map((it) => UsageAnswer.parse(JSON.parse(JSON.stringify(it))));
  const report = perhaps(fc.record({ usage, atMs: momentMs }));
  const figures = fc.record({ report, quota: quotaState, nowMs: momentMs }).map(usageFigures);
  const top = fc.record({ memberId: fc.string({ maxLength: 20 }), requests: count });
  const view = fc.record({
    stop: fc.constantFrom(undefined, STOP, { ...STOP, reason: 'key' } as const),
    isProbing: fc.boolean(),
    hasFailed: fc.boolean(),
    missing: fc.constantFrom(undefined, 'No key.'),
    figures,
    reportAtMs: perhaps(momentMs),
    runsOutAtMs: perhaps(momentMs),
    everybody: fc.record(bookings),
    spentOnWatches: count,
    server: fc.record({ ...bookings, cap: perhaps(count), memberCap: perhaps(count) }),
    foreign: perhaps(fc.record({ ...bookings, cap: perhaps(count) })),
    topMembers: fc.array(top, { maxLength: 5 }),
    learned: fc.record({ window: perhaps(count), capacity: perhaps(count) }),
    windows: fc.constant([]),
    isStoreAway: fc.boolean(),
    day: fc
      .tuple(anyHours, figures, perhaps(momentMs), momentMs)
      .map(([hours, { today }, runsOutAtMs, nowMs]) => usageDay(hours, today, runsOutAtMs, nowMs)),
    waitingNow: count,
    nowMs: momentMs,
    locale: fc.constant(locale),
  });
  fc.assert(
    fc.property(view, (view) => expectAccepted(withoutFile(usageEmbed(view)))),
    { numRuns: 60 },
  );
});

it.each(table`
  0 | 10 | ▱▱▱▱▱▱▱▱▱▱ 0%
  10 | 10 | ▰▰▰▰▰▰▰▰▰▰ 100%
  1 | 3 | ▰▰▰▱▱▱▱▱▱▱ 33%
  11 | 10 | ▰▰▰▰▰▰▰▰▰▰ 100%
  -1 | 10 | ▱▱▱▱▱▱▱▱▱▱ 0%
  5 | 0 | ▱▱▱▱▱▱▱▱▱▱ 0%
`)('a bar of %s in %s: %s', (part, whole, cells) => {
  expect(bar('en', Number(part), Number(whole))).toBe(cells);
});
