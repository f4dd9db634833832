import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bar, type UsageView, usageMessage } from '../../commands/usage.ts';
import { type Stop, Usage } from '../../src/model/quota.ts';
import { encodePng } from '../../src/render/canvas.ts';
import { type DayView, dayPicture } from '../../src/render/day-picture.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { changed, differences, expectSaid, table } from '../table.ts';
import { expectAccepted } from './discord-limits.ts';
import { anyHours, momentMs, quotaState, serviceUsage } from './service-answers.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);
const NOON = NOON_MS / 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const NONE = { requests: 0, refused: 0, saved: 0 };
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

const stop = (leftMs: number) => JSON.stringify({ ...STOP, untilMs: NOON_MS + leftMs });
const THIS_DAY = JSON.stringify({ startMs: MIDNIGHT_MS - DAY_MS, endMs: MIDNIGHT_MS });
const month = (remaining: number) =>
  JSON.stringify([
    {
      ...{ per: 'month', limit: 1_000, remaining, receivedAtMs: NOON_MS },
      ...{ resetsAtMs: NOON_MS + 3 * DAY_MS, runsOutAtMs: NOON_MS + DAY_MS },
    },
  ]);
const HALF_USED =
  'Today: ▰▰▰▰▰▱▱▱▱▱ 50% / 500 of 1,000 used, 500 left / 7 otherwise unused requests spent on watched cards';

// What docs/replies/words.txt has is not here.
it.each(table`
  a month that will be spent | windows=${month(40)}
    | This month: ▰▰▰▰▰▰▰▰▰▰ 96% / 960 of 1,000 used, 40 left / Resets on <t:1795435200:f>
    / At this rate, runs out on <t:1795262400:f>
  a month that is spent: the state says when it ends | windows=${month(0)}
    | This month: ▰▰▰▰▰▰▰▰▰▰ 100% / 1,000 of 1,000 used, 0 left
  a window that is counted here | windows=[{"per":"hour","limit":5,"remaining":5,"isOurCount":true}]
    | This hour: ▱▱▱▱▱▱▱▱▱▱ 0% / 0 of 5 used, 5 left / -# Counted by this bot: the card service doesn't say.
  without a report what is known, and what is missing | report=; missing="No key."
    | state: Working normally. / No key. ¶ isWell: false ¶ no Plan ¶ no This period
  how many at a time answers have taught | learned.capacity=1
    | state: Working normally. / The card service takes one request at a time, so I keep to that.
  nothing known before the first answer | today={} | Today: Known after the first lookup today.
  a limit alone | today={"limit":1000}; ofWatches.requests=0
    | Today: 1,000 a day ¶ Answered from memory: 70% of lookups · 1,234 requests saved
  a remainder alone | today={"remaining":5}; ofWatches.requests=0
    | Today: 5 left ¶ Answered from memory: 70% of lookups · 1,234 requests saved
  when the day will be spent, if it will | today.runsOutAtMs=${NOON_MS + 60_000}
    | ${HALF_USED}
    / Resets at <t:1795179600:t> / At this rate, runs out around <t:1795176060:T>
  no forecast of a day that is spent, which says until when | today.remaining=0
    | Today: ▰▰▰▰▰▰▰▰▰▰ 100% / 1,000 of 1,000 used, 0 left / 7 otherwise unused requests spent on watched cards
  that nothing remains of the period | report.usage.requests={"used":10,"limit":10}
    | state: This period's requests are used up. ¶ isWell: false
    ¶ This period: <t:1795176000:d> – <t:1797768000:d> / ▰▰▰▰▰▰▰▰▰▰ 100% / 10 of 10 used, 0 left
  that it is cut off from Redis beside why no requests flow | storeAwaitedUntilMs=${NOON_MS}; stop=${stop(5_000)}
    | state: The card service has been down since <t:1795175975:t>. Next try at <t:1795176005:T>.
    / I'm cut off from my shared database (Redis). Until it's back, I fetch no new cards. ¶ isWell: false
  an outage until a try has succeeded | stop=${stop(0)}
    | state: The card service has been down since <t:1795175975:t>. The next lookup will try again. ¶ isWell: false
  a try under way | stop=${stop(-1)}; isProbing=true
    | state: The card service has been down since <t:1795175975:t>. Trying again right now. ¶ isWell: false
  that one request was not answered | trouble={}
    | state: Working, but the card service didn't answer just now. ¶ isWell: false
  what foreign places used without a budget while the day is unknown | foreign={"requests":1,"saved":0}
    | Today outside servers that added me: 1 new lookup · 0 answered from memory
  foreign lookups that cost nothing | foreign={"requests":0,"saved":3,"cap":200}
    | Today outside servers that added me: 0 of 200 new lookups · 3 answered from memory
  no foreign places where nobody was | foreign={"requests":0,"refused":0,"saved":0,"cap":200} |
  none where members cannot bring the bot along | foreign={"requests":1,"refused":0,"saved":0,"cap":0} |
  no budget, cap, top members and line that there are not
    | server={"requests":1,"refused":0,"saved":0}; topMembers=[]; waitingNow=0
    | no In line right now ¶ This server today: 1 new lookup · 0 answered from memory ¶ no Most new lookups today
  single figures of the report that are missing
    | report.usage={"plan":"","period":{"endMs":${NOON_MS + DAY_MS}},"requests":{"remaining":3,"limit":9}}
    | Plan: unnamed ¶ This period: ? – <t:1795262400:d> / ▰▰▰▰▰▰▰▱▱▱ 67% / 6 of 9 used, 3 left
  no period that is the day | report.usage={"plan":"free","period":${THIS_DAY},"requests":{"limit":1000}}
    | Plan: free ¶ no This period
  no plan of another limit than the day | report.usage.period=${THIS_DAY} | no Plan ¶ no This period
  figures of another limit as those of a period that is not stated
    | report.usage={"requests":{"used":5,"limit":30000}}
    | no Plan ¶ This period: ▱▱▱▱▱▱▱▱▱▱ 0% / 5 of 30,000 used, 29,995 left
  nothing that the report itself contradicts | report.usage.requests={"used":5,"limit":10,"remaining":1}
    | This period: <t:1795176000:d> – <t:1797768000:d> / ▰▰▰▰▰▱▱▱▱▱ 50% / 5 of 10 used, 5 left
  no report whose period is over | report.usage.period={"startMs":0,"endMs":${MIDNIGHT_MS}}; nowMs=${MIDNIGHT_MS}
    | ${HALF_USED}
    / Resets now / -# As of <t:1795176000:t> ¶ no Plan ¶ no This period
  none without a period after midnight | report.usage={"plan":"pro"}; nowMs=${MIDNIGHT_MS}
    | ${HALF_USED}
    / Resets now / -# As of <t:1795176000:t> ¶ no Plan ¶ no This period
  of when every figure is that is older than a minute
    | today.receivedAtMs=${NOON_MS - 60_000}; report.atMs=${NOON_MS - 90_000}
    | ${HALF_USED}
    / Resets at <t:1795179600:t> / -# As of <t:1795175940:t> ¶ Plan: pro / -# As of <t:1795175910:t>
    ¶ This period: <t:1795176000:d> – <t:1797768000:d> / ▰▰▱▱▱▱▱▱▱▱ 20% / 10,000 of 50,000 used, 40,000 left
    / -# As of <t:1795175910:t>
  but not of one that is no older | report.atMs=${NOON_MS - 59_000} |
  one that seemed over when it came
    | report.usage={"plan":"pro","period":{"startMs":${NOON_MS - DAY_MS},"endMs":${NOON_MS - 1}}} | no This period
`)(
  'shows %s',
  expectSaid(async (changes) => {
    const view = { report: undefined, ...changed(VIEW, changes) };
    return differences(await shown({}), await shown(view));
  }),
);

