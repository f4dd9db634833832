import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Usage } from '../../src/model/plan.ts';
import type { Stop } from '../../src/model/quota.ts';
import { encodePng } from '../../src/render/canvas.ts';
import { type DayView, dayPicture } from '../../src/render/day-picture.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { bar, type UsageView, type UsageWindow, usageMessage } from '../../src/render/usage-message.ts';
import { table } from '../table.ts';
import { expectAccepted, withoutFile } from './discord-limits.ts';
import { anyHours, momentMs, quotaState, serviceUsage } from './service-answers.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);
const NOON = NOON_MS / 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const NONE = { requests: 0, refused: 0, saved: 0 };
const ONE = { ...NONE, requests: 1 };
const STOP: Stop = { reason: 'outage', beganMs: NOON_MS - 25_000, untilMs: NOON_MS + 5_000 };
const TODAY = { limit: 1_000, remaining: 500, resetsAtMs: NOON_MS + HOUR_MS, receivedAtMs: NOON_MS };
const USAGE = {
  ...{ plan: 'pro', period: { startMs: NOON_MS, endMs: NOON_MS + 30 * DAY_MS } },
  requests: { used: 10_000, limit: 50_000, remaining: 40_000 },
};

const VIEW: UsageView = {
  ...{ isProbing: false, missing: undefined, learned: { window: undefined, capacity: undefined } },
  ...{ today: TODAY, windows: [], report: { usage: USAGE, atMs: NOON_MS } },
  ...{ hours: [{ requests: 507, saved: 1_234 }], ofWatches: { requests: 7, saved: 0 } },
  server: { requests: 40, refused: 0, saved: 70, cap: 200, memberCap: 100 },
  foreign: undefined,
  topMembers: [
    { memberId: '101', requests: 30 },
    { memberId: '102', requests: 10 },
  ],
  ...{ waitingNow: 3, nowMs: NOON_MS, locale: 'en-US' },
};

async function embedOf(view: Partial<UsageView>) {
  const [embed] = (await usageMessage({ ...VIEW, ...view })).embeds ?? [];
  if (!embed) throw new Error('no embed');
  return embed;
}

/** The fields by their names, the first lines as `state`, and whether the colour is that of a bot that works. */
async function shown(view: Partial<UsageView>): Promise<Record<string, unknown>> {
  const { fields = [], description, color } = await embedOf(view);
  const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  return { state: description, isWell: color === (await embedOf({})).color, ...values };
}

