import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCardId } from '../../src/model/card-id.ts';
import { InvalidCardId } from '../../src/model/errors.ts';
import { anyCharacter } from '../support/any-character.ts';

describe('parseCardId', () => {
  it.each([
    ['as it is', 'base1-4', 'base1-4'],
    ['in its own case', 'BASE1-4', 'BASE1-4'],
    ['without spaces around', '  base1-4\t', 'base1-4'],
    ['with spaces inside', 'promo 1/2', 'promo 1/2'],
    ['with anything that a path could trip over', 'a/../b?c#d%2e\\', 'a/../b?c#d%2e\\'],
    ['in any script', 'カード-四', 'カード-四'],
    ['of three dots', '...', '...'],
    ['of 100 characters', 'x'.repeat(100), 'x'.repeat(100)],
    ['of 100 characters outside of the first plane', '🃏'.repeat(100), '🃏'.repeat(100)],
  ])('takes an id %s', (_, text, id) => {
    expect(parseCardId(text)).toBe(id);
  });

  it.each([
    ['missing', '', 'it is empty'],
    ['only spaces', ' \u3000\t', 'it is empty'],
    ['a lone dot', '.', 'dots alone name no card'],
    ['two dots', ' .. ', 'dots alone name no card'],
    ['101 characters', 'x'.repeat(101), 'it is longer than 100 characters'],
    ['101 characters outside of the first plane', '🃏'.repeat(101), 'it is longer than 100 characters'],
    ['a line break inside', 'a\nb', 'it holds a control character'],
    ['a NUL', 'a\0b', 'it holds a control character'],
    ['a control character of Latin-1', 'a\u0085b', 'it holds a control character'],
    ['the first half of a character', 'a\ud83c', 'it holds half a character'],
    ['the second half of a character', '\udccf', 'it holds half a character'],
  ])('refuses %s and says why', (_, text, reason) => {
    expect(() => parseCardId(text)).toThrow(InvalidCardId);
    expect(() => parseCardId(text)).toThrow(reason);
  });

  it('gives an id that is taken again as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const id = idOrNothing(text);
        if (id !== undefined) expect(parseCardId(id)).toBe(id);
      }),
    );
  });
});

function idOrNothing(text: string): string | undefined {
  try {
    return parseCardId(text);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidCardId);
    return undefined;
  }
}
