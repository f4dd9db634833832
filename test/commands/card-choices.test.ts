import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customId, readChoice } from '../../commands/card-choices.ts';
import { anyCharacter } from '../support/any-character.ts';

const argumentOf = (id: string) => id.replace(/^card:/, '');

describe('a custom id of /card', () => {
  // Changing one of these breaks the buttons of messages that are there already.
  it.each([
    [{ showPrices: true, isPrivate: false }, 'card:show:'],
    [{ showPrices: false, isPrivate: true }, 'card:show:np'],
    [{ showPrices: true, isPrivate: true, cardId: 'base1-4' }, 'card:show:p:base1-4'],
    [{ showPrices: false, isPrivate: false, cardId: 'a:b n:p' }, 'card:show:n:a:b n:p'],
  ])('of %j is %j for ever', (choice, id) => {
    expect(customId(choice)).toBe(id);
    expect(readChoice(argumentOf(id))).toEqual(choice);
  });

  it('is read as what it was made of, whatever the card is called', () => {
    const choice = fc.record(
      { showPrices: fc.boolean(), isPrivate: fc.boolean(), cardId: fc.string({ unit: anyCharacter, minLength: 1 }) },
      { requiredKeys: ['showPrices', 'isPrivate'] },
    );
    fc.assert(
      fc.property(choice, (any) => {
        expect(readChoice(argumentOf(customId(any)))).toEqual(any);
      }),
    );
  });

  it.each(['', 'show', 'Show:', 'show:x', 'show:pn', 'show:nn:a', 'show:p:', 'next:2', 'show :', 'x show:'])(
    'that was never given out is not read: %j',
    (argument) => {
      expect(readChoice(argument)).toBeUndefined();
    },
  );
});