it('shows today, what was answered from memory, this server, the plan and its period', async () => {
  expect(await shown({})).toEqual({
    state: 'Working normally.',
    isWell: true,
    Today:
      '▰▰▰▰▰▱▱▱▱▱ 50%\n500 of 1,000 used, 500 left\n' +
      `7 otherwise unused requests spent on watched cards\nResets at <t:${NOON + 3_600}:t>`,
    'Answered from memory': '71% of lookups · 1,234 requests saved',
    'In line right now': '3 cards',
    'This server today': '40 of 200 new lookups · 70 answered from memory\nEach member gets 100 new lookups a day.',
    'Most new lookups today': '<@101> 30\n<@102> 10',
    Plan: 'pro',
    'This period': `<t:${NOON}:d> – <t:${NOON + 30 * 86_400}:d>\n▰▰▱▱▱▱▱▱▱▱ 20%\n10,000 of 50,000 used, 40,000 left`,
    'By hour, in UTC': expect.stringMatching(/^Busiest hour: 0:00, with 507 requests and 1,234 .*\n-# Blue: requests/),
  });
});

const OUTSIDE = 'Today outside servers that added me';
const DOWN = `The card service has been down since <t:${NOON - 25}:t>.`;
const AWAY = "I'm cut off from my shared database (Redis). Until it's back, I fetch no new cards.";
const MONTH = { per: 'month' as const, limit: 1_000, receivedAtMs: NOON_MS, resetsAtMs: NOON_MS + 3 * DAY_MS };
const month = (remaining: number) => ({ windows: [{ ...MONTH, remaining, runsOutAtMs: NOON_MS + DAY_MS }] });
const today = (more: UsageWindow) => ({ today: { ...TODAY, ...more } });
const reported = (usage: object, more: Partial<UsageView> = {}) => ({ report: { usage, atMs: NOON_MS }, ...more });
const THIS_DAY = { startMs: MIDNIGHT_MS - DAY_MS, endMs: MIDNIGHT_MS };
const [PLAN, PERIOD] = ['Plan', 'This period'];

/** Of a view what its fields say; a field of `undefined` is none. What docs/replies/words.txt has is not here. */
it.each<[string, Partial<UsageView>, Record<string, unknown>]>([
  [
    'a month that will be spent',
    month(40),
    {
      'This month':
        '▰▰▰▰▰▰▰▰▰▰ 96%\n960 of 1,000 used, 40 left\n' +
        'Resets on <t:1795435200:f>\nAt this rate, runs out on <t:1795262400:f>',
    },
  ],
  [
    'a month that is spent: the state says when it ends',
    month(0),
    { 'This month': '▰▰▰▰▰▰▰▰▰▰ 100%\n1,000 of 1,000 used, 0 left' },
  ],
  [
    'a window that is counted here',
    { windows: [{ per: 'hour', limit: 5, remaining: 5, isOurCount: true }] },
    {
      'This hour': "▱▱▱▱▱▱▱▱▱▱ 0%\n0 of 5 used, 5 left\n-# Counted by this bot: the card service doesn't say.",
    },
  ],
  [
    'without a report what is known, and what is missing',
    { report: undefined, missing: 'No key.' },
    { state: 'Working normally.\nNo key.', isWell: false, [PLAN]: undefined, [PERIOD]: undefined },
  ],
  [
    'how many at a time answers have taught',
    { learned: { window: undefined, capacity: 1 } },
    { state: 'Working normally.\nThe card service takes one request at a time, so I keep to that.' },
  ],
  ['nothing known before the first answer', { today: {} }, { Today: 'Known after the first lookup today.' }],
  ['a limit alone', { today: { limit: 1_000 }, ofWatches: NONE }, { Today: '1,000 a day' }],
  ['a remainder alone', { today: { remaining: 5 }, ofWatches: NONE }, { Today: '5 left' }],
  [
    'when the day will be spent, if it will',
    today({ runsOutAtMs: NOON_MS + 60_000 }),
    { Today: expect.stringContaining(`At this rate, runs out around <t:${NOON + 60}:T>`) },
  ],
  [
    'no forecast of a day that is spent, which says until when',
    today({ remaining: 0 }),
    { Today: expect.not.stringContaining('<t:') },
  ],
  [
    'that nothing remains of the period',
    reported({ ...USAGE, requests: { used: 10, limit: 10 } }),
    { state: "This period's requests are used up.", isWell: false },
  ],
  [
    'that it is cut off from Redis beside why no requests flow',
    { storeAwaitedUntilMs: NOON_MS, stop: STOP },
    { state: `${DOWN} Next try at <t:${NOON + 5}:T>.\n${AWAY}`, isWell: false },
  ],
  [
    'an outage until a try has succeeded',
    { stop: { ...STOP, untilMs: NOON_MS } },
    { state: `${DOWN} The next lookup will try again.` },
  ],
  [
    'a try under way',
    { stop: { ...STOP, untilMs: NOON_MS - 1 }, isProbing: true },
    { state: `${DOWN} Trying again right now.` },
  ],
  [
    'that one request was not answered',
    { trouble: {} },
    { state: "Working, but the card service didn't answer just now.", isWell: false },
  ],
  [
    'what foreign places used without a budget while the day is unknown',
    { foreign: { ...ONE, cap: undefined } },
    { [OUTSIDE]: '1 new lookup · 0 answered from memory' },
  ],
  [
    'foreign lookups that cost nothing',
    { foreign: { ...NONE, saved: 3, cap: 200 } },
    { [OUTSIDE]: '0 of 200 new lookups · 3 answered from memory' },
  ],
  ['no foreign places where nobody was', { foreign: { ...NONE, cap: 200 } }, { [OUTSIDE]: undefined }],
  ['none where members cannot bring the bot along', { foreign: { ...ONE, cap: 0 } }, { [OUTSIDE]: undefined }],
  [
    'no budget, cap, top members and line that there are not',
    { server: { ...ONE, cap: undefined, memberCap: undefined }, topMembers: [], waitingNow: 0 },
    {
      'This server today': '1 new lookup · 0 answered from memory',
      'Most new lookups today': undefined,
      'In line right now': undefined,
    },
  ],
  [
    'single figures of the report that are missing',
    reported({ plan: '', period: { endMs: NOON_MS + DAY_MS }, requests: { remaining: 3, limit: 9 } }),
    { [PLAN]: 'unnamed', [PERIOD]: `? – <t:${NOON + 86_400}:d>\n▰▰▰▰▰▰▰▱▱▱ 67%\n6 of 9 used, 3 left` },
  ],
  [
    'no period that is the day',
    reported({ plan: 'free', period: THIS_DAY, requests: { limit: 1_000 } }),
    { [PLAN]: 'free', [PERIOD]: undefined },
  ],
  ['no plan of another limit than the day', reported({ ...USAGE, period: THIS_DAY }), { [PLAN]: undefined }],
  [
    'figures of another limit as those of a period that is not stated',
    reported({ requests: { used: 5, limit: 30_000 } }),
    { [PERIOD]: '▱▱▱▱▱▱▱▱▱▱ 0%\n5 of 30,000 used, 29,995 left' },
  ],
  [
    'nothing that the report itself contradicts',
    reported({ ...USAGE, requests: { used: 5, limit: 10, remaining: 1 } }),
    { [PERIOD]: expect.stringMatching(/\n5 of 10 used, 5 left$/) },
  ],
  [
    'no report whose period is over',
    reported({ ...USAGE, period: { startMs: 0, endMs: MIDNIGHT_MS } }, { nowMs: MIDNIGHT_MS }),
    { [PLAN]: undefined, [PERIOD]: undefined },
  ],
  ['none without a period after midnight', reported({ plan: 'pro' }, { nowMs: MIDNIGHT_MS }), { [PLAN]: undefined }],
  [
    'one that seemed over when it came',
    reported({ plan: 'pro', period: { startMs: NOON_MS - DAY_MS, endMs: NOON_MS - 1 } }),
    { [PLAN]: 'pro' },
  ],
])('shows %s', async (_, view, expected) => {
  const all = await shown(view);
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, all[name]]))).toEqual(expected);
});

