import fc from 'fast-check';
import { expect, it } from 'vitest';
import { currencySigns, formatPrice, priceAsShown } from '../../src/render/formats.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { typedPrice } from '../../src/watches/watch.ts';

it.each<[string, number | undefined]>([
  ['45', 45],
  [' 45.50 ', 45.5],
  ['45,50', 45.5],
  ['45.5', 45.5],
  ['４５００', 4_500],
  ['１２．５', 12.5],
  ['１２，５', 12.5],
  ['.5', undefined],
  ['45.', undefined],
  ['0,125', undefined],
  ['1,234', undefined],
  ['1.234', undefined],
  ['1,234.5', undefined],
  ['1.234.567', undefined],
  ["1'234.50", undefined],
  ['30 40', undefined],
  ['12²', undefined],
  ['1 234,50', undefined],
  ['4,5,6', undefined],
  ['12.34.56', undefined],
  ['45-50', undefined],
  ['-5', undefined],
  ['1e5', undefined],
  ['1k', undefined],
  ['5 mio', undefined],
  ['ten', undefined],
  ['', undefined],
  ['0.01', 0.01],
  ['0', undefined],
  ['1000000000', 1e9],
  ['1000000000.01', undefined],
])('%j is the price %s', (text, price) => {
  expect(typedPrice(text, undefined)).toBe(price);
});

it.each<[string, locale: string, currency: string | undefined, number | undefined]>([
  ['$45', 'en-US', 'USD', 45],
  ['45,50 $US', 'fr', 'USD', 45.5],
  ['US$ 45', 'pt-BR', 'USD', 45],
  ['45 usd', 'es-419', 'USD', 45],
  ['45 EUR', 'de', 'EUR', 45],
  ['R$ 45,00', 'pt-BR', 'BRL', 45],
  ['￥４５００', 'ja', 'JPY', 4_500],
  ['4500円', 'ja', 'JPY', 4_500],
  ['€45', 'en-US', 'USD', undefined],
  ['45 GBP', 'en-US', 'USD', undefined],
  ['R$ 45', 'pt-BR', 'USD', undefined],
  ['45 mio', 'en-US', 'USD', undefined],
  ['$45', 'en-US', undefined, 45],
  ['￥４５００', 'en-US', undefined, 4_500],
  ['45 GBP', 'en-US', undefined, undefined],
])('%j, typed in %s where cards are priced in %s, is the price %s', (text, locale, currency, price) => {
  expect(typedPrice(text, currencySigns(locale, currency))).toBe(price);
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
