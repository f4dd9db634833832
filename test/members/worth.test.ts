import { describe, expect, it } from 'vitest';
import {
  choosePrinting,
  dearest,
  fromHundredths,
  pricesFor,
  toHundredths,
  type WorthLine,
  worthOf,
} from '../../src/members/worth.ts';
import type { CardRecord, Known, Prices } from '../../src/model/card.ts';
import { finishOf } from '../../src/model/card.ts';
import { table } from '../table.ts';

function kept(
  id: string,
  prices?: Prices,
  more: { isStale?: boolean; fetchedAtMs?: number } = {},
): [string, Known & { answer: CardRecord }] {
  const { isStale = false, fetchedAtMs = 1_000 } = more;
  const answer = { card: { id, name: id, ...(prices && { prices }) }, fetchedAtMs };
  return [id, { kind: isStale ? 'stale' : 'fresh', answer }];
}

function line(id: string | undefined, count = 1, more: Partial<WorthLine> = {}): WorthLine {
  return { typed: `${count} ${id}`, count, cards: id ? [{ id, name: id }] : [], ...more };
}

it.each(table`
  is what is kept | | {"market": 1} | priced
  may be an offer alone | | {"low": 1} | priced
  is none without a figure | | {"high": 1, "label": "Near Mint"} |
  is none of a card without prices | | |
  of a foil is that of a foil | foil | {"market": 1, "label": "reverseHolofoil"} | priced
  of a foil is that of a foil, written in another way | foil | {"market": 1, "label": "Foil"} | priced
  of a foil is not that of another printing | foil | {"market": 1, "label": "Near Mint"} |
  of a foil is not that of no foil | foil | {"market": 1, "label": "non-foil"} |
  of a foil is not that of no foil, in one word | foil | {"market": 1, "label": "Nonfoil"} |
  of a foil is not one that does not say | foil | {"market": 1} |
  of a foil is not that of an etched one | foil | {"market": 1, "label": "foil etched"} |
  of an etched card is that of an etched one | etched | {"market": 1, "label": "etched"} | priced
  of an etched card is not that of a foil | etched | {"market": 1, "label": "foil"} |
`)('the price of a line %s', (_, finish, prices, isPriced) => {
  const [, { answer }] = kept('a', prices ? JSON.parse(prices) : undefined);
  expect(pricesFor({ finish: finishOf(finish ?? '') }, answer) ? 'priced' : '').toBe(isPriced);
});

describe('the printing of a line that names none', () => {
  const cards = ['newest', 'middle', 'oldest'].map((id) => ({ id, name: id }));
  it.each(table`
    is the newest where no price is known | | {} | newest
    is the newest where a card has no price | | {"oldest": null} | newest
    is the cheapest that is known | | {"middle": {"market": 2}, "oldest": {"market": 3}} | middle
    is not the cheapest by offers | | {"middle": {"low": 1}, "oldest": {"market": 3}} | oldest
    is not compared over currencies | | {"newest": {"market": 9, "currency": "EUR"}, "oldest": {"market": 1, "currency": "JPY"}} | newest
    of a foil is the cheapest foil | foil | {"middle": {"market": 1}, "oldest": {"market": 3, "label": "foil"}} | oldest
  `)('%s', (_, finish = '', prices = '', chosen) => {
    const known: Record<string, Prices> = JSON.parse(prices);
    const printings = new Map(Object.entries(known).map((each) => kept(...each)));
    expect(choosePrinting({ typed: '', count: 1, finish: finishOf(finish), cards }, printings)?.card.id).toBe(chosen);
  });

  it('is none of a line that means no card', () =>
    expect(choosePrinting({ typed: '', count: 1, cards: [] }, new Map())).toBeUndefined());
});

describe('what a list is worth', () => {
  it('is summed in hundredths of minor units, without the errors of fractions', () => {
    const { sums } = worthOf(
      [line('a', 3), line('b', 1)],
      new Map([kept('a', { market: 0.1 }), kept('b', { market: 1.005 })]),
      'USD',
    );
    expect(sums).toEqual([{ currency: 'USD', market: 13_050, low: 0, cards: { market: 4, low: 0 } }]);
    expect(fromHundredths(13_050, 'USD')).toBe(1.31);
  });

  it('has prices of less than half a cent, which make cents together', () => {
    const { sums } = worthOf(
      [line('a', 4), line('b')],
      new Map([kept('a', { market: 0.004 }), kept('b', { market: 0.004 })]),
      'USD',
    );
    expect(fromHundredths(sums[0]?.market ?? 0, 'USD')).toBe(0.02);
  });

  it.each([
    [12.5, 'JPY', 1_250],
    [12.5, undefined, 125_000],
    [0.0049, 'USD', 49],
    [1.2345, 'KWD', 123_450],
    [1, 'ABC', 10_000],
  ])('%d %s is %d hundredths of its minor unit', (price, currency, sum) =>
    expect(toHundredths(price, currency)).toBe(sum),
  );

  it('never adds two currencies, and begins with that of most cards', () => {
    const prices = new Map([
      kept('a', { market: 1, currency: 'EUR' }),
      kept('b', { market: 2 }),
      kept('c', { low: 3, currency: 'EUR' }),
    ]);
    const worth = worthOf([line('b', 2), line('a', 1), line('c', 4)], prices, 'USD');
    expect(worth.sums).toEqual([
      { currency: 'EUR', market: 10_000, low: 120_000, cards: { market: 1, low: 4 } },
      { currency: 'USD', market: 40_000, low: 0, cards: { market: 2, low: 0 } },
    ]);
    expect(dearest(worth).map(({ typed }) => typed)).toEqual(['1 a', '2 b']);
  });

  it('tells what is known of different cards, what is not, and what is old', () => {
    const prices = new Map([
      kept('a', { market: 1 }, { fetchedAtMs: 5 }),
      kept('b', undefined, { fetchedAtMs: 1 }),
      kept('c', { market: 1 }, { isStale: true, fetchedAtMs: 3 }),
    ]);
    const lines = [
      line('a'),
      line('a', 2, { finish: 'foil' }),
      line('b', 4),
      line('c'),
      line('d'),
      line('d', 2),
      line(undefined),
    ];
    const worth = worthOf(lines, prices, undefined);
    expect(worth).toMatchObject({ missing: ['d'], stale: ['c'], unpriced: 6, oldestAtMs: 3, guessed: 0 });
    expect(worth.unclear).toHaveLength(1);
  });

  it('names its dearest cards', () => {
    const ids = Array.from({ length: 12 }, (_, at) => `c${at}`);
    const prices = new Map(ids.map((id, at) => kept(id, { market: at })));
    const worth = worthOf(
      ids.map((id) => line(id)),
      prices,
      'USD',
    );
    expect(dearest(worth).map(({ card }) => card.id)).toEqual(ids.slice(2).reverse());
  });
});
