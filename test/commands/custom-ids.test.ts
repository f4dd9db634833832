import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Action, customId, EMPTY_FORM, formId, readAction, readForm } from '../../commands/custom-ids.ts';
import { anyCharacter } from '../support/any-character.ts';

const argumentOf = (id: string) => id.replace(/^[a-z]+:/, '');

describe('a custom id of a button or a menu', () => {
  const action = { showPrices: true, isPrivate: false };
  it.each<[Action, string]>([
    [{ ...action, kind: 'delete' }, 'delete'],
    [{ ...action, kind: 'show' }, 'show:'],
    [{ ...action, kind: 'show', showPrices: false, id: 'a:b n:p' }, 'show:n:a:b n:p'],
    [{ ...action, kind: 'named', showPrices: false, isPrivate: true, number: 12, id: 'a:b' }, 'named:np12:a:b'],
    [{ ...action, kind: 'history', number: 30, id: 'base1-4' }, 'history:30:base1-4'],
  ])('%j is %j', (expected, argument) => {
    expect(readAction(argument)).toEqual(expected);
  });

  it('is read as what it was made of, whatever the card is called', () => {
    const any = fc.record(
      {
        kind: fc.constantFrom('show', 'printings', 'named', 'history', 'choose', 'fetch', 'stop'),
        ...{ showPrices: fc.boolean(), isPrivate: fc.boolean(), number: fc.nat(9_999) },
        id: fc.string({ unit: anyCharacter, minLength: 1 }),
      },
      { requiredKeys: ['kind', 'showPrices', 'isPrivate'] },
    );
    fc.assert(
      fc.property(any, (each) => {
        expect(readAction(argumentOf(customId('card', each)))).toEqual(each);
      }),
    );
  });

  it('is refused, or is exactly what it would be made to again', () => {
    const begins = fc.constantFrom('show:', 'printings:n:', 'named:p3:', 'history:p7:', 'fetch:2:');
    fc.assert(
      fc.property(begins, fc.string({ unit: anyCharacter }), (begin, rest) => {
        const read = readAction(begin + rest);
        if (read) expect(customId('card', read)).toBe(`card:${begin}${rest}`);
      }),
    );
  });

  const NEVER = 'Show: show:x show:pn show:nn:a show:p: printings:01:a printings:5: printings:: named:12345:a Delete';
  it.each(['', 'show :', 'x show:', ...NEVER.split(' ')])('that was never given out is not read: %j', (argument) => {
    expect(readAction(argument)).toBeUndefined();
  });
});

describe('a custom id of the form of a watch', () => {
  const text = fc.string({ unit: anyCharacter });

  it('is read as what it was made of, whatever was typed and whatever the card is called', () => {
    const form = fc.record({ above: text, below: text, cardId: fc.string({ unit: anyCharacter, minLength: 1 }) });
    fc.assert(
      fc.property(form, (any) => {
        expect(readForm(argumentOf(formId(any)))).toEqual(any);
        expect(EMPTY_FORM + any.cardId).toBe(formId({ above: '', below: '', cardId: any.cardId }));
      }),
    );
  });

  it('is refused, or is exactly what it would be made to again', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'form::', 'form:::', 'form::%3A:', 'form::::'), text, (begin, rest) => {
        const argument = `${begin}${rest}`;
        const form = readForm(argument);
        if (form) expect(argumentOf(formId(form))).toBe(argument);
      }),
    );
  });

  // The other arguments of /watch are the lines of a menu.
  const NEVER = 'form form: form:: form::: form:::: form::%::a form::%20::a :40: lines::40:30: Form::::a';
  it.each(['', ...NEVER.split(' ')])('that was never given out is not read: %j', (argument) => {
    expect(readForm(argument)).toBeUndefined();
  });
});
