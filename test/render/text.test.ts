import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, plainMarkdown, plainText } from '../../src/render/text.ts';
import { parseMarkdown, type Token } from '../../src/sandbox/page/markdown.ts';
import { nastyText } from './service-answers.ts';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/** What a reader sees, when it is nothing but text. */
function shownText(tokens: Token[]): string {
  expect(tokens.every(({ type }) => type === 'text')).toBe(true);
  return tokens.map((token) => ('text' in token ? token.text : '')).join('');
}

describe('plainText', () => {
  it.each([
    ['as it is', 'Ember Drake', 'Ember Drake'],
    ['with its markup', '**a** <@1> `b`', '**a** <@1> `b`'],
    ['on one line', ' a\r\n\tb\u2028c ', 'a b c'],
    ['without what turns it around', 'a\u202eb\u2066c', 'abc'],
    ['without what cannot be seen', 'a\u200bb\u00adc\u2060d\u3164e\u{e0041}f', 'abcdef'],
    ['without half characters', 'a\ud83cb\udccfc', 'abc'],
    ['without controls', 'a\0b\u007fc\u0085d', 'abcd'],
    ['with characters outside of the first plane', '🃏四é', '🃏四é'],
    ['as nothing, when there is nothing to see', ' \u200b\ud83c\n', ''],
  ])('shows text %s', (_, text, shown) => {
    expect(plainText(text, 100)).toBe(shown);
  });
});

describe('plainMarkdown', () => {
  it.each([
    ['**bold**', '\\*\\*bold\\*\\*'],
    ['1. one', '1\\. one'],
    ['v1.2', 'v1.2'],
    ['@everyone', '\\@everyone'],
    ['https://a.test', 'https\\://a\\.test'],
    ['discord.gg/x', 'discord\\.gg/x'],
    ['3.5', '3.5'],
    ['[a](b)', '\\[a\\]\\(b\\)'],
    ['a\\', 'a\\\\'],
    ['Drake & Söhne, 4/102', 'Drake & Söhne, 4/102'],
  ])('escapes %s', (text, escaped) => {
    expect(plainMarkdown(text, 100)).toBe(escaped);
  });

  it('never ends in half an escape', () => {
    expect(plainMarkdown('ab****', 7)).toBe('ab\\*\\*…');
    expect(plainMarkdown('abc****', 7)).toBe('abc\\*…');
  });

  it('renders as Markdown to the text that plainText shows', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const plain = plainText(text, 100_000);
        expect(shownText(parseMarkdown(plainMarkdown(text, 100_000)))).toBe(plain);
      }),
      { numRuns: 1_000 },
    );
  });

  it('renders as Markdown to the beginning of that text when it is cut', () => {
    fc.assert(
      fc.property(nastyText, fc.integer({ min: 1, max: 300 }), (text, maxLength) => {
        const shown = shownText(parseMarkdown(plainMarkdown(text, maxLength)));
        const whole = plainText(text, 100_000);
        expect(shown === whole || whole.startsWith(shown.replace(/…$/, ''))).toBe(true);
      }),
      { numRuns: 1_000 },
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
      { numRuns: 1_000 },
    );
  });
});

describe('clip', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['a🃏b', 3, 'a…'],
    ['ab', 1, '…'],
    ['', 1, ''],
  ])('of %s to %d is %s', (text, maxLength, clipped) => {
    expect(clip(text, maxLength)).toBe(clipped);
  });
});
