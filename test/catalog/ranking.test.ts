import { describe, expect, it } from 'vitest';
import { type Closeness, closeness, type Ranked, ranked } from '../../src/catalog/ranking.ts';
import { queryOf } from '../../src/catalog/words.ts';
import { table } from '../table.ts';

const CHARIZARD = { id: 'base1-4', name: 'Charizard', set: 'Base', number: '4/102', game: 'Pokémon', also: ['Glurak'] };

it.each(table`
  base1-4 | id
  BASE1 4 | sameId
  charizard | name
  Char | nameBeginning
  4/102 | number
  4 | number
  glurak | otherName
  glur | wordBeginnings
  base14 | looseId
  base glurak | wholeWords
  base charizard | wholeWords
  pokemon 4 102 | wholeWords
  base chari | wordBeginnings
  charizadr |
  jungle charizard |
  chrd |
  ? |
   |
`)('how well a card fits for %j is %s', (typed, fit) =>
  expect(closeness(queryOf(typed), CHARIZARD)).toBe(fit || undefined),
);

it.each(table`
  Dark Charizard | firstWords
  Darkrai | nameBeginning
  Very Dark Charizard | wordsInName
`)('“dark” fits %s as %s', (name, fit) => expect(closeness(queryOf('dark'), { id: 'a-1', name })).toBe(fit));

describe('the order', () => {
  const card = (id: string, closeness: Closeness, more: object = {}): Ranked => ({
    ...{ card: { id, name: 'Charizard' }, isDenied: false, printings: 1, closeness },
    ...more,
  });
  const order = (typed: string, cards: Ranked[], asked: Record<string, [here: number, everywhere: number]> = {}) => {
    const counts = new Map(Object.entries(asked).map(([id, [here, everywhere]]) => [id, { here, everywhere }]));
    return ranked(queryOf(typed), cards, counts).map(({ id }) => id);
  };

  it('is: id, name, number, other name, what the name begins with, then has, other words, typing errors', () => {
    const kinds: Closeness[] = [
      ...(['mistyped', 'wordBeginnings', 'wholeWords', 'looseId', 'nameBeginning', 'wordsInName'] as const),
      ...(['wordsInOrder', 'firstWords', 'otherName', 'number', 'name', 'sameId', 'id'] as const),
    ];
    expect(
      order(
        'ember drake',
        kinds.map((kind) => card(kind, kind, { printings: 5 })),
      ),
    ).toEqual(kinds.toReversed());
  });

  it('has two cards each of names with the word among the first five, those of the name with most cards first', () => {
    const called = (name: string, printings: number) =>
      [1, 2, 3].map((at) => card(`${name}${at}`, 'firstWords', { card: { id: `${name}${at}`, name }, printings }));
    expect(order('ember', [...called('b', 8), ...called('a', 9)])).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'b3']);
  });

  it('has a third card of a name behind the first five, and then what does not hold the word as a whole', () => {
    const called = (name: string, printings: number, ids = 'a') =>
      [...ids].map((id) => card('', 'firstWords', { card: { id: name + id, name }, printings }));
    const cards = [...called('f', 7, 'abc'), ...called('g', 6), ...called('h', 5, 'abc')];
    expect(order('ember', [card('begins', 'nameBeginning'), ...cards])).toEqual([
      ...['fa', 'fb', 'ga', 'ha', 'hb', 'hc', 'fc', 'begins'],
    ]);
    const kinds = ['wordsInName', 'wordsInOrder', 'firstWords'] as const;
    expect(
      order(
        'ember drake',
        kinds.map((kind) => card(kind, kind, { printings: 5 })),
      ),
    ).toEqual(['firstWords', 'wordsInName', 'wordsInOrder']);
  });

  it.each([
    [4, ['begins', 'has']],
    [5, ['has', 'begins']],
  ])('puts a name with the word elsewhere first only where five cards have it: of %i, %j', (printings, expected) => {
    expect(order('ember', [card('begins', 'nameBeginning'), card('has', 'wordsInName', { printings })])).toEqual(
      expected,
    );
  });

  it('puts a typed figure first where it is the number, then its end, in it, in the id, and in the set', () => {
    const places = [{ number: '7/102' }, { number: 'OP-7' }, { number: '7-A' }, { id: 'b-7' }, { set: 'Series 7' }];
    const cards = places.map((place, at) =>
      card('', 'wholeWords', { card: { id: 'edcba'[at], name: 'Drake', ...place } }),
    );
    expect(order('drake 7', cards.toReversed())).toEqual(['e', 'd', 'c', 'b-7', 'a']);
  });

  it('does not take a figure for a word of the set', () => {
    const inSet = (id: string, set: string) =>
      card(id, 'wholeWords', { card: { id, name: 'Drake', set, number: '7' } });
    expect(order('drake 7', [inSet('b', 'Series 7'), inSet('a', 'First Light')])).toEqual(['a', 'b']);
  });

  it('is among equals: what is asked for here, then everywhere, then shorter names, then names, then ids', () => {
    const named = (id: string, name: string) => card(id, 'nameBeginning', { card: { id, name } });
    const cards = [
      named('long', 'Charizara VMAX'),
      ...['a10', 'a9', 'everywhere', 'here'].map((id) => named(id, 'Charizard')),
    ];
    expect(order('char', [...cards, named('z', 'Charizara')], { everywhere: [0, 9], here: [1, 1] })).toEqual([
      ...['here', 'everywhere', 'z', 'a9', 'a10', 'long'],
    ]);
  });

  it('puts names that hold the words before sets that do', () => {
    const inSet = card('set', 'wholeWords', { card: { id: 'set', name: 'Ace', set: 'Fire' } });
    const inName = card('name', 'wholeWords', { card: { id: 'name', name: 'Elemental Fire' } });
    expect(order('fire', [inSet, inName])).toEqual(['name', 'set']);
  });

  it('puts the card first that is also called what was typed, but not where more than five names are: that is a kind', () => {
    const inName = card('in-name', 'firstWords', { card: { id: 'in-name', name: 'Stage Fright' } });
    const alsoCalled = (names: number) =>
      Array.from({ length: names }, (_, at) =>
        card(`also-${at}`, 'otherName', { card: { id: `also-${at}`, name: `Name ${at}` } }),
      );
    expect(order('stage', [inName, ...alsoCalled(5)])[0]).toBe('also-0');
    expect(order('stage', [inName, ...alsoCalled(6)])[0]).toBe('in-name');
  });

  it('puts denied cards last, however well they fit and however often they are asked for', () => {
    const denied = card('denied', 'id', { isDenied: true });
    expect(order('charizard', [denied, card('other', 'mistyped')], { denied: [9, 9] })).toEqual(['other', 'denied']);
  });
});
