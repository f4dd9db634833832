import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMarkdown, type Token } from '../../sandbox/page/markdown.ts';
import {
  age,
  clip,
  formatCount,
  formatPrice,
  formatPriceRange,
  plainMarkdown,
  plainText,
  priceAsShown,
} from '../../src/render/formats.ts';
import { table } from '../table.ts';
import { currency, locale, nastyText, price } from './service-answers.ts';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/** What a reader sees, when it is nothing but text. */
function shownText(tokens: Token[]): string {
  expect(tokens.every(({ type }) => type === 'text')).toBe(true);
  return tokens.map((token) => ('text' in token ? token.text : '')).join('');
}

it.each([
  ['with its markup', '**a** <@1> `b`', '**a** <@1> `b`'],
  ['on one line', ' a\r\n\tb\u2028c ', 'a b c'],
  ['without what turns it around', 'a\u202eb\u2066c', 'abc'],
  ['without what cannot be seen', 'a\u200bb\u00adc\u2060d\u3164e\u{e0041}f', 'abcdef'],
  ['without half characters', 'a\ud83cb\udccfc', 'abc'],
  ['without controls', 'a\0b\u007fc\u0085d', 'abcd'],
  ['with characters outside of the first plane', '🃏四é', '🃏四é'],
])('plainText shows text %s', (_, text, shown) => {
  expect(plainText(text, 100)).toBe(shown);
});

describe('plainMarkdown', () => {
  it.each(table`
    **bold** | \*\*bold\*\*
    1. one | 1\. one
    v1.2 | v1.2
    @everyone | \@everyone
    https://a.test | https\://a\.test
    discord.gg/x | discord\.gg/x
    3.5 | 3.5
    [a](b) | \[a\]\(b\)
    a\ | a\\
    Drake & Söhne, 4/102 | Drake & Söhne, 4/102
  `)('escapes %s', (text, escaped) => {
    expect(plainMarkdown(text, 100)).toBe(escaped);
  });

  it('never ends in half an escape', () => {
    expect(plainMarkdown('ab****', 7)).toBe('ab\\*\\*…');
    expect(plainMarkdown('abc****', 7)).toBe('abc\\*…');
  });

  it('renders as Markdown to the text that plainText shows, or its beginning when it is cut', () => {
    fc.assert(
      fc.property(nastyText, fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constant(100_000)), (text, maxLength) => {
        const shown = shownText(parseMarkdown(plainMarkdown(text, maxLength)));
        const whole = plainText(text, 100_000);
        const isCut = maxLength < 100_000 && whole.startsWith(shown.replace(/…$/, ''));
        expect(isCut || shown === whole).toBe(true);
      }),
      { numRuns: 600 },
    );
  });
});

describe.each([
  ['plainText', plainText],
  ['plainMarkdown', plainMarkdown],
])('%s of any text', (_, plain) => {
  it('fits, is well-formed, visible, on one line and trimmed', () => {
    fc.assert(
      fc.property(nastyText, fc.integer({ min: 1, max: 300 }), (text, maxLength) => {
        const shown = plain(text, maxLength);
        expect(shown.length).toBeLessThanOrEqual(maxLength);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).not.toMatch(INVISIBLE);
        expect(shown).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(shown.trim()).toBe(shown);
      }),
      { numRuns: 300 },
    );
  });
});

it.each(table`
  abc | 3 | abc
  abcd | 3 | ab…
  a🃏b | 3 | a…
  ab | 1 | …
  | 1 |
`)('clip of %s to %d is %s', (text, maxLength, clipped) => {
  expect(clip(text, Number(maxLength))).toBe(clipped);
});

/** Intl sets numbers and currencies apart by spaces that do not break. */
function plainSpaces(text: string): string {
  return text.replace(/\s/gu, ' ');
}

describe('a price', () => {
  it.each(table`
    1234.5 | en-US | | 1,234.50
    1234.5 | de | | 1.234,50
    1234.5 | en-US | EUR | €1,234.50
    1234.5 | de | EUR | 1.234,50 €
    1234.5 | en-US | JPY | ¥1,235
    1234.5 | ja | JPY | ¥1,235
    0 | en-US | | 0.00
    -3.1 | en-US | EUR | -€3.10
    0.01 | en-US | EUR | €0.01
    0.0042 | en-US | | 0.0042
    0.0042 | en-US | EUR | €0.0042
    1e12 | en-US | | 1E12
    1e300 | en-US | EUR | €1E300
    1e-300 | en-US | | 1E-300
    999999999999 | en-US | | 999,999,999,999.00
    4.2 | not a locale | | 4.20
  `)('writes %d in %s with %s as %s', (value, locale, currency, written) => {
    expect(plainSpaces(formatPrice(locale, Number(value), currency || undefined)).replace('￥', '¥')).toBe(written);
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

it.each(table`
  en | USD | $28–$36
  de | EUR | 28–36 €
  fr | EUR | 28–36 €
  pt-BR | BRL | R$ 28–36
  ja | USD | $28～$36
  ja | | 28～36
`)('a range of prices has no spaces around its dash in %s (%s)', (language = '', sign, expected = '') => {
  expect(formatPriceRange(language, 28, 36, sign || undefined)).toBe(expected.replace(' ', '\u00a0'));
});

it('a range up to what is not written out has the same price at its end', () => {
  expect(formatPriceRange('en', 28, 1e12, undefined)).toBe('28.00–1E12');
});

it.each(table`
  es-ES | 1234,50 US$ | 1904
  es-419 | USD 1,234.50 | 1,904
  en-US | $1,234.50 | 1,904
  en-GB | US$1,234.50 | 1,904
  xx | $1,234.50 | 1,904
   | $1,234.50 | 1,904
`)('figures follow the region of the locale %s', (locale, price, count) => {
  expect([formatPrice(locale, 1_234.5, 'USD'), formatCount(locale, 1_904)].map(plainSpaces)).toEqual([price, count]);
});

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;

it('a moment that is past is never shown as one to come', () => {
  expect(age(NOON_MS + 999)).toBe(`<t:${NOON}:R>`);
});

it('a price that is compared as it is shown is shown the same', () => {
  fc.assert(
    fc.property(fc.oneof(price, fc.double({ min: 0, max: 1e15, noNaN: true })), currency, (value, code) => {
      const compared = priceAsShown(value, code);
      expect(formatPrice('en-US', compared, code)).toBe(formatPrice('en-US', value, code));
    }),
  );
  const shown = [priceAsShown(1.005, undefined), priceAsShown(1_234.4, 'JPY'), priceAsShown(0.004567, 'USD')];
  expect(shown).toEqual([1.01, 1_234, 0.0046]);
});
