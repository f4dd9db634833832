import { expect, it } from 'vitest';
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

/** @param prices by ids, as JSON */
function knownBy(prices: string) {
  return new Map(Object.entries<Prices>(JSON.parse(prices)).map((each) => kept(...each)));
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

const cards = ['newest', 'middle', 'oldest'].map((id) => ({ id, name: id }));
it.each(table`
  is the newest where no price is known | | {} | newest
  is the newest where a card has no price | | {"oldest": null} | newest
  is the cheapest that is known | | {"middle": {"market": 2}, "oldest": {"market": 3}} | middle
  is not the cheapest by offers | | {"middle": {"low": 1}, "oldest": {"market": 3}} | oldest
  is not compared over currencies | | {"newest": {"market": 9, "currency": "EUR"}, "oldest": {"market": 1, "currency": "JPY"}} | newest
  of a foil is the cheapest foil | foil | {"middle": {"market": 1}, "oldest": {"market": 3, "label": "foil"}} | oldest
`)('the printing of a line that names none %s', (_, finish = '', prices = '', chosen) => {
  expect(choosePrinting({ typed: '', count: 1, finish: finishOf(finish), cards }, knownBy(prices))?.card.id).toBe(
    chosen,
  );
});

it('the printing of a line that names none is none of a line that means no card', () =>
  expect(choosePrinting({ typed: '', count: 1, cards: [] }, new Map())).toBeUndefined());

it.each(table`
  is summed in hundredths of minor units, without the errors of fractions
    | 3 a, 1 b | {"a": {"market": 0.1}, "b": {"market": 1.005}} | 13050 USD of 4 | 1 b, 3 a
  is also of prices of less than half a cent
    | 4 a, 1 b | {"a": {"market": 0.004}, "b": {"market": 0.004}} | 200 USD of 5 | 4 a, 1 b
  never adds two currencies, and begins with that of most cards
    | 2 b, 1 a, 4 c
    | {"a": {"market": 1, "currency": "EUR"}, "b": {"market": 2}, "c": {"low": 3, "currency": "EUR"}}
    | 10000 EUR of 1 and 120000 of 4, 40000 USD of 2 | 1 a, 2 b
`)('the worth of a list %s', (_, typed = '', prices = '', sums, most) => {
  const lines = [...typed.matchAll(/(\d+) (\w+)/g)].map(([, count, id]) => line(id, Number(count)));
  const worth = worthOf(lines, knownBy(prices), 'USD');
  const told = worth.sums.map(({ currency, market, low, cards }) => {
    const offers = cards.low || low ? ` and ${low} of ${cards.low}` : '';
    return `${market} ${currency} of ${cards.market}${offers}`;
  });
  expect([told, dearest(worth).map((each) => each.typed)].map((each) => each.join(', '))).toEqual([sums, most]);
});

it.each([
  [13_050, 1.31],
  [200, 0.02],
])('%d hundredths of a cent are %d dollars', (sum, price) => expect(fromHundredths(sum, 'USD')).toBe(price));

it.each([
  [12.5, 'JPY', 1_250],
  [12.5, undefined, 125_000],
  [0.0049, 'USD', 49],
  [1.2345, 'KWD', 123_450],
  [1, 'ABC', 10_000],
])('%d %s is %d hundredths of its minor unit', (price, currency, sum) =>
  expect(toHundredths(price, currency)).toBe(sum),
);

it('a list tells what is known of different cards, what is not, and what is old', () => {
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

it('a list that has a worth names its dearest cards', () => {
  const ids = Array.from({ length: 12 }, (_, at) => `c${at}`);
  const prices = new Map(ids.map((id, at) => kept(id, { market: at })));
  const worth = worthOf(
    ids.map((id) => line(id)),
    prices,
    'USD',
  );
  expect(dearest(worth).map(({ card }) => card.id)).toEqual(ids.slice(2).reverse());
});
