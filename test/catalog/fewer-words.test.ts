import { describe, expect, it } from 'vitest';
import { fewerWords } from '../../src/catalog/fewer-words.ts';

const NAMES = new Set(['charizard', 'rayquaza', 'rayquaza vmax', 'art']);
const choices = (typed: string) =>
  [...fewerWords(typed.split(' '), (words) => NAMES.has(words.join(' ')))].map((of) =>
    of.map((words) => words.join(' ')),
  );

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
