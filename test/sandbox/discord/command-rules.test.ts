import { describe, expect, it } from 'vitest';

import { CommandForm } from '../../../src/sandbox/discord/command-rules.ts';
import { parseForm } from '../../../src/sandbox/discord/form-error.ts';
import { leafCodes } from './leaf-codes.ts';

const command = (part: object) => ({ name: 'card', description: 'Show one card', ...part });
const option = (part: object) => ({ type: 3, name: 'id', description: 'Card id', ...part });
const withOption = (part: object) => command({ options: [option(part)] });
const many = (count: number) => Array.from({ length: count }, (_, index) => option({ name: `o${index}` }));
const choices = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `c${index}`, value: 'v' }));
const big = (descriptions: number) =>
  command({
    options: many(25).map((each) => ({
      ...each,
      choices: choices(descriptions).map((c) => ({ ...c, value: 'x'.repeat(100) })),
    })),
  });

describe('a command', () => {
  it.each<[string, unknown, string]>([
    ['as it should be', command({}), 'ok'],
    ['with a name in another script', command({ name: 'カード' }), 'ok'],
    ['with a capital in its name', command({ name: 'Card' }), 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['with a blank in its name', command({ name: 'my card' }), 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['with a name of 33', command({ name: 'x'.repeat(33) }), 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['without a name', { description: 'x' }, 'name: BASE_TYPE_REQUIRED'],
    ['without a description', { name: 'card' }, 'description: BASE_TYPE_REQUIRED'],
    ['with an empty description', command({ description: '' }), 'description: BASE_TYPE_BAD_LENGTH'],
    ['with a description of 101', command({ description: 'x'.repeat(101) }), 'description: BASE_TYPE_BAD_LENGTH'],
    ['with 25 options', command({ options: many(25) }), 'ok'],
    ['with 26 options', command({ options: many(26) }), 'options: BASE_TYPE_MAX_LENGTH'],
    ['with 25 choices', withOption({ choices: choices(25) }), 'ok'],
    ['with 26 choices', withOption({ choices: choices(26) }), 'options.0.choices: BASE_TYPE_MAX_LENGTH'],
    [
      'with an option twice',
      command({ options: [option({}), option({})] }),
      'options: APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
    ],
    [
      'with a required option after one that is not',
      command({ options: [option({}), option({ name: 'b', required: true })] }),
      'options: APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ],
    [
      'with choices beside autocomplete',
      withOption({ choices: choices(1), autocomplete: true }),
      'options.0.choices: APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
    ],
    [
      'with choices of true and false',
      withOption({ type: 5, choices: choices(1) }),
      'options.0.choices: APPLICATION_COMMAND_OPTION_CHOICES_TYPE',
    ],
    ['with texts of up to 6,000', withOption({ min_length: 0, max_length: 6_000 }), 'ok'],
    ['with texts of up to 6,001', withOption({ max_length: 6_001 }), 'options.0.max_length: NUMBER_TYPE_MAX'],
    ['with texts of up to 0', withOption({ max_length: 0 }), 'options.0.max_length: NUMBER_TYPE_MIN'],
    ['with an option of no known kind', withOption({ type: 12 }), 'options.0.type: NUMBER_TYPE_MAX'],
    ['with more than 8,000 characters', big(4), ': APPLICATION_COMMAND_TOO_LARGE'],
    ['with a translation', command({ name_localizations: { de: 'karte' } }), 'ok'],
    [
      'with a translation into no language',
      command({ name_localizations: { xx: 'k' } }),
      'name_localizations.xx: BASE_TYPE_INVALID',
    ],
    ['for no known place', command({ contexts: [3] }), 'contexts.0: BASE_TYPE_CHOICES'],
    [
      'for a message, with a description',
      { type: 3, name: 'Look Up', description: 'x' },
      'description: BASE_TYPE_CHOICES',
    ],
    ['for a message, with a blank in its name', { type: 3, name: 'Look Up' }, 'ok'],
  ])('%s', (_what, body, expected) => {
    expect(leafCodes(() => parseForm(CommandForm, body))).toEqual([expected]);
  });

  it('has everything filled in that was left out', () => {
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
