import { describe, expect, it } from 'vitest';
import { readCommand } from '../../../sandbox/discord/command-rules.ts';
import { leafCodes } from './leaf-codes.ts';

const command = (part: object) => ({ name: 'card', description: 'Show one card', ...part });
const option = (part: object) => ({ type: 3, name: 'id', description: 'Card id', ...part });
const withOption = (part: object) => command({ options: [option(part)] });
const OPTIONS = 'APPLICATION_COMMAND_OPTIONS';
const PERMISSIONS = 'default_member_permissions: BASE_TYPE_REQUIRED';

const LATE = [option({}), option({ name: 'b', required: true })];
const MENU = { type: 3, name: 'Look Up' };

// Other lengths, numbers and required fields are the specification's own.
describe('a command', () => {
  it.each<[string, unknown, string]>([
    ['as it should be', command({}), 'ok'],
    ['with a name in another script', command({ name: 'カード' }), 'ok'],
    ['with a capital in its name', command({ name: 'Card' }), 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['with a blank in its name', command({ name: 'my card' }), 'name: APPLICATION_COMMAND_INVALID_NAME'],
    [
      'with an option twice',
      command({ options: [option({}), option({})] }),
      `options.1: ${OPTIONS}_NAME_ALREADY_EXISTS`,
    ],
    [
      'with a required option after one that is not',
      command({ options: LATE }),
      `options.1: ${OPTIONS}_REQUIRED_INVALID`,
    ],
    ['with a translation', command({ name_localizations: { de: 'karte' } }), 'ok'],
    ['in no language', command({ name_localizations: { xx: 'k' } }), 'name_localizations.xx: BASE_TYPE_INVALID'],
    ['for a message, with a description', { ...MENU, description: 'x' }, 'description: BASE_TYPE_CHOICES'],
    ['for a message, with a blank in its name', MENU, 'ok'],
    ['with permissions as text', command({ default_member_permissions: '32' }), 'ok'],
    ['with permissions in words', command({ default_member_permissions: 'x' }), PERMISSIONS],
    ['with an odd age limit', command({ nsfw: 'x' }), 'nsfw: BOOLEAN_TYPE_CONVERT'],
    // What is not emulated
    ['as an entry point', { name: 'launch', type: 4 }, 'type: NOT_EMULATED'],
    ['with a handler', command({ handler: 2 }), 'handler: NOT_EMULATED'],
    ['with choices', withOption({ choices: [{ name: 'a', value: 'b' }] }), 'options.0.choices: NOT_EMULATED'],
    ['that suggests numbers', withOption({ type: 4, autocomplete: true }), 'options.0.autocomplete: NOT_EMULATED'],
    ['with a subcommand', command({ options: [option({ type: 1 })] }), 'options.0: NOT_EMULATED'],
    ['with an option for members', command({ options: [option({ type: 6 })] }), 'options.0: NOT_EMULATED'],
  ])('%s', (_what, body, expected) => {
    expect(leafCodes(() => readCommand(body))).toEqual([expected]);
  });

  it('has defaults for omitted fields', () => {
    expect(readCommand(withOption({ required: false }))).toEqual({
      type: 1,
      name: 'card',
      name_localizations: null,
      description: 'Show one card',
      description_localizations: null,
      options: [{ ...option({}), name_localizations: null, description_localizations: null }],
      nsfw: false,
      default_member_permissions: null,
      dm_permission: null,
      contexts: null,
      integration_types: [0],
    });
  });
});
