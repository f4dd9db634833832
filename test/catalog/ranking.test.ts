import { describe, expect, it } from 'vitest';
import { type Closeness, closeness, type Ranked, ranked } from '../../src/catalog/ranking.ts';
import { queryOf } from '../../src/catalog/words.ts';

const CHARIZARD = { id: 'base1-4', name: 'Charizard', set: 'Base', number: '4/102', game: 'Pokémon', also: ['Glurak'] };

describe('how well a card fits', () => {
  it.each<[string, Closeness | undefined]>([
    ['base1-4', 'id'],
    ['BASE1 4', 'sameId'],
    ['charizard', 'name'],
    ['Char', 'nameBeginning'],
    ['4/102', 'number'],
    ['4', 'number'],
    ['glurak', 'otherName'],
    ['glur', 'wordBeginnings'],
    ['base14', 'looseId'],
    ['base glurak', 'wholeWords'],
    ['base charizard', 'wholeWords'],
    ['pokemon 4 102', 'wholeWords'],
    ['base chari', 'wordBeginnings'],
    ['charizadr', 'mistyped'],
    ['base charizadr', 'mistyped'],
    ['bsae charizard', undefined],
    ['chraizard charizadr', 'mistyped'],
    ['chraiz', 'mistypedBeginning'],
    ['jungle charizard', undefined],
    ['chrd', undefined],
    ['?', undefined],
    ['', undefined],
  ])('for %j is %s', (typed, fit) => expect(closeness(queryOf(typed), CHARIZARD)).toBe(fit));

  it.each([
    ['mwe', { id: 'x', name: 'Mew' }],
    ['mewo', { id: 'x', name: 'Mew' }],
    ['mxy', { id: 'x', name: 'Mega Zygarde' }],
  ])('does not take %j for a mistyped short name', (typed, card) =>
    expect(closeness(queryOf(typed), card)).toBeUndefined(),
  );
});

describe('the order', () => {
  const card = (id: string, closeness: Closeness, more: object = {}): Ranked => ({
    ...{ card: { id, name: 'Charizard' }, isDenied: false, printings: 1, closeness },
    ...more,
  });
  const order = (typed: string, cards: Ranked[], asked: Record<string, [here: number, everywhere: number]> = {}) => {
    const counts = new Map(Object.entries(asked).map(([id, [here, everywhere]]) => [id, { here, everywhere }]));
    return ranked(queryOf(typed), cards, counts).map(({ card }) => card.id);
  };

  it('is: id, name, beginning of the name, words, beginnings of words, typing errors', () => {
    const kinds: Closeness[] = [
      ...(['mistypedBeginning', 'mistyped', 'wordBeginnings', 'wholeWords'] as const),
      ...(['nameBeginning', 'name', 'sameId', 'id'] as const),
    ];
    expect(
      order(
        'charizard',
        kinds.map((kind) => card(kind, kind)),
      ),
    ).toEqual(kinds.toReversed());
  });

  it('is among equals: what is asked for here, then everywhere, then shorter names, then ids', () => {
    const long = card('long', 'nameBeginning', { card: { id: 'long', name: 'Charizard VMAX' } });
    const cards = [long, ...['a10', 'a9', 'everywhere', 'here'].map((id) => card(id, 'nameBeginning'))];
    expect(order('char', cards, { everywhere: [0, 9], here: [1, 1] })).toEqual([
      'here',
      'everywhere',
      'a9',
      'a10',
      'long',
    ]);
  });

  it('puts names that hold the words before sets that do', () => {
    const inSet = card('set', 'wholeWords', { card: { id: 'set', name: 'Ace', set: 'Fire' } });
    const inName = card('name', 'wholeWords', { card: { id: 'name', name: 'Elemental Fire' } });
    expect(order('fire', [inSet, inName])).toEqual(['name', 'set']);
  });

  it('puts the card whose whole number was typed first', () => {
    const numbered = (id: string, number: string) =>
      card(id, 'wholeWords', { card: { id, name: 'Charizard', number } });
    const cards = [numbered('a', '4/125'), numbered('b', '4/102')];
    expect(order('charizard 4/102', cards, { a: [1, 1] })).toEqual(['b', 'a']);
  });

  it('puts denied cards last, however well they fit and however often they are asked for', () => {
    const denied = card('denied', 'id', { isDenied: true });
    expect(order('charizard', [denied, card('other', 'mistyped')], { denied: [9, 9] })).toEqual(['other', 'denied']);
  });
});
