import { describe, expect, it } from 'vitest';
import { CommandForm } from '../../../src/sandbox/discord/command-rules.ts';
import { parseForm } from '../../../src/sandbox/discord/form-error.ts';
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
const CHOICE_VALUE = 'options.0.choices.0.value: APPLICATION_COMMAND_CHOICE_VALUE_INVALID';
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
    ['with texts of up to 6,000', withOption({ min_length: 0, max_length: 6_000 }), 'ok'],
    ['with more than 8,000 characters', TOO_LARGE, ': APPLICATION_COMMAND_TOO_LARGE'],
    ['with a translation', command({ name_localizations: { de: 'karte' } }), 'ok'],
    ['in no language', command({ name_localizations: { xx: 'k' } }), 'name_localizations.xx: BASE_TYPE_INVALID'],
    ['for a message, with a description', { ...MENU, description: 'x' }, 'description: BASE_TYPE_CHOICES'],
    ['for a message, with a blank in its name', MENU, 'ok'],
    // The same page, "Entry Point Commands"
    ['as an entry point', { name: 'launch', description: 'Launch', type: 4, handler: 2 }, 'ok'],
    ['as an entry point with the default name', { name: 'Launch', type: 4 }, 'ok'],
  ])('%s', (_what, body, expected) => {
    expect(leafCodes(() => parseForm(CommandForm, body))).toEqual([expected]);
  });

  // interactions/application-commands, "Application Command Option Structure", column "Valid Option Types"
  it.each([
    ['autocomplete', [3, 4, 10], true],
    ['min_value', [4, 10], 1],
    ['max_value', [4, 10], 1],
    ['min_length', [3], 1],
    ['max_length', [3], 1],
    ['channel_types', [7], [0]],
    ['file_types', [11], ['image']],
    ['required', [3, 4, 5, 6, 7, 8, 9, 10, 11], true],
  ])('takes %s for options of the types %j alone', (field, types, value) => {
    const code = `options.0.${field}: APPLICATION_COMMAND_${field.toUpperCase()}_INVALID`;
    for (const type of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) {
      const body = command({ options: [{ type, name: 'o', description: 'x', [field]: value }] });
      expect(leafCodes(() => parseForm(CommandForm, body))).toEqual([types.includes(type) ? 'ok' : code]);
    }
  });

  const sub = (part: object = {}) => ({ type: 1, name: 'sub', description: 'x', ...part });
  const group = (...options: object[]) => ({ type: 2, name: 'group', description: 'x', options });
  const MIXED = `${OPTIONS}_TYPE_INVALID`;
  const LATE_IN_SUB = `options.0.options.1: ${OPTIONS}_REQUIRED_INVALID`;

  // The same page, "Subcommands and Subcommand Groups"; the codes: discord-api-docs#7617, #5615
  it.each<[string, object[], string]>([
    ['a subcommand beside a group with one', [sub(), group(sub())], 'ok'],
    ['an option in a subcommand', [sub({ options: [option({})] })], 'ok'],
    ['an option before a subcommand', [option({}), sub()], `options.1: ${MIXED}`],
    ['an option after a subcommand', [sub(), option({})], `options.1: ${MIXED}`],
    ['an option in a group', [group(option({}))], `options.0.options.0: ${MIXED}`],
    ['a group in a group', [group(group())], `options.0.options.0: ${MIXED}`],
    ['a subcommand in a subcommand', [sub({ options: [sub()] })], `options.0.options.0: ${MIXED}`],
    ['an option with options', [option({ options: [sub()] })], `options.0.options: ${OPTIONS}_INVALID`],
    ['a required option too late in a subcommand', [sub({ options: LATE })], LATE_IN_SUB],
    ['a text as the choice of a number', [option({ type: 4, choices: choices(1) })], CHOICE_VALUE],
    ['a number as the choice of a text', [option({ choices: [{ name: 'a', value: 1 }] })], CHOICE_VALUE],
  ])('with %s', (_what, options, expected) => {
    expect(leafCodes(() => parseForm(CommandForm, command({ options })))).toContain(expected);
  });

  it('has defaults for omitted fields', () => {
    expect(parseForm(CommandForm, withOption({ required: false }))).toEqual({
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
