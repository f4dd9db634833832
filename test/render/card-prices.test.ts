import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PricePoint } from '../../src/model/price-history.ts';
import { type CardView, cardEmbed, cardEmbeds, sparkline } from '../../src/render/card-embed.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 20, 12);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const CARD = { id: 'a', name: 'A' };
const VIEW = { card: CARD, showPrices: true, quota: undefined, locale: 'en-US', currency: undefined };

/** The lines below a card of which nothing but prices is known. */
function shown(
  market: number,
  history: PricePoint[],
  { prices = {}, ...more }: Partial<CardView & CardView['card']> = {},
) {
  const view = { ...VIEW, card: { ...CARD, prices: { market, ...prices } }, answer: { fetchedAtMs: NOW_MS, history } };
  return linesOf(cardEmbed({ ...view, ...more }));
}

const linesOf = ({ description = '' }: ReturnType<typeof cardEmbed>) => description.split('\n');

/** One price for each day up to now. */
function daily(...prices: number[]): PricePoint[] {
  return prices.map((market, index) => [NOW_MS - (prices.length - 1 - index) * DAY_MS, market]);
}

describe('the lines of a price', () => {
  it('say how it moved in a week, and draw the curve with its range in words', () => {
    const prices = [20, 30, 28, 25, 27, 32, 33, 30, 31.26];
    expect(shown(31.26, daily(...prices))).toEqual([
      '**31.26** market ▲ 4.2% in 7 days',
      `${sparkline(prices.slice(1))} 20–33 since Nov 12`,
      expect.stringMatching(/^-# Prices · /),
    ]);
  });

  it.each([
    [15, '**15.00** market ▼ 50% in 7 days'],
    [30, '**30.00** market · unchanged for 7 days'],
    [30.001, '**30.00** market · unchanged for 7 days'],
    [0.0003, '**0.0003** market ▼ 99% in 7 days'],
    [90, '**90.00** market ▲ 200% in 7 days'],
  ])('say how a price of 30 became %d', (market, line) => {
    const history: PricePoint[] = [
      [NOW_MS - 7 * DAY_MS, 30],
      [NOW_MS, market],
    ];
    expect(shown(market, history)[0]).toBe(line);
    expect(shown(market, history)).toHaveLength(2);
  });

  it.each([
    [31.26, ['**31.26** market', '▲ 4.2% in 7 days', '-# Prices · <t:1795176000:R>']],
    [30, ['**30.00** market', 'unchanged for 7 days', '-# Prices · <t:1795176000:R>']],
  ])('are short ones beside a small picture, at a price of %d', (market, lines) => {
    const card = { ...CARD, prices: { market, low: 20, high: 40 } };
    const answer = { fetchedAtMs: NOW_MS, history: daily(20, 30, 28, 25, 27, 32, 33, 30, market) };
    const [embed] = cardEmbeds([{ ...VIEW, card, answer }], true);
    expect(linesOf(embed ?? {})).toEqual(lines);
  });

  it.each([
    [60_000, ['-# Prices · <t:1795176000:R>']],
    [60_001, []],
  ])('say how old it is, but not when a clock that was %d ms ahead said so', (aheadMs, lines) => {
    expect(shown(5, [], { answer: { fetchedAtMs: NOW_MS + aheadMs } }).slice(1)).toEqual(lines);
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
    const answer = { fetchedAtMs: NOW_MS, history: daily(1, 2, 3, 4, 5, 6, 7, 8), missingRow: { sinceMs: NOW_MS } };
    expect(shown(400, [], { answer, isJustFetched: true })).toEqual(['**400.00** market']);
  });
});

it.each<[number[], string]>([
  [[1, 2, 3, 4, 5, 6, 7, 8], '▁▂▃▄▅▆▇█'],
  [[3, 3, 3], '▅▅▅'],
])('a sparkline of %j is %s', (prices, bars) => {
  expect(sparkline(prices)).toBe(bars);
});
