import type { APIComponentInLabel } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { checkField, filledIn } from '../../../src/sandbox/discord/modal-answers.ts';
import { placeOf } from '../../../src/sandbox/discord/place.ts';
import { resolvableAt } from '../../../src/sandbox/discord/resolvable.ts';
import { DEFAULT_WORLD as world } from '../../../src/sandbox/discord/world.ts';

const known = resolvableAt(placeOf({}, world), world);
const options = ['a', 'b'].map((value) => ({ value, label: value }));
const field = (type: number, part: object = {}) => ({ type, custom_id: 'f', ...part }) as APIComponentInLabel;

it.each<[string, APIComponentInLabel, string | string[] | undefined, string]>([
  ['nothing into a text', field(4, { style: 1 }), '', 'The form needs the field "f"'],
  ['too little into a text', field(4, { style: 1, min_length: 2 }), 'x', 'must have 2 to 4000 characters'],
  ['an unknown id in a menu of members', field(5), ['1'], 'does not offer "1"'],
  ['what is no radio button', field(21, { options }), 'c', 'does not offer "c"'],
  ['what is no checkbox', field(22, { options }), ['a', 'c'], 'does not offer "c"'],
  ['a file', field(19), ['x'], 'takes files, which cannot be sent here'],
])('%s is refused with a sentence', (_what, form, given, words) => {
  expect(() => checkField(form, given, known)).toThrow(words);
});

it('accepts an empty value for a checkbox and for optional fields', () => {
  expect(() => checkField(field(23), undefined, known)).not.toThrow();
  expect(() => checkField(field(4, { style: 1, required: false, min_length: 2 }), '', known)).not.toThrow();
});

// components/reference, the tables "Interaction Response Structure"
it.each<[string, number, string | string[] | undefined, object]>([
  ['a text', 4, 'x', { value: 'x' }],
  ['an empty text', 4, undefined, { value: '' }],
  ['a menu', 3, ['a', 'b'], { values: ['a', 'b'] }],
  ['a radio group', 21, 'a', { value: 'a' }],
  ['an empty radio group', 21, undefined, { value: null }],
  ['a checkbox group', 22, undefined, { values: [] }],
  ['a checkbox', 23, 'true', { value: true }],
  ['an empty checkbox', 23, undefined, { value: false }],
])('%s is submitted in its label', (_what, type, given, answer) => {
  const label = { type: 18, id: 1, label: 'F', component: { type, id: 2, custom_id: 'f', style: 1 } };
  expect(filledIn([label], given === undefined ? {} : { f: given })).toEqual([
    { type: 18, id: 1, component: { type, id: 2, custom_id: 'f', ...answer } },
  ]);
});
