import type { APITextInputComponent } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import type { Field } from '../../../sandbox/discord/components.ts';
import { checkField, filledIn } from '../../../sandbox/discord/submit-modal.ts';

const field = (part: object = {}) => ({ type: 4, custom_id: 'f', style: 1, ...part }) as APITextInputComponent;

it.each<[string, APITextInputComponent, string | undefined, string]>([
  ['too little', field({ min_length: 2 }), 'x', 'must have 2 to 4000 characters'],
  ['too much', field({ max_length: 2 }), 'xxx', 'must have 0 to 2 characters'],
])('%s in a field is refused with a sentence', (_what, form, given, words) => {
  expect(() => checkField(form, given)).toThrow(words);
});

it('accepts nothing in an optional field', () => {
  expect(() => checkField(field({ required: false, min_length: 2 }), undefined)).not.toThrow();
});

// components/reference, "Text Input Interaction Response Structure"
it.each([
  ['a text', { f: 'x' }, 'x'],
  ['nothing', {}, ''],
])('%s is submitted in its label', (_what, values, value) => {
  const label = { type: 18, id: 1, label: 'F', component: field({ id: 2 }) } as Field;
  expect(filledIn([label], values)).toEqual([
    { type: 18, id: 1, component: { type: 4, id: 2, custom_id: 'f', value } },
  ]);
});
