import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../sandbox/page/markdown.ts';
import { Card } from '../../src/model/card.ts';
import type { PricePoint } from '../../src/model/price-history.ts';
import {
  type CardView,
  cardEmbed,
  cardEmbeds,
  costs,
  FRESH_COLOUR,
  noSuchCard,
  publicUrl,
  STALE_COLOUR,
  sparkline,
  totalLength,
} from '../../src/render/card-embed.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { idOrNothing } from '../support/any-id.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { table } from '../table.ts';
import { nastyText, serviceCard } from './service-answers.ts';

const FETCHED_AT_MS = Date.UTC(2026, 10, 20, 12);
const FETCHED = '<t:1795176000:R>';
const RENEWING = formatMessage('en-US', 'renewing');

const VIEW: CardView = {
  card: {
    id: 'base1-4',
    name: 'Ember Drake',
    game: 'Wyrmfall',
    set: { id: 'base1', name: 'First Fires' },
    number: '4/102',
    rarity: 'Rare',
    imageUrl: 'https://cards.test/base1-4.png',
    prices: { market: 1234.5, low: 0, high: 2000 },
  },
  answer: { fetchedAtMs: FETCHED_AT_MS },
  showPrices: true,
  locale: 'en-US',
  currency: undefined,
  quota: { limit: 1_000, remaining: 987, resetsAtMs: undefined, receivedAtMs: FETCHED_AT_MS },
};

/** The embed, and its lines; the card differs from the usual one in `card`. */
function embedOf({ card, ...view }: Partial<Omit<CardView, 'card'>> & { card?: Partial<CardView['card']> }) {
  return cardEmbed({ ...VIEW, ...view, card: { ...VIEW.card, ...card } });
}

function lines(...given: Parameters<typeof embedOf>): string[] {
  return embedOf(...given).description?.split('\n') ?? [];
}

describe('the embed of a card', () => {
  const ABSENT = { number: undefined, rarity: undefined, imageUrl: undefined };
  const EMPTY = { id: '\u200b', game: '', set: { id: '', name: '' }, number: '', rarity: '' };
  const BARE = { showPrices: false, quota: undefined };
  const NO_PRICES = 'Wyrmfall · First Fires · 4/102 · Rare\nNo prices for this card.';

  it.each<[string, Parameters<typeof embedOf>[0], object]>([
    [
      'the line of its service in the footer, and no picture where that forbids it',
      { display: { hasPictures: false, notice: 'Data: Mine' } },
      {
        footer: { text: 'base1-4 · 987 of 1,000 new lookups left today\nData: Mine' },
        image: undefined,
        color: FRESH_COLOUR,
      },
    ],
    [
      'nothing of what is absent',
      { ...BARE, card: ABSENT },
      { description: 'Wyrmfall · First Fires', image: undefined, footer: { text: 'base1-4' } },
    ],
    ['no empty description and footer', { ...BARE, card: EMPTY }, { description: undefined, footer: undefined }],
    ['a mark in place of its name', { card: { name: ' \u200b' } }, { title: '(no name)' }],
    ['one line for no prices', { card: { prices: undefined } }, { description: NO_PRICES }],
    [
      'a note on a stale copy, and that it is no longer listed, as lines of their own in another colour',
      { answer: { fetchedAtMs: 0, delistedAtMs: FETCHED_AT_MS }, note: RENEWING },
      {
        description: expect.stringMatching(`\nNo longer listed. This is the last copy I saved.\n${RENEWING}$`),
        color: STALE_COLOUR,
      },
    ],
    ['another colour with a note', { note: RENEWING }, { color: STALE_COLOUR }],
    [
      'escapes where Discord reads Markdown alone',
      { card: { id: '*a*', name: '*a*', game: '*a*', rarity: '*a*' } },
      {
        title: '\\*a\\*',
        description: expect.stringMatching(/^\\\*a\\\* · First Fires · 4\/102 · \\\*a\\\*\n/),
        image: { url: VIEW.card.imageUrl, description: 'Picture of *a*' },
        footer: { text: '*a* · 987 of 1,000 new lookups left today' },
      },
    ],
  ])('has %s', (_, view, shown) => {
    const without = { description: undefined, image: undefined, footer: undefined };
    expect({ ...without, ...embedOf(view) }).toMatchObject(shown);
  });

  it.each<[string, string | undefined, string, Partial<CardView['card']>]>([
    ['where the service says', undefined, 'https://cards.test/a', {}],
    ['nowhere but on a public host', undefined, '', { pageUrl: 'http://10.0.0.1/a' }],
    ['nowhere but in the web', undefined, '', { pageUrl: 'javascript:alert(1)' }],
    ['where the operator says', '{name}?n={number}#{id}', 'https://shop.test/Ember%20Drake?n=4%2F102#base1-4', {}],
    ['nowhere when it lacks what its page is named after', '{number}', '', { number: undefined }],
  ])('links to its page %s', (_, path, url, card) => {
    const display = path === undefined ? undefined : { pageUrl: `https://shop.test/${path}`, hasPictures: true };
    expect(embedOf({ display, card: { pageUrl: 'https://cards.test/a', ...card } }).url ?? '').toBe(url);
  });

  it.each(table`
    {"market": 1, "low": 2} | **1.00** market | offers from 2.00
    {"market": 1, "high": 3} | **1.00** market | offers up to 3.00
    {"market": 1} | **1.00** market | Prices
    {"low": 2, "high": 3} | offers 2.00 to 3.00 | Prices
    {"low": 2} | offers from 2.00 | Prices
    {"high": 3} | offers up to 3.00 | Prices
  `)('shows the prices that there are: %s', (prices = '', first, second) => {
    expect(lines({ card: { prices: JSON.parse(prices) } }).slice(1)).toEqual([first, `-# ${second} · ${FETCHED}`]);
  });
});

