import { describe, expect, it } from 'vitest';
import {
  type CommandOption,
  menuOf,
  optionValues,
  readCommandLine,
  type ShownCommand,
  suggestCommands,
} from '../../../sandbox/page/command-line.ts';

function option(type: CommandOption['type'], name: string, more: Partial<CommandOption> = {}): CommandOption {
  return { type, name, description: '', name_localizations: null, description_localizations: null, ...more };
}

const CARD: ShownCommand = {
  name: 'card',
  description: 'Show one card',
  options: [option(3, 'id', { required: true }), option(5, 'private'), option(4, 'count')],
};
const CARDS: ShownCommand = { name: 'cards', description: '', options: [] };
const COMMANDS = [CARD, CARDS];

describe('readCommandLine', () => {
  it.each<[string, Record<string, unknown>]>([
    ['/card id:base1-4', { id: 'base1-4' }],
    ['/card base1-4', { id: 'base1-4' }],
    ['  /CARD  base1-4  ', { id: 'base1-4' }],
    ['/card two words', { id: 'two words' }],
    ['/card id:two words private:True', { id: 'two words', private: true }],
    ['/card base1-4 PRIVATE:no', { id: 'base1-4', private: false }],
    ['/card private:yes id:a:b', { private: true, id: 'a:b' }],
    ['/card a count:3', { id: 'a', count: 3 }],
    ['/card a private:', { id: 'a' }],
    // What does not fit stays as it is, and is refused by Discord.
    ['/card', {}],
    ['/card a private:maybe count:x', { id: 'a', private: 'maybe', count: 'x' }],
  ])('reads %s', (line, options) => {
    const { command, texts, problem } = readCommandLine(line, COMMANDS);
    expect([command, optionValues(CARD, texts), problem]).toEqual([CARD, options, undefined]);
  });

  it.each([
    ['/nope', 'There is no command /nope here.'],
    ['/cards today', '/cards does not know what to do with “today”.'],
  ])('explains the mistake in %s: %s', (line, problem) => {
    expect(readCommandLine(line, COMMANDS).problem).toBe(problem);
  });

  it('takes words for an option with suggestions where none is required', () => {
    const options = [option(5, 'private'), option(3, 'ids', { autocomplete: true })];
    const command = { name: 'cards', description: '', options };
    const { texts } = readCommandLine('/cards a, b private:yes', [command]);
    expect(texts).toEqual({ ids: 'a, b', private: 'yes' });
  });

  it('keeps the typed texts, so that a form can continue with them', () => {
    expect(readCommandLine('/card private:True', COMMANDS).texts).toEqual({ private: 'True' });
  });
});

it.each([
  ['begins with what differs from its default', 'Show prices (default: yes)', ['False', 'True']],
  ['begins with True when that is not its default', 'Show it only to you (default: no)', ['True', 'False']],
])('the menu of a boolean option %s', (_, description, words) => {
  expect(menuOf({ description })).toEqual(words);
});

it.each([
  ['/', ['card', 'cards']],
  ['/CARD', ['card', 'cards']],
  ['/cards', ['cards']],
  ['/x', []],
  ['/card ', []],
  ['card', []],
])('suggests for %s: %j', (line, names) => {
  expect(suggestCommands(line, COMMANDS).map(({ name }) => name)).toEqual(names);
});
