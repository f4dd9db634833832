import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Action, customId, EMPTY_FORM, readAction } from '../../commands/command.ts';
import { formId, readForm } from '../../commands/watch.ts';
import { anyCharacter } from '../support/any-character.ts';

const argumentOf = (id: string) => id.replace(/^[a-z]+:/, '');

const text = fc.string({ unit: anyCharacter });
const id = fc.string({ unit: anyCharacter, minLength: 1 });

const action = { showPrices: true, isPrivate: false };
it.each<[Action, string]>([
  [{ ...action, kind: 'delete' }, 'delete'],
  [{ ...action, kind: 'show' }, 'show:'],
  [{ ...action, kind: 'show', showPrices: false, id: 'a:b n:p' }, 'show:n:a:b n:p'],
  [{ ...action, kind: 'named', showPrices: false, isPrivate: true, number: 12, id: 'a:b' }, 'named:np12:a:b'],
  [{ ...action, kind: 'history', number: 30, id: 'base1-4' }, 'history:30:base1-4'],
])('the action %j is %j', (expected, argument) => {
  expect(readAction(argument)).toEqual(expected);
});

it('a custom id is read as what it was made of, whatever was typed and whatever the card is called', () => {
  const actions = fc.record(
    {
      kind: fc.constantFrom('show', 'printings', 'named', 'history', 'choose', 'fetch', 'stop'),
      ...{ showPrices: fc.boolean(), isPrivate: fc.boolean(), number: fc.nat(9_999), id },
    },
    { requiredKeys: ['kind', 'showPrices', 'isPrivate'] },
  );
  fc.assert(
    fc.property(actions, fc.record({ above: text, below: text, cardId: id }), (each, form) => {
      expect(readAction(argumentOf(customId('card', each)))).toEqual(each);
      expect(readForm(argumentOf(formId(form)))).toEqual(form);
      expect(EMPTY_FORM + form.cardId).toBe(formId({ above: '', below: '', cardId: form.cardId }));
    }),
  );
});

it.each([
  [
    'an action',
    ['show:', 'printings:n:', 'named:p3:', 'history:p7:', 'fetch:2:'],
    remade(readAction, (each) => customId('card', each)),
  ],
  ['the form of a watch', ['', 'form::', 'form:::', 'form::%3A:', 'form::::'], remade(readForm, formId)],
] as const)('a custom id of %s is refused, or is exactly what it would be made to again', (_, begins, again) => {
  fc.assert(
    fc.property(fc.constantFrom(...begins), text, (begin, rest) => {
      const argument = `${begin}${rest}`;
      expect(again(argument) ?? argument).toBe(argument);
    }),
  );
});

/** What a custom id is read as, made to one again; `undefined`: it is refused. */
function remade<T>(read: (argument: string) => T | undefined, make: (read: T) => string) {
  return (argument: string) => {
    const found = read(argument);
    return found && argumentOf(make(found));
  };
}

const NO_ACTIONS =
  'Show: show:x show:pn show:nn:a show:p: printings:01:a printings:5: printings:: named:12345:a Delete';
it.each(['', 'show :', 'x show:', ...NO_ACTIONS.split(' ')])('an action that was never given out: %j', (argument) => {
  expect(readAction(argument)).toBeUndefined();
});

// The other arguments of /watch are the lines of a menu.
const NO_FORMS = 'form form: form:: form::: form:::: form::%::a form::%20::a :40: lines::40:30: Form::::a';
it.each(['', ...NO_FORMS.split(' ')])('a form that was never given out: %j', (argument) => {
  expect(readForm(argument)).toBeUndefined();
});