it('says of when every figure is that is older than a minute', async () => {
  const asOf = (agoMs: number) => `-# As of <t:${(NOON_MS - agoMs) / 1000}:t>`;
  const report = (agoMs: number) => ({ report: { usage: USAGE, atMs: NOON_MS - agoMs } });
  const said = await shown({ ...today({ receivedAtMs: NOON_MS - 60_000 }), ...report(90_000) });
  const ends = ['Today', PLAN, PERIOD].map((name) => String(said[name]).split('\n').at(-1));
  expect(ends).toEqual([asOf(60_000), asOf(90_000), asOf(90_000)]);
  expect(JSON.stringify(await shown(report(59_000)))).not.toContain('As of');
});

const HOURS = [...Array(11).fill(NONE), { requests: 100, saved: 40 }, NONE];
const OF_DAY = { limit: 1_000, remaining: 900, resetsAtMs: MIDNIGHT_MS, receivedAtMs: NOON_MS };
const BUSIEST = 'The busiest hour began at 11:00, with 100 requests and 40 answered from memory.';
const UNKNOWN = { used: undefined, limit: undefined, forecast: undefined };

it.each<[string, UsageWindow, Partial<DayView>, begins: string, ends: string, later?: string]>([
  [
    'ends at the rate of the day so far',
    {},
    { forecast: { dayShare: 1, used: 200 } },
    '100 of 1,000 requests are used.',
    'At this rate, about 200 are used by the end of the day.',
    'At this rate, about 200 used by the end of the day',
  ],
  [
    'ends at the limit when the requests run out',
    { runsOutAtMs: NOON_MS + 6 * HOUR_MS },
    { forecast: { dayShare: 0.75, used: 1_000 } },
    '100 of 1,000 requests are used.',
    'At this rate, requests run out around 18:00 UTC.',
  ],
  [
    'has no forecast that contradicts that they do not',
    { remaining: 400 },
    { used: 600, forecast: undefined },
    '600 of 1,000 requests are used.',
    'There is no forecast yet.',
  ],
  [
    'has no forecast of nothing',
    { remaining: 1_000 },
    { used: 0, forecast: undefined },
    '0 of 1,000 requests are used.',
    'There is no forecast yet.',
  ],
  [
    'has neither for another day than that of the counts',
    { resetsAtMs: NOON_MS + HOUR_MS },
    UNKNOWN,
    '100 requests were sent.',
    'There is no forecast yet.',
  ],
])('the day in words and picture %s', async (_, more, drawn, begins, ends, later = '') => {
  const view = { ...VIEW, hours: HOURS, today: { ...OF_DAY, ...more } };
  const { embeds: [embed] = [], files: [picture] = [] } = await usageMessage(view);
  const day = { hours: HOURS, used: 100, limit: 1_000, forecast: undefined, dayShare: 0.5, ...drawn };
  const description = `Chart of today by hour, in UTC. ${begins} 40 lookups were answered from memory. ${BUSIEST} ${ends}`;
  const data = await encodePng(dayPicture(day, (count) => count.toLocaleString('en-US')));
  expect(picture).toEqual({ name: 'day.png', contentType: 'image/png', data, description });
  expect(embed?.image).toEqual({ url: 'attachment://day.png', description });
  expect(embed?.fields?.[0]?.value).toContain(later);
});

