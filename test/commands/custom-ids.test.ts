import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CardAction, customId, readAction } from '../../commands/card-actions.ts';
import { EMPTY_FORM, type FormOfCard, formId, readForm } from '../../commands/watch-form.ts';
import { anyCharacter } from '../support/any-character.ts';

const argumentOf = (id: string) => id.replace(/^card:/, '');

describe('a custom id of /card', () => {
  // Changing one of these breaks the buttons of messages that are there already.
  it.each<[CardAction, string]>([
    [{ kind: 'show', showPrices: true, isPrivate: false }, 'card:show:'],
    [{ kind: 'show', showPrices: false, isPrivate: true }, 'card:show:np'],
    [{ kind: 'show', showPrices: true, isPrivate: true, cardId: 'base1-4' }, 'card:show:p:base1-4'],
    [{ kind: 'show', showPrices: false, isPrivate: false, cardId: 'a:b n:p' }, 'card:show:n:a:b n:p'],
    [{ kind: 'printings', showPrices: true, isPrivate: false, cardId: 'base1-4' }, 'card:printings::base1-4'],
    [{ kind: 'printings', showPrices: false, isPrivate: true, cardId: 'a:b' }, 'card:printings:np:a:b'],
    [{ kind: 'printings', showPrices: true, isPrivate: false, page: 0, cardId: '7' }, 'card:printings:0:7'],
    [{ kind: 'named', showPrices: false, isPrivate: true, page: 12, cardId: 'a:b' }, 'card:named:np12:a:b'],
    [{ kind: 'history', isPrivate: true, cardId: 'base1-4' }, 'card:history:p:base1-4'],
    [{ kind: 'history', isPrivate: false, days: 30, cardId: 'a:b' }, 'card:history:30:a:b'],
    [{ kind: 'delete' }, 'card:delete'],
  ])('of %j is %j for ever', (action, id) => {
    expect(customId(action)).toBe(id);
    expect(readAction(argumentOf(id))).toEqual(action);
  });

  it('is read as what it was made of, whatever the card is called', () => {
    const choice = {
      showPrices: fc.boolean(),
      isPrivate: fc.boolean(),
      cardId: fc.string({ unit: anyCharacter, minLength: 1 }),
    };
    const action: fc.Arbitrary<CardAction> = fc.oneof(
      fc.record(
        { kind: fc.constant('show' as const), ...choice },
        { requiredKeys: ['kind', 'showPrices', 'isPrivate'] },
      ),
      fc.record(
        { kind: fc.constantFrom('printings' as const, 'named' as const), ...choice, page: fc.nat(9_999) },
        { requiredKeys: ['kind', 'showPrices', 'isPrivate', 'cardId'] },
      ),
      fc.record(
        {
          ...{ kind: fc.constant('history' as const), isPrivate: choice.isPrivate, cardId: choice.cardId },
          days: fc.nat(9_999),
        },
        { requiredKeys: ['kind', 'isPrivate', 'cardId'] },
      ),
      fc.constant({ kind: 'delete' as const }),
    );
    fc.assert(
      fc.property(action, (any) => {
        expect(readAction(argumentOf(customId(any)))).toEqual(any);
      }),
    );
  });

  it('is refused, or is exactly what it would be made to again', () => {
    const begins = fc.constantFrom(
      '',
      'show:',
      'printings:',
      'delete',
      'show:np:',
      'printings:n:',
      'named:p3:',
      'history:p7:',
      'show:2:',
    );
    fc.assert(
      fc.property(begins, fc.string({ unit: anyCharacter }), (begin, rest) => {
        const argument = `${begin}${rest}`;
        const action = readAction(argument);
        if (action) expect(argumentOf(customId(action))).toBe(argument);
      }),
    );
  });

  it.each([
    ...['', 'show', 'Show:', 'show:x', 'show:pn', 'show:nn:a', 'show:p:', 'next:2', 'show :', 'x show:'],
    ...[
      'show:1',
      'show:n0:a',
      'printings:01:a',
      'printings:5:',
      'named:12345:a',
      'named:p',
      'history:n:a',
      'history:7',
    ],
    ...['printings', 'printings:', 'printings::', 'printings:np', 'delete:', 'delete:base1-4', 'Delete'],
  ])('that was never given out is not read: %j', (argument) => {
    expect(readAction(argument)).toBeUndefined();
  });
});

describe('a custom id of the form of a watch', () => {
  const argumentOfForm = (id: string) => id.replace(/^watch:/, '');
  const text = fc.string({ unit: anyCharacter });

  it.each<[FormOfCard, string]>([
    [{ above: '', below: '', cardId: 'base1-4' }, 'watch:form:::base1-4'],
    [{ above: '45', below: '1.234,5', cardId: 'a:b' }, 'watch:form:45:1.234,5:a:b'],
    [{ above: '5:30', below: '10%', cardId: '7' }, 'watch:form:5%3A30:10%25:7'],
  ])('of %j is %j for ever', (form, id) => {
    expect(formId(form)).toBe(id);
    expect(readForm(argumentOfForm(id))).toEqual(form);
  });

  it('is read as what it was made of, whatever was typed and whatever the card is called', () => {
    const form = fc.record({ above: text, below: text, cardId: fc.string({ unit: anyCharacter, minLength: 1 }) });
    fc.assert(
      fc.property(form, (any) => {
        expect(readForm(argumentOfForm(formId(any)))).toEqual(any);
        expect(EMPTY_FORM + any.cardId).toBe(formId({ above: '', below: '', cardId: any.cardId }));
      }),
    );
  });

  it('is refused, or is exactly what it would be made to again', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'form:', 'form::', 'form:%3A:', 'form:::'), text, (begin, rest) => {
        const argument = `${begin}${rest}`;
        const form = readForm(argument);
        if (form) expect(argumentOfForm(formId(form))).toBe(argument);
      }),
    );
  });

  // The other arguments of /watch are the lines of a menu.
  it.each(['', 'form', 'form:', 'form::', 'form:::', 'form:%::a', 'form:%20::a', ':40:', '40:30:', 'Form:::a'])(
    'that was never given out is not read: %j',
    (argument) => {
      expect(readForm(argument)).toBeUndefined();
    },
  );
});
