import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decimalSign, formatPrice, priceAsShown } from '../../src/render/formats.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { typedPrice } from '../../src/watches/typed-price.ts';

it.each<[string, string, number | undefined]>([
  ['45', '.', 45],
  [' 45.50 ', '.', 45.5],
  ['45,50', '.', 45.5],
  ['45.50', ',', 45.5],
  ['.5', '.', 0.5],
  ['1,234', '.', 1_234],
  ['1,234', ',', 1.234],
  ['1.234', ',', 1_234],
  ['1,234.5', ',', 1_234.5],
  ['1.234,5', '.', 1_234.5],
  ['1.234.567', '.', 1_234_567],
  ["1'234.50", '.', 1_234.5],
  ['1 234,50 $US', ',', 1_234.5],
  ['US$ 45', '.', 45],
  ['R$ 45,00', ',', 45],
  ['45 EUR', ',', 45],
  ['￥４，５００', '.', 4_500],
  ['4500円', '.', 4_500],
  ['', '.', undefined],
  ['ten', '.', undefined],
  ['1e5', '.', undefined],
  ['1k', '.', undefined],
  ['-5', '.', undefined],
  ['5 mio', '.', undefined],
  ['45-50', '.', undefined],
  ['45.', '.', undefined],
  ['4,5,6', '.', undefined],
  ['1.2,3', '.', undefined],
  ['12.34.56', '.', undefined],
])('%j, where %j stands before cents, is the price %s', (text, sign, price) => {
  expect(typedPrice(text, sign)).toBe(price);
});

it('a price that the bot has shown is read as that price, in every language and currency', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LANGUAGES, 'es-419', 'en-GB'),
      fc.constantFrom(undefined, 'USD', 'EUR', 'JPY', 'BRL', 'GBP'),
      fc.double({ min: 0.01, max: 1e9, noNaN: true }),
      (locale, currency, price) => {
        const shown = formatPrice(locale, price, currency);
        expect(typedPrice(shown, decimalSign(locale))).toBe(priceAsShown(price, currency));
      },
    ),
  );
});
