import { expect, it } from 'vitest';
import { Vocabulary } from '../../src/catalog/typing-error.ts';

it.each([
  ['pikachoo', ['pikachu']],
  ['venasuar', ['venusaur']],
  ['snorlacks', ['snorlax']],
  ['dragonight', ['dragonite']],
  ['sharizart', ['charizard']],
  ['pikachooxyz', []],
  ['abar', ['abaria', 'abra']],
  ['aba', []],
  ['abrrr', ['abra']],
  ['aaaa', []],
  ['hunder', ['hunter', 'under']],
  ['dragonar', ['dragonair', 'dragonite']],
  ['venusqwx', ['venusaur']],
  ['venuqwx', []],
  ['saur', ['venusaur']],
  ['pkac', ['pikachu']],
  ['meww', ['mew']],
])(
  'typing errors in %j: what has fewest is meant, rather with the same first letter, and longer words may have more: %j',
  (typed, meant) => {
    const vocabulary = new Vocabulary();
    const words = [
      'dragonair',
      'pikachu',
      'venusaur',
      'snorlax',
      'dragonite',
      'charizard',
      'venomoth',
      'abaria',
      'abra',
      'under',
      'hunter',
      'mew',
    ];
    for (const word of words) vocabulary.add(word);
    expect(vocabulary.meantBy(typed).map(({ word }) => word)).toEqual(meant);
  },
);

it.each([
  ['three', ['lantern', 'lanters', 'lanterly'], []],
  ['two', ['lantern', 'lanters'], ['lankern']],
])(
  'where %s words have one typing error, those with two are meant only if there are fewer than three',
  (_, words, more) => {
    const vocabulary = new Vocabulary();
    for (const word of [...words, 'lankern']) vocabulary.add(word);
    expect(vocabulary.meantBy('lanterm').map(({ word }) => word)).toEqual([...words, ...more]);
  },
);

it('words beyond 300,000 are not kept', () => {
  const vocabulary = new Vocabulary();
  for (let at = 0; at < 299_999; at++) vocabulary.add('-');
  for (const word of ['pikachu', 'pikachoo']) vocabulary.add(word);
  expect(vocabulary.meantBy('pikachu').map(({ word }) => word)).toEqual(['pikachu']);
});
