import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  errorsBetween,
  isFarApart,
  isMistypedBeginning,
  isTypingError,
  Vocabulary,
} from '../../src/catalog/typing-error.ts';

describe('one typing error', () => {
  it.each([
    ['charzard', 'charizard', 'missing'],
    ['harizard', 'charizard', 'missing at the beginning'],
    ['charizar', 'charizard', 'missing at the end'],
    ['charizzard', 'charizard', 'doubled'],
    ['charizardd', 'charizard', 'doubled at the end'],
    ['chraizard', 'charizard', 'swapped'],
    ['charizadr', 'charizard', 'swapped at the end'],
    ['cherizard', 'charizard', 'wrong'],
    ['charizarf', 'charizard', 'wrong at the end'],
  ])('is seen between %s and %s: %s', (typed, meant) => expect(isTypingError(typed, meant)).toBe(true));

  it.each([
    ['charizard', 'charizard'],
    ['chrzard', 'charizard'],
    ['hcarizadr', 'charizard'],
    ['', 'ab'],
    ['abc', 'cba'],
  ])('is not what tells %j from %j', (typed, meant) => expect(isTypingError(typed, meant)).toBe(false));

  it('has an effect both ways, and is never taken for a difference of the first letters', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        if (isTypingError(a, b) !== isTypingError(b, a)) return false;
        return a.length < 2 || b.length < 2 || !isTypingError(a, b) || !isFarApart(a, b);
      }),
      { numRuns: 2_000 },
    );
  });

  it('may be in a word that is still being typed', () => {
    expect(isMistypedBeginning('chraiz', 'charizard')).toBe(true);
    expect(isMistypedBeginning('charz', 'charizard')).toBe(true);
    expect(isMistypedBeginning('chraizad', 'charizard')).toBe(false);
  });

  it.each([
    ['pikachoo', 'pikachu'],
    ['venasuar', 'venusaur'],
    ['snorlacks', 'snorlax'],
    ['dragonight', 'dragonite'],
    ['sharizart', 'charizard'],
  ])('more than one in %j finds %j', (typed, meant) => {
    const vocabulary = new Vocabulary();
    for (const word of ['dragonair', 'pikachu', 'venusaur', 'snorlax', 'dragonite', 'charizard', 'venomoth'])
      vocabulary.add(word);
    expect(vocabulary.meantByFar(typed)[0]).toBe(meant);
    expect(vocabulary.meantByFar(`${typed}xyz`)).toEqual([]);
  });

  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['charizard', 'charizard', 0],
    ['cahrizrad', 'charizard', 2],
    ['kitten', 'sitting', 3],
  ])('are counted between %j and %j: %i', (one, other, count) => expect(errorsBetween(one, other)).toBe(count));

  it('gives the words that are meant, those that are complete first', () => {
    const vocabulary = new Vocabulary();
    for (const word of ['charizarding', 'blastoise', 'charizard', 'charmander', 'chard']) vocabulary.add(word);
    expect(vocabulary.meantBy('chraizard')).toEqual(['charizard', 'charizarding']);
    expect(vocabulary.meantBy('cahr')).toEqual(['charizarding', 'charizard', 'charmander', 'chard']);
  });
});
