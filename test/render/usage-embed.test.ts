import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOSED_BREAKER, type OpenBreaker } from '../../src/model/quota.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { usageDay } from '../../src/render/usage-day.ts';
import { bar, type UsageView, usageEmbed } from '../../src/render/usage-embed.ts';
import { usageFigures } from '../../src/render/usage-figures.ts';
import { UsageAnswer } from '../../src/service/answers.ts';
import { expectAccepted, withoutFile } from './discord-limits.ts';
import { anyHours, momentMs, quotaState, serviceUsage } from './service-answers.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;

const WORKING = 'Working normally.';
const SINCE_MS = NOON_MS - 25_000;
const OPEN: OpenBreaker = { state: 'open', reason: 'outage', sinceMs: SINCE_MS, untilMs: NOON_MS + 5_000, failures: 3 };

const VIEW: UsageView = {
  breaker: CLOSED_BREAKER,
  isIsolated: false,
  missing: undefined,
  learned: { window: undefined, capacity: undefined },
  figures: {
    today: { used: 500, limit: 1_000, remaining: 500, resetsAtMs: NOON_MS + 3_600_000, atMs: NOON_MS },
    report: { plan: 'pro' },
    period: { startMs: NOON_MS, endMs: NOON_MS + 30 * 86_400_000 },
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

function values(view: Partial<UsageView>): Record<string, string> {
  const fields = usageEmbed({ ...VIEW, ...view }).fields ?? [];
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

function today(left: { limit: number | undefined; remaining: number | undefined }): Partial<UsageView> {
  return { figures: { ...VIEW.figures, today: { used: undefined, ...left, resetsAtMs: undefined, atMs: NOON_MS } } };
}

describe('the embed of the usage', () => {
  it.each([
    [40, 'Resets on <t:1795435200:f>\nAt this rate, runs out on <t:1795262400:f>'],
    [0, undefined],
  ])(
    'says of a month with %i left when it resets and runs out, unless it is spent: the state says it',
    (remaining, end) => {
      const month = { per: 'month' as const, limit: 1_000, remaining, receivedAtMs: NOON_MS };
      const [resetsAtMs, runsOutAtMs] = [NOON_MS + 3 * 86_400_000, NOON_MS + 86_400_000];
      const used = `${(1_000 - remaining).toLocaleString('en-US')} of 1,000 used, ${remaining} left`;
      const lines = values({ windows: [{ ...month, resetsAtMs, runsOutAtMs }] })
        ['This month']?.split('\n')
        .slice(1);
      expect(lines?.join('\n')).toBe([used, end].filter(Boolean).join('\n'));
    },
  );

  it('says what was spent on watches, on a spent day, too', () => {
    const line = '7 otherwise unused requests spent on watched cards';
    expect(values({ spentOnWatches: 7 }).Today).toContain(`500 of 1,000 used, 500 left\n${line}\nResets at`);
    expect(values({ spentOnWatches: 7, ...today({ limit: 1_000, remaining: 0 }) }).Today).toContain(line);
  });

  it('shows today, what was answered from memory, this server, the plan and its period', () => {
    expect(values({})).toEqual({
      Today: `▰▰▰▰▰▱▱▱▱▱ 50%\n500 of 1,000 used, 500 left\nResets at <t:${NOON + 3_600}:t>`,
      'Answered from memory': '71% of lookups · 1,234 requests saved',
      'In line right now': '3 cards',
      'This server today': '40 of 200 new lookups · 70 answered from memory\nEach member gets 100 new lookups a day.',
      'Most new lookups today': '<@101> 30\n<@102> 10',
      Plan: 'pro',
      'This period': `<t:${NOON}:d> – <t:${NOON + 30 * 86_400}:d>\n▰▰▱▱▱▱▱▱▱▱ 20%\n10,000 of 50,000 used, 40,000 left`,
    });
  });

  it('says of when every figure is that is older than a minute', () => {
    const old = { figures: { ...VIEW.figures, today: { ...VIEW.figures.today, atMs: NOON_MS - 60_000 } } };
    const asOf = (atMs: number) => `\n-# As of <t:${atMs / 1000}:t>`;
    const shown = values({ ...old, reportAtMs: NOON_MS - 90_000 });
    expect(shown.Today?.endsWith(asOf(NOON_MS - 60_000))).toBe(true);
    expect(shown.Plan).toBe(`pro${asOf(NOON_MS - 90_000)}`);
    expect(shown['This period']?.endsWith(asOf(NOON_MS - 90_000))).toBe(true);
    expect(JSON.stringify(values({ reportAtMs: NOON_MS - 59_000 }))).not.toContain('As of');
  });

  it('without a report shows what is known, and what is missing', () => {
    const figures = { ...VIEW.figures, report: undefined, period: undefined, inPeriod: undefined };
    const view = { ...VIEW, figures, missing: 'No key.' };
    expect(Object.keys(values(view))).not.toContain('Plan');
    expect(Object.keys(values(view))).not.toContain('This period');
    expect(usageEmbed(view).description).toBe(`${WORKING}\nNo key.`);
    expect(usageEmbed(view).color).not.toBe(usageEmbed(VIEW).color);
  });

  it.each([
    [{ window: 10, capacity: undefined }, 'The card service takes 10 requests a minute, so I keep to that.'],
    [{ window: undefined, capacity: 1 }, 'The card service takes one request at a time, so I keep to that.'],
  ])('says what answers have taught of the limiter: %o', (learned, said) => {
    expect(usageEmbed({ ...VIEW, learned }).description).toBe(`${WORKING}\n${said}`);
  });

  it('shows that nothing is known before the first answer', () => {
    expect(values(today({ limit: undefined, remaining: undefined })).Today).toBe('Known after the first lookup today.');
    expect(values({ everybody: { requests: 0, refused: 0, saved: 0 } })['Answered from memory']).toBe(
      'No lookups yet today',
    );
  });

  it.each([
    ['remaining', { limit: 1_000, remaining: undefined }, '1,000 a day'],
    ['limit', { limit: undefined, remaining: 5 }, '5 left'],
  ])('says what it can when the %s is not known', (_, left, said) => {
    expect(values(today(left)).Today).toBe(said);
  });

  it('marks single missing figures of the report', () => {
    const period = { startMs: undefined, endMs: NOON_MS };
    const inPeriod = { used: 3, limit: undefined, remaining: undefined };
    expect(values({ figures: { ...VIEW.figures, report: { plan: '' }, period, inPeriod } })).toMatchObject({
      Plan: 'unnamed',
      'This period': `? – <t:${NOON}:d>\n3 used`,
    });
  });

  it('shows when the day will be spent, if it will', () => {
    expect(values({ runsOutAtMs: NOON_MS + 60_000 }).Today).toContain(
      `At this rate, runs out around <t:${NOON + 60}:T>`,
    );
  });

  it('says once when the day is spent until', () => {
    const shown = values({ breaker: { ...OPEN, reason: 'day' }, runsOutAtMs: NOON_MS + 60_000 });
    expect(shown.Today).toBe('▰▰▰▰▰▱▱▱▱▱ 50%\n500 of 1,000 used, 500 left');
  });

  it('says in words what the picture of the day shows, below it and in its alt text', () => {
    const quiet = Array(11).fill({ requests: 0, saved: 0 });
    const hours = [...quiet, { requests: 200, saved: 900 }, { requests: 300, saved: 334 }];
    const figures = { ...VIEW.figures.today, used: 500, limit: 2_000, remaining: 1_500, resetsAtMs: undefined };
    const day = usageDay(hours, figures, undefined, NOON_MS + 1);
    const { image } = usageEmbed({ ...VIEW, day });
    const shown = values({ day });
    expect(shown.Today).toContain('\nAt this rate, about 1,000 used by the end of the day');
    expect(shown['By hour, in UTC']).toMatch(
      /^Busiest hour: 11:00, with 200 requests and 900 answered from memory\n-# Blue: requests/,
    );
    expect(image).toEqual({
      url: 'attachment://day.png',
      description:
        'Chart of today by hour, in UTC. 500 of 2,000 requests are used. 1,234 lookups were answered from memory. The busiest hour began at 11:00, with 200 requests and 900 answered from memory. At this rate, about 1,000 are used by the end of the day.',
    });
  });

  it('says that it is cut off from Redis, beside why no requests flow, if none do', () => {
    const isolated =
      "I'm cut off from my shared database (Redis). Until it's back, I keep to my own share of the requests.";
    expect(usageEmbed({ ...VIEW, isIsolated: true }).description).toBe(isolated);
    expect(usageEmbed({ ...VIEW, isIsolated: true, breaker: OPEN }).description?.split('\n')).toEqual([
      expect.stringContaining('down since'),
      isolated,
    ]);
  });

  it.each<[string, UsageView['foreign'], string | undefined]>([
    ['in words', { requests: 12, refused: 1, saved: 3, cap: 200 }, '12 of 200 new lookups · 3 answered from memory'],
    [
      'without a budget while the day is unknown',
      { requests: 1, refused: 0, saved: 0, cap: undefined },
      '1 new lookup · 0 answered from memory',
    ],
    [
      'also of lookups that cost nothing',
      { requests: 0, refused: 0, saved: 3, cap: 200 },
      '0 of 200 new lookups · 3 answered from memory',
    ],
    ['not where nobody was', { requests: 0, refused: 0, saved: 0, cap: 200 }, undefined],
    ['not where members cannot bring the bot along', { requests: 1, refused: 0, saved: 0, cap: 0 }, undefined],
    ['not to members who may not see it', undefined, undefined],
  ])('shows what foreign places used: %s', (_, foreign, line) => {
    expect(values({ foreign })['Today outside servers that added me']).toBe(line);
  });

  it('leaves out the budget, the cap, the top members and the line that there are not', () => {
    const server = { requests: 1, refused: 0, saved: 0, cap: undefined, memberCap: undefined };
    const shown = values({ server, topMembers: [], waitingNow: 0 });
    expect(shown['This server today']).toBe('1 new lookup · 0 answered from memory');
    expect(shown).not.toHaveProperty('Most new lookups today');
    expect(shown).not.toHaveProperty('In line right now');
  });
});

const DOWN = `The card service has been down since <t:${NOON - 25}:t>.`;
it.each<[string, Partial<OpenBreaker>, string]>([
  ['it is open for an outage', {}, `${DOWN} Next try at <t:${NOON + 5}:T>.`],
  [
    'probes have failed: the outage began before the last of them',
    { beganMs: NOON_MS - 3_600_000 },
    `The card service has been down since <t:${NOON - 3_600}:t>. Next try at <t:${NOON + 5}:T>.`,
  ],
  ['an outage lasts until a try has succeeded', { untilMs: NOON_MS }, `${DOWN} The next lookup will try again.`],
  ['the try is under way', { untilMs: NOON_MS - 1, state: 'halfOpen' }, `${DOWN} Trying again right now.`],
  ['the day is spent', { reason: 'day' }, `Today's requests are used up until <t:${NOON + 5}:T>.`],
  ['it asked for a pause', { reason: 'pause' }, `Waiting until <t:${NOON + 5}:T>, as the card service asked.`],
  [
    'the plan is too small',
    { reason: 'plan' },
    `My plan with the card service doesn't allow lookups. Next try at <t:${NOON + 5}:T>.`,
  ],
  ['it refuses the key', { reason: 'key' }, `The card service refuses my key. Next try at <t:${NOON + 5}:T>.`],
])('says in one line how things are at this second: %s', (_, breaker, state) => {
  const { description, color } = usageEmbed({ ...VIEW, breaker: { ...OPEN, ...breaker } });
  expect(description).toBe(state);
  expect(color).not.toBe(usageEmbed(VIEW).color);
});

it('says that requests flow, and that one was not answered', () => {
  expect(usageEmbed(VIEW).description).toBe(WORKING);
  const { description, color } = usageEmbed({ ...VIEW, breaker: { ...CLOSED_BREAKER, failures: 1 } });
  expect(description).toBe("Working, but the card service didn't answer just now.");
  expect(color).not.toBe(usageEmbed(VIEW).color);
});

it('does not say that it works normally when nothing remains of the day', () => {
  const spent = (resetsAtMs?: number) =>
    usageEmbed({ ...VIEW, figures: { ...VIEW.figures, today: { ...VIEW.figures.today, remaining: 0, resetsAtMs } } });
  expect(spent(NOON_MS + 3_600_000).description).toBe(`Today's requests are used up until <t:${NOON + 3_600}:t>.`);
  expect(spent().description).toBe("Today's requests are used up.");
  const inPeriod = { used: 10, limit: 10, remaining: 0 };
  const ofPeriod = usageEmbed({ ...VIEW, figures: { ...VIEW.figures, inPeriod } });
  expect([ofPeriod.description, ofPeriod.color]).toEqual(["This period's requests are used up.", spent().color]);
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
    breaker: fc.constantFrom(CLOSED_BREAKER, OPEN, { ...OPEN, reason: 'key', state: 'halfOpen' } as const),
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
    isIsolated: fc.boolean(),
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

it.each([
  [0, 10, 0, '0%'],
  [10, 10, 10, '100%'],
  [1, 3, 3, '33%'],
  [11, 10, 10, '100%'],
  [-1, 10, 0, '0%'],
  [5, 0, 0, '0%'],
])('a bar of %d in %d has %d cells filled', (part, whole, filled, share) => {
  expect(bar('en', part, whole)).toBe(`${'▰'.repeat(filled)}${'▱'.repeat(10 - filled)} ${share}`);
});
