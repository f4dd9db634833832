import { describe, expect, it } from 'vitest';
import { readCommand } from '../../../src/sandbox/discord/command-rules.ts';
import { leafCodes } from './leaf-codes.ts';

const command = (part: object) => ({ name: 'card', description: 'Show one card', ...part });
const option = (part: object) => ({ type: 3, name: 'id', description: 'Card id', ...part });
const withOption = (part: object) => command({ options: [option(part)] });
const many = (count: number) => Array.from({ length: count }, (_, index) => option({ name: `o${index}` }));
const choices = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `c${index}`, value: 'v' }));
const LONG_CHOICES = choices(4).map((choice) => ({ ...choice, value: 'x'.repeat(100) }));
const TOO_LARGE = command({ options: many(25).map((each) => ({ ...each, choices: LONG_CHOICES })) });
const OPTIONS = 'APPLICATION_COMMAND_OPTIONS';
const CHOICES = 'APPLICATION_COMMAND_CHOICES_INVALID';
const PERMISSIONS = 'default_member_permissions: NUMBER_TYPE_COERCE';
const AUTOCOMPLETE = 'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES';

const LATE = [option({}), option({ name: 'b', required: true })];
const MENU = { type: 3, name: 'Look Up' };
const withChoices = (part: object) => withOption({ choices: choices(1), ...part });

// Lengths, numbers and required fields: specification.test.ts.
describe('a command', () => {
  it.each<[string, unknown, string]>([
    ['as it should be', command({}), 'ok'],
    ['with a name in another script', command({ name: 'カード' }), 'ok'],
    ['with a capital in its name', command({ name: 'Card' }), 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['with a blank in its name', command({ name: 'my card' }), 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['with 25 options', command({ options: many(25) }), 'ok'],
    ['with 25 choices', withOption({ choices: choices(25) }), 'ok'],
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
    ['with choices beside autocomplete', withChoices({ autocomplete: true }), `options.0.choices: ${AUTOCOMPLETE}`],
    ['with choices of true and false', withChoices({ type: 5 }), `options.0.choices: ${CHOICES}`],
    ['with nothing of what its option cannot have', withOption({ type: 5, choices: [], autocomplete: false }), 'ok'],
    ['with texts of up to 6,000', withOption({ min_length: 0, max_length: 6_000 }), 'ok'],
    ['with more than 8,000 characters', TOO_LARGE, ': APPLICATION_COMMAND_TOO_LARGE'],
    ['with a translation', command({ name_localizations: { de: 'karte' } }), 'ok'],
    ['in no language', command({ name_localizations: { xx: 'k' } }), 'name_localizations.xx: BASE_TYPE_INVALID'],
    ['for a message, with a description', { ...MENU, description: 'x' }, 'description: BASE_TYPE_CHOICES'],
    ['for a message, with a blank in its name', MENU, 'ok'],
    ['with permissions as text', command({ default_member_permissions: '32' }), 'ok'],
    ['with permissions in words', command({ default_member_permissions: 'x' }), PERMISSIONS],
    ['with an odd age limit', command({ nsfw: 'x' }), 'nsfw: BOOLEAN_TYPE_CONVERT'],
    ['with the longest value of a choice', withOption({ choices: [{ name: 'c', value: 'x'.repeat(100) }] }), 'ok'],
    [
      'with a longer value of a choice',
      withOption({ choices: [{ name: 'c', value: 'x'.repeat(101) }] }),
      'options.0.choices.0.value: BASE_TYPE_MAX_LENGTH',
    ],
    // What is not emulated
    ['as an entry point', { name: 'launch', type: 4 }, 'type: BASE_TYPE_CHOICES'],
    ['with a handler', command({ handler: 2 }), 'handler: NOT_EMULATED'],
    ['with a subcommand', command({ options: [option({ type: 1 })] }), 'options.0: UNION_TYPE_CHOICES'],
    ['with an option for members', command({ options: [option({ type: 6 })] }), 'options.0: UNION_TYPE_CHOICES'],
  ])('%s', (_what, body, expected) => {
    expect(leafCodes(() => readCommand(body))).toEqual([expected]);
  });

  // interactions/application-commands, "Application Command Option Structure", column "Valid Option Types"
  it.each<[string, number[], unknown]>([
    ['autocomplete', [3, 4, 10], true],
    ['min_value', [4, 10], 1],
    ['max_value', [4, 10], 1],
    ['min_length', [3], 1],
    ['max_length', [3], 1],
    ['channel_types', [], [0]],
    ['file_types', [], ['image']],
    ['options', [], [option({})]],
    ['required', [3, 4, 5, 10], true],
  ])('takes %s for options of the types %j alone', (field, types, value) => {
    const code = `options.0.${field}: APPLICATION_COMMAND_${field.toUpperCase()}_INVALID`;
    for (const type of [3, 4, 5, 10]) {
      const body = command({ options: [{ type, name: 'o', description: 'x', [field]: value }] });
      expect(leafCodes(() => readCommand(body))).toEqual([types.includes(type) ? 'ok' : code]);
    }
  });

  it.each([
    ['a text as the choice of a number', { type: 4, choices: choices(1) }, 'NUMBER_TYPE_COERCE'],
    ['a number as the choice of a text', { choices: [{ name: 'a', value: 1 }] }, 'STRING_TYPE_CONVERT'],
  ])('is refused with %s', (_what, part, code) => {
    expect(leafCodes(() => readCommand(withOption(part)))).toEqual([`options.0.choices.0.value: ${code}`]);
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
