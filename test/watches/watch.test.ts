import { describe, expect, it } from 'vitest';
import { priceAsShown } from '../../src/render/formats.ts';
import { type Lines, newWatch, type Watch, withPrice } from '../../src/watches/watch.ts';

const cents = (price: number) => priceAsShown(price, undefined);
const NOW_MS = Date.UTC(2026, 10, 23);

function watchFor(lines: Lines, price?: number): Watch {
  const wish = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', ...lines };
  return newWatch(wish, price, NOW_MS, cents);
}

/** The lines that are crossed by each of the prices in turn. */
function crossed(watch: Watch, prices: readonly number[]): (string | undefined)[] {
  let current = watch;
  return prices.map((price, at) => {
    const { untold, ...after } = withPrice(current, price, NOW_MS + at, cents);
    current = after; // the member is told at once
    return untold && `${after.crossings} ${untold.line} ${untold.price}`;
  });
}

describe('a line is crossed by the price that comes to it from the other side', () => {
  it.each<[string, Lines, known: number | undefined, prices: number[], (string | undefined)[]]>([
    ['from below', { above: 40 }, 36, [39.99, 40, 45], [undefined, '1 above 40', undefined]],
    ['from above', { below: 30 }, 36, [30.01, 30, 12], [undefined, '1 below 30', undefined]],
    [
      'again once it has come back',
      { below: 30 },
      36,
      [29, 31, 30, 30],
      ['1 below 29', undefined, '2 below 30', undefined],
    ],
    [
      'again after two percent of it, not before',
      { below: 10, above: 20 },
      12,
      [9.99, 10.01, 9.99, 10.19, 9.99, 10.2, 10, 20, 19.61, 20, 19.6, 20],
      [
        '1 below 9.99',
        ...Array(5).fill(undefined),
        '2 below 10',
        '3 above 20',
        ...Array(3).fill(undefined),
        '4 above 20',
      ],
    ],
    [
      'again after exactly two percent, without the errors of fractions',
      { below: 7, above: 14 },
      10,
      [7, 7.14, 7, 14, 13.72, 14],
      ['1 below 7', undefined, '2 below 7', '3 above 14', undefined, '4 above 14'],
    ],
    [
      'again after the smallest amount that is shown, where that is more',
      { below: 0.1 },
      1,
      [0.1, 0.104, 0.1, 0.106, 0.1],
      ['1 below 0.1', undefined, undefined, undefined, '2 below 0.1'],
    ],
    [
      'each by itself, however close they are',
      { above: 10.02, below: 9.98 },
      10,
      [9.97, 10.03, 9.97, 10.03],
      ['1 below 9.97', '2 above 10.03', undefined, undefined],
    ],
    [
      'in lines about a price of which no cent is a part',
      { percent: 10 },
      0.03,
      [0.034, 0.035, 0.03, 0.02],
      [undefined, '1 above 0.04', undefined, '2 below 0.02'],
    ],
    ['by what is shown of a price', { above: 10 }, 9, [9.994, 9.996, 10.004], [undefined, '1 above 10', undefined]],
    [
      'either of two',
      { above: 40, below: 30 },
      36,
      [41, 29, 36, 42],
      ['1 above 41', '2 below 29', undefined, '3 above 42'],
    ],
    [
      'not by a price that was there at the beginning',
      { below: 30 },
      27,
      [26, 31, 30],
      [undefined, undefined, '1 below 30'],
    ],
    ['by the first price of all, when none was known', { below: 30 }, undefined, [27, 26], ['1 below 27', undefined]],
  ])('%s', (_, lines, known, prices, expected) => {
    expect(crossed(watchFor(lines, known), prices)).toEqual(expected);
  });
});

describe('a percentage becomes lines about the first price that is known', () => {
  it.each<[string, Lines, price: number, Lines]>([
    ['either way, in cents', { percent: 10 }, 36.33, { above: 39.96, below: 32.7 }],
    ['also of little more than one', { percent: 10 }, 1.33, { above: 1.46, below: 1.2 }],
    ['of less than one, unrounded', { percent: 50 }, 0.25, { above: 0.375, below: 0.125 }],
    ['beside a line that was named', { percent: 10, above: 50 }, 36, { above: 50, below: 32.4 }],
    ['not where a line that was named is in its way', { percent: 10, below: 40 }, 30, { below: 40 }],
    ['nor where it would be the other', { percent: 10, above: 27 }, 30, { above: 27, below: undefined }],
  ])('%s', (_, lines, price, expected) => {
    const { above, below, percent } = { percent: undefined, ...withPrice(watchFor(lines), price, NOW_MS, cents) };
    expect({ above, below, percent }).toEqual({ above: undefined, percent: undefined, ...expected });
    expect(watchFor(lines, price)).toMatchObject(expected);
  });

  it('which it does not cross itself', () => {
    expect(crossed(watchFor({ percent: 10 }), [30, 32, 33])).toEqual([undefined, undefined, '1 above 33']);
  });
});

it('a price that changes nothing leaves the same watch', () => {
  const watch = watchFor({ below: 30 }, 36);
  expect(withPrice(watch, 31, NOW_MS, cents)).toBe(watch);
});

it('a watch that is set again keeps what the member was not told, with the price they had named', () => {
  const crossing = withPrice(watchFor({ below: 30 }, 36), 29, NOW_MS, cents);
  const again = newWatch({ ...crossing, below: 20 }, 29, NOW_MS + 1, cents, crossing);
  expect(again).toEqual({ ...crossing, below: 20, crossed: [], setAtMs: NOW_MS + 1 });
  expect(again.untold).toMatchObject({ target: 30 });
  expect(withPrice(again, 19, NOW_MS + 2, cents)).toMatchObject({ crossings: 1, untold: { target: 20, price: 19 } });
});

it('yen have no cents', () => {
  const wish = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'ja', above: 10.4 };
  const yen = (price: number) => priceAsShown(price, 'JPY');
  const watch = newWatch(wish, 9, NOW_MS, yen);
  expect(withPrice(watch, 9.5, NOW_MS, yen).untold).toMatchObject({ target: 10, price: 10 });
});

it('a price that is not to be compared with those before crosses nothing, and the next one does', () => {
  const watch = watchFor({ above: 40, below: 30 }, 36);
  const anew = withPrice(watch, 400, NOW_MS, cents, { isAnew: true });
  expect(anew).toMatchObject({ crossed: ['above'], crossings: 0 });
  expect(anew.untold).toBeUndefined();
  expect(withPrice(anew, 29, NOW_MS, cents, { label: 'foil', currency: 'USD' }).untold).toMatchObject({
    ...{ line: 'below', price: 29, label: 'foil', currency: 'USD' },
  });
});
