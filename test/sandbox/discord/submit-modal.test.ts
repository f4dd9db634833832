import type { APITextInputComponent } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { checkField } from '../../../sandbox/discord/submit-modal.ts';

const field = (part: object = {}) => ({ type: 4, custom_id: 'f', style: 1, ...part }) as APITextInputComponent;

it.each<[string, APITextInputComponent, string | undefined, string]>([
  ['too little', field({ min_length: 2 }), 'x', 'must have 2 to 4000 characters'],
  ['too much', field({ max_length: 2 }), 'xxx', 'must have 0 to 2 characters'],
])('%s in a field is refused with a sentence', (_what, form, given, words) => {
  expect(() => checkField(form, given)).toThrow(words);
});