it('a day is not drawn before anything was counted', async () => {
  for (const hours of [[NONE], []]) {
    expect(await usageMessage({ ...VIEW, hours })).not.toHaveProperty('files');
    expect(await shown({ hours })).not.toHaveProperty('By hour, in UTC');
  }
});

const count = fc.maxSafeNat();
const cap = fc.option(count, { nil: undefined });
const bookings = { requests: count, refused: count, saved: count };

it.each(LANGUAGES)('whatever the service sends for a report Discord accepts the embed in %s', async (locale) => {
  const usage = serviceUsage.map((it) => Usage.parse(JSON.parse(JSON.stringify(it))));
  const figures = fc.record({
    report: fc.option(fc.record({ usage, atMs: momentMs }), { nil: undefined }),
    today: quotaState.map((state) => state ?? {}),
    ofWatches: fc.record(bookings),
    server: fc.record({ ...bookings, cap, memberCap: cap }),
    foreign: fc.record({ ...bookings, cap }),
    topMembers: fc.array(fc.record({ memberId: fc.string({ maxLength: 20 }), requests: count }), { maxLength: 5 }),
    hours: anyHours,
    waitingNow: count,
    nowMs: momentMs,
  });
  const troubles = { stop: STOP, storeAwaitedUntilMs: 0, missing: 'No key.', learned: { window: 5, capacity: 5 } };
  await fc.assert(
    fc.asyncProperty(figures, async (given) => {
      expectAccepted(withoutFile(await embedOf({ ...troubles, ...given, locale })));
    }),
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
