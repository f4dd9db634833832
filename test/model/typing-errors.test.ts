import { expect, it } from 'vitest';
import { errorsFrom } from '../../src/model/typing-errors.ts';
import { table } from '../table.ts';

it.each(table`
  charzard | charizard | 1
  harizard | charizard | 1
  charizzard | charizard | 1
  charizardd | charizard | 1
  chraizard | charizard | 1
  charizadr | charizard | 1
  cherizard | charizard | 1
  charizard | charizard | 0
  cahrizrad | charizard | 2
  kitten | sitting | 3
   |  | 0
  abc |  | 3
   | abc | 3
  ${'x'.repeat(31)} | ${'x'.repeat(30)} | 1
  ${'x'.repeat(32)} | ${'x'.repeat(33)} | 0
`)('typing errors are letters missing, added, swapped and wrong: between %j and %j %i', (typed, word, count) =>
  expect(errorsFrom(typed)(word).whole).toBe(Number(count)),
);

it.each(table`
  chraiz | charizard | 1
  charz | charizard | 1
  char | charizard | 0
  chraizad | charizard | 2
`)('typing errors may be in a word that is still being typed: where %j begins %j, %i', (typed, word, count) =>
  expect(errorsFrom(typed)(word).begun).toBe(Number(count)),
);
