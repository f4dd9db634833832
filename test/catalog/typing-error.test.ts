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
    ];
    for (const word of words) vocabulary.add(word);
    expect(vocabulary.meantBy(typed).map(({ word }) => word)).toEqual(meant);
  },
);
