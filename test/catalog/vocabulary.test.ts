import { expect, it } from 'vitest';
import { Vocabulary } from '../../src/catalog/vocabulary.ts';
import { table } from '../table.ts';

function meant(typed: string, words: string): string {
  const vocabulary = new Vocabulary();
  for (const word of words.split(' ')) vocabulary.add(word);
  const found = vocabulary.meantBy(typed).map(({ word }) => word);
  return found.join(' ');
}

const WORDS = 'dragonair pikachu venusaur snorlax dragonite charizard venomoth abaria abra under hunter mew';
const ALIKE = 'lantern lanters lankern';

it.each(table`
  pikachoo | pikachu
  venasuar | venusaur
  snorlacks | snorlax
  dragonight | dragonite
  sharizart | charizard
  pikachooxyz |
  abar | abaria abra
  aba |
  abrrr | abra
  aaaa |
  hunder | hunter under
  dragonar | dragonair dragonite
  venusqwx | venusaur
  venuqwx |
  saur | venusaur
  pkac | pikachu
  meww | mew
`)(
  'typing errors in %j: what has fewest is meant, rather with the same first letter, and longer words may have more: %j',
  (typed = '', words) => expect(meant(typed, WORDS)).toBe(words),
);

it('words with two typing errors are meant only where fewer than three have one', () => {
  expect(meant('lanterm', ALIKE)).toBe(ALIKE);
  expect(meant('lanterm', `${ALIKE} lanterly`)).toBe('lantern lanters lanterly');
});

it('words beyond 300,000 are not kept', () => {
  expect(meant('pikachu', `${'- '.repeat(299_999)}pikachu pikachoo`)).toBe('pikachu');
});
