import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Lines, newWatch, typedPrice, type Watch, withPrice } from '../../src/members/watches.ts';
import { currencySigns, formatPrice, priceAsShown } from '../../src/render/formats.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { table } from '../table.ts';

const cents = (price: number) => priceAsShown(price, undefined);
const NOW_MS = Date.UTC(2026, 10, 23);

function watchFor(lines: Lines, price?: number): Watch {
  const wish = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', ...lines };
  return newWatch(wish, price, NOW_MS, cents);
}

/** The prices in turn, each with how many lines were crossed by then, and which it crossed at what price is shown. */
function crossed(watch: Watch, prices: readonly number[]): string {
  let current = watch;
  const told = prices.map((price, at) => {
    const { untold, ...after } = withPrice(current, price, NOW_MS + at, cents);
    current = after; // the member is told at once
    return untold ? `${price} (${after.crossings} ${untold.line} ${untold.price})` : `${price}`;
  });
  return told.join(', ');
}

it.each(table`
  from below | {"above": 40} | 36 | 39.99, 40 (1 above 40), 45
  from above | {"below": 30} | 36 | 30.01, 30 (1 below 30), 12
  again once it has come back | {"below": 30} | 36 | 29 (1 below 29), 31, 30 (2 below 30), 30
  again after two percent of it, not before | {"below": 10, "above": 20} | 12
    | 9.99 (1 below 9.99), 10.01, 9.99, 10.19, 9.99, 10.2, 10 (2 below 10), 20 (3 above 20), 19.61, 20, 19.6, 20 (4
    above 20)
  again after exactly two percent, without the errors of fractions | {"below": 7, "above": 14} | 10
    | 7 (1 below 7), 7.14, 7 (2 below 7), 14 (3 above 14), 13.72, 14 (4 above 14)
  again after the smallest amount that is shown, where that is more | {"below": 0.1} | 1
    | 0.1 (1 below 0.1), 0.104, 0.1, 0.106, 0.1 (2 below 0.1)
  each by itself, however close they are | {"above": 10.02, "below": 9.98} | 10
    | 9.97 (1 below 9.97), 10.03 (2 above 10.03), 9.97, 10.03
  in lines about a price of which no cent is a part | {"percent": 10} | 0.03
    | 0.034, 0.035 (1 above 0.04), 0.03, 0.02 (2 below 0.02)
  by what is shown of a price | {"above": 10} | 9 | 9.994, 9.996 (1 above 10), 10.004
  either of two | {"above": 40, "below": 30} | 36 | 41 (1 above 41), 29 (2 below 29), 36, 42 (3 above 42)
  not by a price that was there at the beginning | {"below": 30} | 27 | 26, 31, 30 (1 below 30)
  by the first price of all, when none was known | {"below": 30} | | 27 (1 below 27), 26
  in a percentage, which the price that it is of does not cross | {"percent": 10} | | 30, 32, 33 (1 above 33)
`)('a line is crossed by the price that comes to it from the other side %s', (_, lines = '', known, told = '') => {
  const watch = watchFor(JSON.parse(lines), known ? Number(known) : undefined);
  expect(crossed(watch, told.split(', ').map(Number.parseFloat))).toBe(told);
});

it.each(table`
  either way, in cents | {"percent":10} | 36.33 | {"above":39.96,"below":32.7}
  also of little more than one | {"percent":10} | 1.33 | {"above":1.46,"below":1.2}
  of less than one, unrounded | {"percent":50} | 0.25 | {"above":0.375,"below":0.125}
  beside a line that was named | {"percent":10,"above":50} | 36 | {"above":50,"below":32.4}
  not where a line that was named is in its way | {"percent":10,"below":40} | 30 | {"below":40}
  nor where it would be the other | {"percent":10,"above":27} | 30 | {"above":27}
`)('a percentage becomes lines about the first price that is known: %s', (_, lines = '', price, expected = '') => {
  const wish: Lines = JSON.parse(lines);
  const [later, atOnce] = [withPrice(watchFor(wish), Number(price), NOW_MS, cents), watchFor(wish, Number(price))];
  for (const { above, below, percent } of [later, atOnce])
    expect(JSON.stringify({ above, below, percent })).toBe(expected);
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

it.each([
  ...table`
    45 | 45
    45,50 | 45.5
    45.5 | 45.5
    ４５００ | 4500
    １２．５ | 12.5
    １２，５ | 12.5
    .5 |
    45. |
    0,125 |
    1,234 |
    1.234 |
    1,234.5 |
    1.234.567 |
    1'234.50 |
    30 40 |
    12² |
    1 234,50 |
    4,5,6 |
    12.34.56 |
    45-50 |
    -5 |
    1e5 |
    1k |
    5 mio |
    ten |
    |
    0.01 | 0.01
    0 |
    1000000000 | 1000000000
    1000000000.01 |
  `,
  [' 45.50 ', '45.5'],
])('%j is the price %s', (text = '', price) => {
  expect(`${typedPrice(text, undefined) ?? ''}`).toBe(price);
});

it.each(table`
  $45 | en-US | USD | 45
  45,50 $US | fr | USD | 45.5
  US$ 45 | pt-BR | USD | 45
  45 usd | es-419 | USD | 45
  45 EUR | de | EUR | 45
  R$ 45,00 | pt-BR | BRL | 45
  ￥４５００ | ja | JPY | 4500
  4500円 | ja | JPY | 4500
  €45 | en-US | USD |
  45 GBP | en-US | USD |
  R$ 45 | pt-BR | USD |
  45 mio | en-US | USD |
  $45 | en-US | | 45
  ￥４５００ | en-US | | 4500
  45 GBP | en-US | |
`)('%j, typed in %s where cards are priced in %s, is the price %s', (text = '', locale = '', currency, price) => {
  expect(`${typedPrice(text, currencySigns(locale, currency || undefined)) ?? ''}`).toBe(price);
});

it('a price that the bot has shown is read as that price or, with its thousands in groups, not at all', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LANGUAGES, 'es-419', 'en-GB'),
      fc.constantFrom(undefined, 'USD', 'EUR', 'JPY', 'BRL', 'GBP'),
      fc.oneof(fc.double({ min: 0.01, max: 999, noNaN: true }), fc.double({ min: 999, max: 1e9, noNaN: true })),
      (locale, currency, price) => {
        const read = typedPrice(formatPrice(locale, price, currency), currencySigns(locale, currency));
        const asShown = priceAsShown(price, currency); // of a hundredth of a yen nothing
        if (asShown > 0 && (price < 999 || read !== undefined)) expect(read).toBe(asShown);
      },
    ),
  );
});
