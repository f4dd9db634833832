import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { age, clockTime, formatCount, formatPrice } from '../../src/render/formats.ts';
import { currency, locale, price } from './service-answers.ts';

/** Intl sets numbers and currencies apart by spaces that do not break. */
function plainSpaces(text: string): string {
  return text.replace(/\s/gu, ' ');
}

describe('a price', () => {
  it.each<[number, string, string | undefined, string]>([
    [1234.5, 'en-US', undefined, '1,234.50'],
    [1234.5, 'de', undefined, '1.234,50'],
    [1234.5, 'ja', undefined, '1,234.50'],
    [1234.5, 'en-US', 'EUR', '€1,234.50'],
    [1234.5, 'de', 'EUR', '1.234,50 €'],
    [1234.5, 'ja', 'EUR', '€1,234.50'],
    [1234.5, 'en-US', 'JPY', '¥1,235'],
    [1234.5, 'ja', 'JPY', '¥1,235'],
    [0, 'en-US', undefined, '0.00'],
    [0, 'de', 'EUR', '0,00 €'],
    [-3.1, 'en-US', 'EUR', '-€3.10'],
    [0.01, 'en-US', 'EUR', '€0.01'],
    [0.0042, 'en-US', undefined, '0.0042'],
    [0.0042, 'en-US', 'EUR', '€0.0042'],
    [1e12, 'en-US', undefined, '1E12'],
    [1e300, 'en-US', 'EUR', '€1E300'],
    [1e-300, 'en-US', undefined, '1E-300'],
    [999_999_999_999, 'en-US', undefined, '999,999,999,999.00'],
    [4.2, 'not a locale', undefined, '4.20'],
  ])('writes %d in %s with %s as %s', (value, locale, currency, written) => {
    expect(plainSpaces(formatPrice(locale, value, currency)).replace('￥', '¥')).toBe(written);
  });

  it('is short and has digits in any language', () => {
    fc.assert(
      fc.property(price, locale, currency, (value, locale, currency) => {
        const written = formatPrice(locale, value, currency);
        expect(written.length).toBeLessThanOrEqual(40);
        expect(written).toMatch(/\p{Nd}/u);
      }),
    );
  });
});

describe('a count', () => {
  it.each([
    [1_000, 'en-US', '1,000'],
    [50_000, 'de', '50.000'],
    [0, 'ja', '0'],
    [12_345, '', '12,345'],
  ])('writes %d in %s as %s', (value, locale, written) => {
    expect(formatCount(locale, value)).toBe(written);
  });
});

describe('cached formats', () => {
  it('do not mix languages, sizes and currencies', () => {
    const read = () => [
      formatPrice('en-US', 1234.5, 'EUR'),
      formatPrice('de', 1234.5, 'EUR'),
      formatPrice('en-US', 0.0042, 'EUR'),
      formatPrice('en-US', 1e15, 'EUR'),
      formatPrice('en-US', 1234.5, undefined),
      formatCount('en-US', 1234.5),
    ];
    const first = read();
    expect(first.map(plainSpaces)).toEqual(['€1,234.50', '1.234,50 €', '€0.0042', '€1E15', '1,234.50', '1,234.5']);
    expect(read()).toEqual(first);
  });
});

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;

it('a clock time is in seconds, rounded up', () => {
  expect(clockTime(NOON_MS + 1)).toBe(`<t:${NOON + 1}:t>`);
});

it('a moment that is past is never shown as one to come', () => {
  expect(age(NOON_MS + 999)).toBe(`<t:${NOON}:R>`);
});
