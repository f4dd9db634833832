import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Breaker, CLOSED_BREAKER } from '../../src/model/quota.ts';
import { bar, type UsageView, usageEmbed } from '../../src/render/usage-embed.ts';
import { usageFigures } from '../../src/render/usage-figures.ts';
import { UsageAnswer } from '../../src/service/card-service.ts';
import { expectAccepted } from './discord-limits.ts';
import { locale, momentMs, quotaState, serviceUsage } from './service-answers.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;

const FLOWS = 'Requests go out as cards are asked for.';
const OPEN: Breaker = {
  state: 'open',
  reason: 'outage',
  sinceMs: NOON_MS - 25_000,
  untilMs: NOON_MS + 5_000,
  failures: 3,
};

const VIEW: UsageView = {
  breaker: CLOSED_BREAKER,
  missing: undefined,
  learned: { window: undefined, capacity: undefined },
  figures: {
    today: { limit: 1_000, remaining: 500, resetsAtMs: NOON_MS + 3_600_000 },
    report: { plan: 'pro', period: { startMs: NOON_MS, endMs: NOON_MS + 86_400_000 } },
    inPeriod: { used: 10_000, limit: 50_000, remaining: 40_000 },
  },
  reportAtMs: NOON_MS,
  runsOutAtMs: undefined,
  everybody: { requests: 500, refused: 0, saved: 1_234 },
  server: { requests: 40, refused: 0, saved: 70, cap: 200, memberCap: 100 },
  topMembers: [
    { memberId: '101', requests: 30 },
    { memberId: '102', requests: 10 },
  ],
  waitingNow: 3,
  nowMs: NOON_MS,
  locale: 'en-US',
};