const HOURS = [...Array(11).fill(NONE), { requests: 100, saved: 40 }, NONE];
const OF_DAY = { limit: 1_000, remaining: 900, resetsAtMs: MIDNIGHT_MS, receivedAtMs: NOON_MS };
const BUSIEST = 'The busiest hour began at 11:00, with 100 requests and 40 answered from memory.';

// What is known of the day, what is drawn, and how the words begin and end.
it.each(table`
  ends at the rate of the day so far | | forecast={"dayShare":1,"used":200} | 100 of 1,000 requests are used.
    | At this rate, about 200 are used by the end of the day. | At this rate, about 200 used by the end of the day
  ends at the limit when the requests run out | runsOutAtMs=${NOON_MS + 6 * HOUR_MS}
    | forecast={"dayShare":0.75,"used":1000} | 100 of 1,000 requests are used.
    | At this rate, requests run out around 18:00 UTC.
  has no forecast that contradicts that they do not | remaining=400 | used=600 | 600 of 1,000 requests are used.
    | There is no forecast yet.
  has no forecast of nothing | remaining=1000 | used=0 | 0 of 1,000 requests are used. | There is no forecast yet.
  has neither for another day than that of the counts | resetsAtMs=${NOON_MS + HOUR_MS} | used=; limit=
    | 100 requests were sent. | There is no forecast yet.
`)('the day in words and picture %s', async (_, known, drawn, begins, ends, below = '') => {
  const view = { ...VIEW, hours: HOURS, today: changed(OF_DAY, known) };
  const { embeds: [embed] = [], files: [picture] = [] } = await usageMessage(view);
  const day: DayView = changed({ hours: HOURS, used: 100, limit: 1_000, dayShare: 0.5 }, drawn);
  const description = `Chart of today by hour, in UTC. ${begins} 40 lookups were answered from memory. ${BUSIEST} ${ends}`;
  const data = await encodePng(dayPicture(day, (count) => count.toLocaleString('en-US')));
  expect(picture).toEqual({ name: 'day.png', contentType: 'image/png', data, description });
  expect(embed?.image).toEqual({ url: 'attachment://day.png', description });
  expect(embed?.fields?.[0]?.value).toContain(below);
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
      const { image: _, ...embed } = await embedOf({ ...troubles, ...given, locale }); // its file comes with the message
      expectAccepted({ embeds: [embed] });
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
