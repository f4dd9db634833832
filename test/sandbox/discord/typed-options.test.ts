import { describe, expect, it } from 'vitest';
import { apiCommand } from '../../../src/sandbox/discord/api-command.ts';
import { CommandForm } from '../../../src/sandbox/discord/command-rules.ts';
import { channelsOf, rolesOf } from '../../../src/sandbox/discord/guild-contents.ts';
import type { OptionValue } from '../../../src/sandbox/discord/option-value-rules.ts';
import { placeOf } from '../../../src/sandbox/discord/place.ts';
import { resolvableAt, resolved } from '../../../src/sandbox/discord/resolvable.ts';
import {
  callable,
  commandLine,
  halfTypedOptions,
  typedOptions,
  withinPath,
} from '../../../src/sandbox/discord/typed-options.ts';
import { DEFAULT_WORLD as world } from '../../../src/sandbox/discord/world.ts';

const option = (type: number, name: string, part: object = {}) => ({ type, name, description: 'x', ...part });
function registered(name: string, ...options: object[]) {
  const form = CommandForm.parse({ name, description: 'x', options });
  return apiCommand({ id: '1', version: '2', guildId: null, form }, '9');
}

const card = registered(
  'card',
  option(3, 'id', { required: true, min_length: 1, max_length: 5 }),
  option(5, 'prices'),
  option(4, 'count', { min_value: 1, max_value: 3 }),
  option(3, 'game', { choices: [{ name: 'First Game', value: 'first' }] }),
);
const called = callable(card, []);
const here = resolvableAt(placeOf({}, world), world);
const typed = (options: Record<string, OptionValue>) => typedOptions(called, options, here);

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
  ])('%s is refused with a sentence', (_what, options, expected) => {
    expect(() => typed(options)).toThrow(expected);
  });

  it('sends options in the order of the declaration, and the value of a choice for its name', () => {
    expect(typed({ game: 'First Game', prices: false, id: '🐉🐉🐉🐉🐉' })).toEqual([
      { type: 3, name: 'id', value: '🐉🐉🐉🐉🐉' },
      { type: 5, name: 'prices', value: false },
      { type: 3, name: 'game', value: 'first' },
    ]);
  });

  it('is shown above the reply', () => {
    expect(commandLine(called, typed({ id: 'a-1', prices: false }))).toBe('/card id:a-1 prices:false');
  });
});

describe('options that refer to something', () => {
  const [guild = ''] = world.guilds.map(({ id }) => id);
  const [alice = ''] = world.members.map(({ id }) => id);
  const [, role = ''] = rolesOf(guild).map(({ id }) => id);
  const [text = '', , , voice = ''] = channelsOf(guild).map(({ id }) => id);
  const textual = option(7, 'channel', { channel_types: [0] });
  const things = [option(6, 'user'), textual, option(8, 'role'), option(9, 'either'), option(11, 'file')];
  const thing = callable(registered('thing', ...things), []);

  it.each<[string, Record<string, OptionValue>, string]>([
    ['an unknown member', { user: '1' }, 'must be the id of a member'],
    ['no channel', { channel: '1' }, 'must be the id of a channel'],
    ['a channel of another kind', { channel: voice }, 'is not a channel of the wanted kind'],
    ['no role', { role: alice }, 'must be the id of a role'],
    ['neither member nor role', { either: text }, 'must be the id of a member or of a role'],
    ['text for a file', { file: 'a.png' }, 'must be a file'],
  ])('%s is refused with a sentence', (_what, options, expected) => {
    expect(() => typedOptions(thing, options, here)).toThrow(expected);
  });

  it('are sent with what they refer to', () => {
    const options = { user: alice, channel: text, either: role };
    const chosen = typedOptions(thing, options, here).map(({ type, value }) => ({ type, value }));

    expect(resolved(chosen, here)).toMatchObject({
      users: { [alice]: { global_name: 'Alice' } },
      members: { [alice]: { roles: [] } },
      channels: { [text]: { name: 'general' } },
      roles: { [role]: { name: 'Moderators' } },
    });
  });

  it('cannot be members, roles or channels outside servers', () => {
    const alone = resolvableAt(placeOf({ guildId: null }, world), world);
    expect(() => typedOptions(thing, { role }, alone)).toThrow('must be the id of a role');
    expect(resolved([{ type: 6, value: alice }], alone)).toEqual({
      users: { [alice]: expect.objectContaining({ global_name: 'Alice' }) },
    });
  });
});

describe('subcommands', () => {
  const card = option(3, 'id', { required: true, autocomplete: true });
  const cards = option(2, 'cards', { options: [option(1, 'add', { options: [card] })] });
  const command = registered('deck', option(1, 'list'), cards);

  it('are nested in their group and contain their options', () => {
    const add = callable(command, ['cards', 'add']);
    const options = typedOptions(add, { id: 'a-1' }, here);

    expect(withinPath(add, options)).toEqual([
      { name: 'cards', type: 2, options: [{ name: 'add', type: 1, options: [{ name: 'id', type: 3, value: 'a-1' }] }] },
    ]);
    expect(commandLine(add, options)).toBe('/deck cards add id:a-1');
    expect(withinPath(callable(command, ['list']), [])).toEqual([{ name: 'list', type: 1, options: [] }]);
  });

  it.each([
    ['no subcommand', [], '/deck needs a subcommand, such as "list"'],
    ['a group alone', ['cards'], '/deck cards needs a subcommand, such as "add"'],
    ['an unknown one', ['cards', 'eat'], '/deck cards eat is not registered'],
  ])('%s is refused with a sentence', (_what, path, expected) => {
    expect(() => callable(command, path)).toThrow(expected);
  });

  it('complete the focused option without validation if it has autocomplete', () => {
    const add = callable(command, ['cards', 'add']);
    expect(halfTypedOptions(add, {}, 'id')).toEqual([{ name: 'id', type: 3, value: '', focused: true }]);
    expect(() => halfTypedOptions(called, {}, 'id')).toThrow('The option "id" of /card has no autocomplete.');
  });
});
