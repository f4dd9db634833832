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

  const KINDS = [
    ...['id', 'sameId', 'name', 'number', 'otherName', 'firstWords', 'wordsInOrder', 'wordsInName', 'nameBeginning'],
    ...['looseId', 'wholeWords', 'wordBeginnings', 'mistyped'],
  ];
  /** `a1 firstWords 9 a`: the id of a card, how it fits, and how many cards have its name, and that, where it matters. */
  const cardIn = (text: string) => {
    const [id = '', kind, printings = 1, name = 'Charizard'] = text.split(' ');
    return card(id, kind as Closeness, { card: { id, name }, printings: Number(printings) });
  };
  const called = (name: string, printings: number) =>
    ['a', 'b', 'c'].map((end) => `${name}${end} firstWords ${printings} ${name}`);

  it.each([
    ['is by how a card fits', 'ember drake', KINDS.map((kind) => `${kind} ${kind} 5`), KINDS.join(' ')],
    [
      'has two cards of each name with the word in the first five, of the name with most cards first',
      ...['ember', [...called('f', 7), ...called('h', 5)], 'fa fb ha hb fc hc'],
    ],
    [
      'has a third card of a name behind them, and then what does not hold the word as a whole',
      ...['ember', ['begins nameBeginning', ...called('f', 7), 'ga firstWords 6 g', ...called('h', 5)]],
      'fa fb ga ha hb hc fc begins',
    ],
    ['has a name that begins first', 'ember', ['begins nameBeginning', 'has wordsInName 4'], 'begins has'],
    ['but where five have the word elsewhere', 'ember', ['begins nameBeginning', 'has wordsInName 5'], 'has begins'],
  ] as [string, string, string[], string][])('%s', (_, typed, cards, expected) => {
    expect(order(typed, cards.map(cardIn).toReversed()).join(' ')).toBe(expected);
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
