import { describe, expect, it } from 'vitest';
import { fewerWords, nameIn } from '../../src/catalog/fewer-words.ts';

const NAMES = new Set(['charizard', 'rayquaza', 'rayquaza vmax', 'art']);
const choices = (typed: string) => {
  const words = typed.split(' ');
  const name = nameIn(words, (some) => NAMES.has(some.join(' ')));
  return [...fewerWords(words, name)].map((of) => of.map((left) => left.join(' ')));
};

describe('what is left of several words', () => {
  it.each([
    ['charizard price', [['charizard']]],
    ['price charizard', [['charizard']]],
    ['charizard alt art', [['charizard alt', 'charizard art'], ['charizard']]],
    ['rayquaza vmax evolving skys', [['rayquaza vmax evolving', 'rayquaza vmax skys'], ['rayquaza vmax']]],
    ['one two', [['one', 'two'], []]],
    ['charizard', []],
  ])('%j is %j: the name, and as many others as possible', (typed, left) => expect(choices(typed)).toEqual(left));

  it('is bounded', () => expect(choices('a b c d e f g h').flat()).toHaveLength(40));
});