function values(view: Partial<UsageView>): Record<string, string> {
  const fields = usageEmbed({ ...VIEW, ...view }).fields ?? [];
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

function today(left: { limit: number | undefined; remaining: number | undefined }): Partial<UsageView> {
  return { figures: { ...VIEW.figures, today: { ...left, resetsAtMs: undefined } } };
}

describe('the embed of the usage', () => {
  it('shows today, the plan and its period, what was saved, how many wait and the age of the report', () => {
    expect(values({})).toEqual({
      Today: `▰▰▰▰▰▰▰▰▰▰▱▱▱▱▱▱▱▱▱▱ 50 %\n500 of 1,000 left\nall back at <t:${NOON + 3_600}:t>`,
      Plan: 'pro',
      Period: `<t:${NOON}:d> – <t:${NOON + 86_400}:d>`,
      'In this period': '▰▰▰▰▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱ 20 %\n10,000 of 50,000 used, 40,000 left',
      'Saved today': '1,234 requests',
      'Waiting now': '3',
      'Report from': `<t:${NOON}:R>`,
      'This server today':
        '40 requests of its share of 200, 70 answered from the cache\nat most 100 requests for each member',
      'Most requests today': '<@101> 30\n<@102> 10',
    });
  });

  it('without a report shows what is known, and what is missing', () => {
    const figures = { ...VIEW.figures, report: undefined, inPeriod: undefined };
    const view = { ...VIEW, figures, missing: 'No key.' };
    expect(Object.keys(values(view))).toEqual([
      'Today',
      'Saved today',
      'Waiting now',
      'This server today',
      'Most requests today',
    ]);
    expect(usageEmbed(view).description).toBe(`${FLOWS}\nNo key.`);
    expect(usageEmbed(view).color).not.toBe(usageEmbed(VIEW).color);
    expect(usageEmbed(VIEW).description).toBe(FLOWS);
  });

  it.each([
    [
      { window: 10, capacity: undefined },
      'The service lets 10 requests through in any minute, and this bot keeps to that.',
    ],
    [{ window: undefined, capacity: 1 }, 'The service lets one request through at once, and this bot keeps to that.'],
  ])('says what answers have taught of the limiter: %o', (learned, said) => {
    expect(usageEmbed({ ...VIEW, learned }).description).toBe(`${FLOWS}\n${said}`);
  });

  it('shows that nothing is known before the first answer', () => {
    expect(values(today({ limit: undefined, remaining: undefined })).Today).toBe(
      'not known before the first answer of the day',
    );
  });

  it.each([
    ['remaining', { limit: 1_000, remaining: undefined }, '? of 1,000 left'],
    ['limit', { limit: undefined, remaining: 5 }, '5 of ? left'],
  ])('marks a %s that is not known', (_, left, said) => {
    expect(values(today(left)).Today).toBe(said);
  });

  it('marks single missing figures of the report', () => {
    const report = { plan: '', period: { startMs: undefined, endMs: NOON_MS } };
    const inPeriod = { used: 3, limit: undefined, remaining: undefined };
    expect(values({ figures: { ...VIEW.figures, report, inPeriod } })).toMatchObject({
      Plan: 'unnamed',
      Period: `? – <t:${NOON}:d>`,
      'In this period': '3 of ? used, ? left',
    });
  });

  it('counts one request as one', () => {
    expect(values({ everybody: { requests: 1, refused: 0, saved: 1 } })['Saved today']).toBe('1 request');
  });

  it('shows when the day will be spent, if it will', () => {
    expect(values({ runsOutAtMs: NOON_MS + 60_000 }).Today).toContain(`at the present rate gone at <t:${NOON + 60}:t>`);
  });

  it('leaves out the budget, the cap and the top members that there are not', () => {
    const server = { requests: 1, refused: 0, saved: 0, cap: undefined, memberCap: undefined };
    const shown = values({ server, topMembers: [] });
    expect(shown['This server today']).toBe('1 request, 0 answered from the cache');
    expect(shown).not.toHaveProperty('Most requests today');
  });
});

it.each<[string, Breaker, string, boolean]>([
  ['requests flow', CLOSED_BREAKER, 'Requests go out as cards are asked for.', true],
  [
    'one was not answered',
    { ...CLOSED_BREAKER, failures: 1 },
    'The card service did not answer just now. Requests still go out.',
    false,
  ],
  [
    'it is closed for an outage',
    OPEN,
    `The card service does not answer. Last tried <t:${NOON - 25}:R>, next at <t:${NOON + 60}:t>.`,
    false,
  ],
  [
    'the next try is due: an outage lasts until one has succeeded',
    { ...OPEN, untilMs: NOON_MS },
    `The card service does not answer. Last tried <t:${NOON - 25}:R>; the next question tries again.`,
    false,
  ],
  [
    'the try is under way',
    { ...OPEN, untilMs: NOON_MS - 1, state: 'halfOpen' },
    `The card service does not answer. Last tried <t:${NOON - 25}:R>; a new try is under way.`,
    false,
  ],
  [
    'the day is spent',
    { ...OPEN, reason: 'day', untilMs: NOON_MS + 12 * 3_600_000 },
    `Today's requests to the card service are used up. Last tried <t:${NOON - 25}:R>, next at <t:${NOON + 43_200}:t>.`,
    false,
  ],
  [
    'the service asked for a pause',
    { ...OPEN, reason: 'pause', untilMs: NOON_MS + 60_000 },
    `The card service asked us to wait. Last tried <t:${NOON - 25}:R>, next at <t:${NOON + 60}:t>.`,
    false,
  ],
  [
    'the key is refused',
    { ...OPEN, reason: 'key', untilMs: NOON_MS + 60_000 },
    `The card service does not accept this bot's API key: check CARD_SERVICE_API_KEY. Last tried <t:${NOON - 25}:R>, next at <t:${NOON + 60}:t>.`,
    false,
  ],
])('shows the state of the circuit breaker at this second: %s', (_, breaker, state, isWell) => {
  const { description, color } = usageEmbed({ ...VIEW, breaker });
  expect([description, color === usageEmbed(VIEW).color]).toEqual([state, isWell]);
});

const bookings = fc.record({ requests: fc.maxSafeNat(), refused: fc.maxSafeNat(), saved: fc.maxSafeNat() });
const cap = fc.option(fc.maxSafeNat(), { nil: undefined });

describe('whatever the service sends for a report', () => {
  it('Discord accepts the embed', () => {
    const report = fc.option(
      fc.record({ usage: serviceUsage.map((it) => UsageAnswer.parse(JSON.parse(JSON.stringify(it)))), atMs: momentMs }),
      { nil: undefined },
    );
    const view = fc.record({
      breaker: fc.constantFrom(CLOSED_BREAKER, OPEN, { ...OPEN, reason: 'key', state: 'halfOpen' } as const),
      missing: fc.constantFrom(undefined, 'No key.'),
      figures: fc.record({ report, quota: quotaState, nowMs: momentMs }).map(usageFigures),
      reportAtMs: fc.option(momentMs, { nil: undefined }),
      runsOutAtMs: fc.option(momentMs, { nil: undefined }),
      everybody: bookings,
      server: fc.record({
        requests: fc.maxSafeNat(),
        refused: fc.maxSafeNat(),
        saved: fc.maxSafeNat(),
        cap,
        memberCap: cap,
      }),
      topMembers: fc.array(fc.record({ memberId: fc.string({ maxLength: 20 }), requests: fc.maxSafeNat() }), {
        maxLength: 5,
      }),
      learned: fc.record({
        window: fc.option(fc.maxSafeNat(), { nil: undefined }),
        capacity: fc.option(fc.maxSafeNat(), { nil: undefined }),
      }),
      waitingNow: fc.maxSafeNat(),
      nowMs: momentMs,
      locale,
    });
    fc.assert(
      fc.property(view, (view) => expectAccepted(usageEmbed(view))),
      { numRuns: 500 },
    );
  });
});

describe('a bar', () => {
  it.each([
    [0, 10, 0, '0 %'],
    [10, 10, 20, '100 %'],
    [1, 3, 7, '33 %'],
    [11, 10, 20, '100 %'],
    [-1, 10, 0, '0 %'],
    [5, 0, 0, '0 %'],
  ])('of %d in %d has %d cells filled', (part, whole, filled, share) => {
    expect(bar(part, whole)).toBe(`${'▰'.repeat(filled)}${'▱'.repeat(20 - filled)} ${share}`);
  });
});
