import { describe, expect, it } from 'vitest';
import { apiCommand } from '../../../sandbox/discord/api-command.ts';
import type { OptionValue } from '../../../sandbox/discord/chat.ts';
import { readCommand } from '../../../sandbox/discord/command-rules.ts';
import { halfTypedOptions, typedOptions } from '../../../sandbox/discord/typed-options.ts';

const option = (type: number, name: string, part: object = {}) => ({ type, name, description: 'x', ...part });
function registered(name: string, ...options: object[]) {
  const form = readCommand({ name, description: 'x', options });
  return apiCommand({ id: '1', version: '2', guildId: null, form }, '9');
}

const card = registered(
  'card',
  option(3, 'id', { required: true, autocomplete: true, min_length: 1, max_length: 5 }),
  option(5, 'prices'),
  option(4, 'count', { min_value: 1, max_value: 3 }),
  option(3, 'game'),
);
const typed = (options: Record<string, OptionValue>) => typedOptions(card, options);

describe('typing', () => {
  it.each<[string, Record<string, string | number | boolean>, string]>([
    ['no option that is required', {}, 'needs the option "id"'],
    ['nothing into one that is required', { id: '' }, 'needs the option "id"'],
    ['an option that is not declared', { id: 'a', colour: 'red' }, 'has no option "colour"'],
    ['text that is too long', { id: 'abcdef' }, 'must have 1 to 5 characters'],
    ['a number for text', { id: 7 }, 'must be text'],
    ['text for yes or no', { id: 'a', prices: 'yes' }, 'must be true or false'],
    ['half a thing', { id: 'a', count: 1.5 }, 'must be a whole number'],
    ['too few', { id: 'a', count: 0 }, 'must be at least 1'],
    ['too many', { id: 'a', count: 4 }, 'must be at most 3'],
  ])('%s is refused with a sentence', (_what, options, expected) => {
    expect(() => typed(options)).toThrow(expected);
  });
});

it('an option that is being typed is sent as it is, beside the others', () => {
  expect(halfTypedOptions(card, { id: 'too long', count: 7 }, 'id')).toEqual([
    { name: 'id', type: 3, value: 'too long', focused: true },
    { name: 'count', type: 4, value: 7 },
  ]);
  expect(halfTypedOptions(card, {}, 'id')).toEqual([{ name: 'id', type: 3, value: '', focused: true }]);
  expect(() => halfTypedOptions(card, {}, 'game')).toThrow('The option "game" of /card has no autocomplete.');
});