const DAY_MS = 86_400_000;
const CARD = { id: 'a', name: 'A' };
const PRICED = { ...VIEW, quota: undefined };

/** The lines below a card of which nothing but prices is known. */
function shown(
  market: number,
  history: PricePoint[],
  { prices = {}, ...more }: Partial<CardView & CardView['card']> = {},
) {
  const view = {
    ...PRICED,
    card: { ...CARD, prices: { market, ...prices } },
    answer: { fetchedAtMs: FETCHED_AT_MS, history },
  };
  return linesOf(cardEmbed({ ...view, ...more }));
}

const linesOf = ({ description = '' }: ReturnType<typeof cardEmbed>) => description.split('\n');

/** One price for each day up to now. */
function daily(...prices: number[]): PricePoint[] {
  return prices.map((market, index) => [FETCHED_AT_MS - (prices.length - 1 - index) * DAY_MS, market]);
}

describe('the lines of a price', () => {
  beforeEach(() => fakeTimers({ now: FETCHED_AT_MS, toFake: ['Date'] }));

  it('say how it moved in a week, and draw the curve with its range in words', () => {
    const prices = [20, 30, 28, 25, 27, 32, 33, 30, 31.26];
    expect(shown(31.26, daily(...prices))).toEqual([
      '**31.26** market ▲ 4.2% in 7 days',
      `${sparkline(prices.slice(1))} 20–33 since Nov 12`,
      expect.stringMatching(/^-# Prices · /),
    ]);
  });

  it.each(table`
    15 | **15.00** market ▼ 50% in 7 days
    30 | **30.00** market · unchanged for 7 days
    30.001 | **30.00** market · unchanged for 7 days
    0.0003 | **0.0003** market ▼ 99% in 7 days
    90 | **90.00** market ▲ 200% in 7 days
  `)('say how a price of 30 became %s', (became, line) => {
    const market = Number(became);
    const history: PricePoint[] = [
      [FETCHED_AT_MS - 7 * DAY_MS, 30],
      [FETCHED_AT_MS, market],
    ];
    expect(shown(market, history)[0]).toBe(line);
    expect(shown(market, history)).toHaveLength(2);
  });

  it.each([
    [31.26, ['**31.26** market', '▲ 4.2% in 7 days', `-# Prices · ${FETCHED}`]],
    [30, ['**30.00** market', 'unchanged for 7 days', `-# Prices · ${FETCHED}`]],
  ])('are short ones beside a small picture, at a price of %d', (market, lines) => {
    const card = { ...CARD, prices: { market, low: 20, high: 40 } };
    const answer = { fetchedAtMs: FETCHED_AT_MS, history: daily(20, 30, 28, 25, 27, 32, 33, 30, market) };
    const [embed] = cardEmbeds([{ ...PRICED, card, answer }], true);
    expect(linesOf(embed ?? {})).toEqual(lines);
  });

  it.each([
    [60_000, [`-# Prices · ${FETCHED}`]],
    [60_001, []],
  ])('say how old it is, but not when a clock that was %d ms ahead said so', (aheadMs, lines) => {
    expect(shown(5, [], { answer: { fetchedAtMs: FETCHED_AT_MS + aheadMs } }).slice(1)).toEqual(lines);
  });

  it('show nothing of the past of a card that has no market price now', () => {
    const lines = (prices: object) =>
      shown(0, daily(1, 2, 3, 4, 5, 6, 7, 8, 9), { prices: { market: undefined, ...prices } });
    expect(lines({ low: 1 })).toEqual(['offers from 1.00', expect.stringMatching(/^-# Prices · /)]);
    expect(lines({})).toEqual(['No prices for this card.']);
  });

  it('name the row of the price and its currency', () => {
    const prices = { low: 4, label: 'Near *Mint*', currency: 'USD' };
    const lines = shown(5, [], { prices, currency: 'EUR', isJustFetched: true });
    expect(lines).toEqual(['**$5.00** market (Near \\*Mint\\*)', '-# offers from $4.00']);
  });

  it('compare the price of another row with nothing', () => {
    const answer = {
      fetchedAtMs: FETCHED_AT_MS,
      history: daily(1, 2, 3, 4, 5, 6, 7, 8),
      missingRow: { sinceMs: FETCHED_AT_MS },
    };
    expect(shown(400, [], { answer, isJustFetched: true })).toEqual(['**400.00** market']);
  });
});

it.each<[number[], string]>([
  [[1, 2, 3, 4, 5, 6, 7, 8], '▁▂▃▄▅▆▇█'],
  [[3, 3, 3], '▅▅▅'],
])('a sparkline of %j is %s', (prices, bars) => {
  expect(sparkline(prices)).toBe(bars);
});

const LONG = 'x'.repeat(250);
const LONG_CARD = {
  ...{ id: 'i'.repeat(100), name: LONG, game: LONG, number: LONG, rarity: LONG, set: { id: LONG, name: LONG } },
  prices: { market: 1_234, low: 1, high: 9_999 },
};
const LONG_VIEW = { ...VIEW, card: LONG_CARD, quota: undefined };

it('many long cards give up the ends of their titles step by step, and their prices last', () => {
  const shown = (cards: number, noteLength: number) => {
    const embeds = cardEmbeds(Array(cards).fill({ ...LONG_VIEW, note: 'n'.repeat(noteLength) }), true);
    expect(embeds).toHaveLength(cards);
    expect(totalLength(embeds)).toBeLessThanOrEqual(6_000);
    return [embeds[0]?.title?.length, embeds[0]?.description?.includes('1,234')];
  };
  expect([shown(1, 0), shown(10, 0), shown(10, 160), shown(10, 290)]).toEqual([
    [250, true],
    [120, true],
    [80, true],
    [60, false],
  ]);
});

it.each(table`
  https | https://cards.test/a.png | https://cards.test/a.png
  http | http://cards.test/a.png | http://cards.test/a.png
  spaces and other scripts, encoded | https://cards.test/四 b | https://cards.test/%E5%9B%9B%20b
  2,048 characters | https://cards.test/${'x'.repeat(2_029)} | https://cards.test/${'x'.repeat(2_029)}
  no address | a.png |
  no scheme | //cards.test/a.png |
  javascript: | javascript:alert(1) |
  data: | data:image/png;base64,AAAA |
  file: | file:///etc/passwd |
  attachment: | attachment://a.png |
  no host | https:// |
  this machine | http://localhost/a.png |
  this machine by number | http://127.0.0.1/a.png |
  this machine in disguise | http://2130706433/a.png |
  a private network | http://10.0.0.1/a.png |
  an IPv6 address | http://[::1]/a.png |
  a name inside a network | http://cards.internal./a.png |
  a user and password | https://me:pw@cards.test/a.png |
  a password alone | https://:pw@cards.test/a.png |
  2,049 characters | https://cards.test/${'x'.repeat(2_030)} |
  over 2,048 characters once encoded | https://cards.test/${'四'.repeat(300)} |
`)('the picture of a card, at %s', (_, text, url) => {
  expect(publicUrl(text) ?? '').toBe(url);
});

it('whatever the service sends for a card, its texts are no Markdown', () => {
  const sent = serviceCard.map((card) => Card.parse(JSON.parse(JSON.stringify(card))));
  fc.assert(
    fc.property(sent, (card) => {
      const { title = '', description = '' } = cardEmbed({ ...VIEW, card, showPrices: false });
      const tokens = [title, description].flatMap(parseMarkdown);
      expect(tokens.map(({ type }) => type).filter((type) => type !== 'text')).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

it.each([
  ['no limit', { limit: undefined }, '1,234 new lookups left today'],
  ['those of an hour', { per: 'hour' as const }, '1,234 of 50,000 new lookups left this hour'],
  ['those of a month', { per: 'month' as const }, '1,234 of 50,000 new lookups left this month'],
  ['no remaining', { remaining: undefined }, false],
  ['nothing known', undefined, false],
])('what is left of the day with %s', (_, more, said) => {
  const quota = more && { limit: 50_000, remaining: 1_234, resetsAtMs: undefined, receivedAtMs: 0, ...more };
  expect(costs({ quota, locale: 'en' })).toEqual([false, said]);
});

describe('"no such card"', () => {
  it('says when that was known, if it may have changed, but no time that a clock that was ahead has left', () => {
    const said = 'No card had the id **x** when I last checked. Try typing its name.';
    expect(noSuchCard('en-US', 'x', FETCHED_AT_MS, true)).toBe(`${said}\n-# ${FETCHED}`);
    expect(noSuchCard('en-US', 'x', Date.now() + 30 * DAY_MS, true)).toBe(said);
  });

  it('names any id as text, in bold, within a message', () => {
    const anyId = nastyText.map((text) => idOrNothing(text.slice(0, 100))).filter((id) => id !== undefined);
    fc.assert(
      fc.property(anyId, (id) => {
        const said = noSuchCard('en-US', id, FETCHED_AT_MS + 999);
        expect(said.length).toBeLessThanOrEqual(2_000);
        const [before, bold, after] = parseMarkdown(said);
        expect([before, after]).toMatchObject([{ text: 'No card has the id ' }, { text: '. Try typing its name.' }]);
        expect(bold).toMatchObject({ type: 'bold', children: [{ type: 'text' }] });
      }),
      { numRuns: 150 },
    );
  });
});
