import { describe, expect, it } from 'vitest';

import { apiCommand } from '../../../src/sandbox/discord/api-command.ts';
import { CommandForm } from '../../../src/sandbox/discord/command-rules.ts';
import { commandLine, typedOptions } from '../../../src/sandbox/discord/typed-options.ts';

const form = CommandForm.parse({
  name: 'card',
  description: 'x',
  options: [
    { type: 3, name: 'id', description: 'x', required: true, min_length: 1, max_length: 5 },
    { type: 5, name: 'prices', description: 'x' },
    { type: 4, name: 'count', description: 'x', min_value: 1, max_value: 3 },
    { type: 3, name: 'game', description: 'x', choices: [{ name: 'First Game', value: 'first' }] },
  ],
});
const command = apiCommand({ id: '1', version: '2', guildId: null, form }, '9');

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
    ['what is no choice', { id: 'a', game: 'third' }, 'is none of First Game'],
  ])('%s is refused in plain words', (_what, options, expected) => {
    expect(() => typedOptions(command, options)).toThrow(expected);
  });

  it('sends options in the order of the declaration, and the value of a choice for its name', () => {
    expect(typedOptions(command, { game: 'First Game', prices: false, id: '🐉🐉🐉🐉🐉' })).toEqual([
      { type: 3, name: 'id', value: '🐉🐉🐉🐉🐉' },
      { type: 5, name: 'prices', value: false },
      { type: 3, name: 'game', value: 'first' },
    ]);
  });

  it('is shown above the reply', () => {
    expect(commandLine('card', typedOptions(command, { id: 'a-1', prices: false }))).toBe('/card id:a-1 prices:false');
  });
});
