import { describe, expect, it } from 'vitest';
import { readCommandLine, suggestCommands } from '../../../src/sandbox/page/command-line.ts';
import { menuOf } from '../../../src/sandbox/page/option-value.ts';
import type { ShownCommand, ShownOption } from '../../../src/sandbox/page-protocol.ts';

function option(kind: ShownOption['kind'], name: string, more: Partial<ShownOption> = {}): ShownOption {
  const open = { required: false, autocomplete: false, choices: [], min: undefined, max: undefined };
  return { ...open, kind, name, description: '', ...more };
}

const CARD: ShownCommand = {
  name: 'card',
  description: 'Show one card',
  options: [
    option('string', 'id', { required: true, min: 1, max: 10 }),
    option('boolean', 'private'),
    option('integer', 'count', { min: 1, max: 5 }),
    option('string', 'game', { choices: [{ name: 'Embers', value: 'emb' }] }),
  ],
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
    ['/card a game:embers', { id: 'a', game: 'emb' }],
    ['/card a private:', { id: 'a' }],
  ])('reads %s', (line, options) => {
    expect(readCommandLine(line, COMMANDS)).toMatchObject({ command: CARD, options, problem: undefined });
  });

  it.each([
    ['/nope', 'There is no command /nope here.'],
    ['/card', 'id is required.'],
    ['/card id:', 'id is required.'],
    ['/card 12345678901', 'id must be at most 10 characters long; this is 11.'],
    ['/card a private:maybe', 'private must be True or False.'],
    ['/card a count:x', 'count must be a number.'],
    ['/card a count:1.5', 'count must be a whole number.'],
    ['/card a count:0', 'count must be at least 1.'],
    ['/card a count:6', 'count must be at most 5.'],
    ['/card a game:other', 'game must be one of Embers.'],
    ['/cards today', '/cards does not know what to do with “today”.'],
  ])('explains the mistake in %s: %s', (line, problem) => {
    expect(readCommandLine(line, COMMANDS).problem).toBe(problem);
  });

  it('takes words for an option with suggestions where none is required', () => {
    const options = [option('boolean', 'private'), option('string', 'ids', { autocomplete: true })];
    const command = { name: 'cards', description: '', options };
    expect(readCommandLine('/cards a, b private:yes', [command])).toMatchObject({
      options: { ids: 'a, b', private: true },
      problem: undefined,
    });
  });

  it('keeps the typed texts, so that a form can continue with them', () => {
    expect(readCommandLine('/card private:True', COMMANDS).texts).toEqual({ private: 'True' });
  });
});

it.each([
  ['begins with what differs from its default', 'Show prices (default: yes)', ['False', 'True']],
  ['begins with True when that is not its default', 'Show it only to you (default: no)', ['True', 'False']],
])('the menu of a boolean option %s', (_, description, words) => {
  expect(menuOf(option('boolean', 'any', { description }))).toEqual(words);
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
