import { expect, it } from 'vitest';
import { CardRecord } from '../../src/model/card.ts';
import { parseCardId } from '../../src/model/card-id.ts';
import { InvalidCardId } from '../../src/model/errors.ts';
import { table } from '../table.ts';

const CARD = { id: 'base1-4', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'base1', name: 'First Fires' } };
const ALL = {
  ...CARD,
  number: '4/102',
  rarity: 'Rare',
  imageUrl: 'https://cards.test/base1-4.png',
  backImageUrl: 'https://cards.test/base1-4-back.png',
  prices: { market: 1.5, low: 0.5, high: 2 },
};

it.each([
  ['every field', { card: ALL, fetchedAtMs: 1, delistedAtMs: 2 }],
  ['only what a card must have', { card: CARD, fetchedAtMs: 1 }],
  ['no card', { fetchedAtMs: 1 }],
])('a card record keeps %s through JSON', (_, record) => {
  expect(CardRecord.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
});

it.each(table`
  null as absent | {"low":null} | {}
  three prices of 0 as none | {"market":0,"low":0,"high":0} | {}
  a market price of 0 as none, beside another price | {"market":0,"low":4} | {"low":4}
  what is below 0 as no price | {"market":-1,"low":-0.01,"high":2} | {"high":2}
  the smallest price as one | {"market":5e-324,"high":-0} | {"market":5e-324}
`)('a card record reads %s', (_, given = '', shown = '') => {
  const prices = JSON.parse(given);
  const { card } = CardRecord.parse({ card: { ...CARD, number: null, prices }, fetchedAtMs: 1 });
  expect(card).toEqual({ ...CARD, prices: JSON.parse(shown) });
});

it.each([
  ['a card without a name', { card: { ...CARD, name: undefined }, fetchedAtMs: 1 }],
  ['no time', { card: CARD }],
])('a card record is not %s', (_, record) => {
  expect(CardRecord.safeParse(record).success).toBe(false);
});

it.each([
  ...['base1-4', 'BASE1-4', 'promo 1/2', 'a/../b?c#d%2e\\', 'カード-四', '...'],
  ...['x', '🃏'].map((character) => character.repeat(100)),
])('parseCardId accepts an id as it is, without spaces around: %s', (id) => {
  for (const text of [id, `  ${id}\t`]) expect(parseCardId(text)).toBe(id);
});

it.each([
  ['missing', '', 'empty'],
  ['only spaces', ' \u3000\t', 'empty'],
  ['a lone dot', '.', 'dotsOnly'],
  ['two dots', ' .. ', 'dotsOnly'],
  ['101 characters', 'x'.repeat(101), 'tooLong'],
  ['101 characters outside of the first plane', '🃏'.repeat(101), 'tooLong'],
  ['a line break inside', 'a\nb', 'controlCharacter'],
  ['a NUL', 'a\0b', 'controlCharacter'],
  ['a control character of Latin-1', 'a\u0085b', 'controlCharacter'],
  ['the first half of a character', 'a\ud83c', 'halfCharacter'],
  ['the second half of a character', '\udccf', 'halfCharacter'],
])('parseCardId refuses %s, with the reason', (_, text, reason) => {
  expect(() => parseCardId(text)).toThrow(InvalidCardId);
  expect(() => parseCardId(text)).toThrow(expect.objectContaining({ reason }));
});
