import { expect, it } from 'vitest';
import {
  type CommandOption,
  menuOf,
  optionValues,
  readCommandLine,
  type ShownCommand,
  suggestCommands,
} from '../../../sandbox/page/command-line.ts';
import { table } from '../../table.ts';

function option(type: CommandOption['type'], name: string, more: Partial<CommandOption> = {}): CommandOption {
  return { type, name, description: '', name_localizations: null, description_localizations: null, ...more };
}

const CARD: ShownCommand = {
  name: 'card',
  description: 'Show one card',
  options: [option(3, 'id', { required: true }), option(5, 'private'), option(4, 'count')],
};
const LISTED = [option(5, 'private'), option(3, 'ids', { autocomplete: true })];
const COMMANDS = [CARD, { name: 'cards', description: '', options: [] }, { ...CARD, name: 'deck', options: LISTED }];

// What does not fit stays as it is, and is refused by Discord.
it.each(table`
  /card id:base1-4 | {"id":"base1-4"}
  /card base1-4 | {"id":"base1-4"}
  /CARD  base1-4 | {"id":"base1-4"}
  /card two words | {"id":"two words"}
  /card id:two words private:True | {"id":"two words","private":true}
  /card base1-4 PRIVATE:no | {"id":"base1-4","private":false}
  /card private:yes id:a:b | {"private":true,"id":"a:b"}
  /card a count:3 | {"id":"a","count":3}
  /card a private: | {"id":"a"}
  /card | {}
  /card a private:maybe count:x | {"id":"a","private":"maybe","count":"x"}
`)('the line %s has the options %s', (line = '', options = '') => {
  for (const typed of [line, `  ${line}  `]) {
    const { command, texts, problem } = readCommandLine(typed, COMMANDS);
    expect([command, optionValues(CARD, texts), problem]).toEqual([CARD, JSON.parse(options), undefined]);
  }
});

it.each([
  ['/nope', 'There is no command /nope here.'],
  ['/cards today', '/cards does not know what to do with “today”.'],
])('the mistake in %s is explained: %s', (line, problem) => {
  expect(readCommandLine(line, COMMANDS).problem).toBe(problem);
});

it('texts are kept as typed, so that a form can continue, and words go to suggestions where no option is required', () => {
  const texts = ['/card private:True', '/deck a, b private:yes'].map((line) => readCommandLine(line, COMMANDS).texts);
  expect(texts).toEqual([{ private: 'True' }, { ids: 'a, b', private: 'yes' }]);
});

it('the menu of a boolean option begins with what differs from its default', () => {
  const menus = ['Show prices (default: yes)', 'Show it only to you (default: no)'].map((description) =>
    menuOf({ description }),
  );
  expect(menus).toEqual([
    ['False', 'True'],
    ['True', 'False'],
  ]);
});

it.each([
  ['/', 'card cards deck'],
  ['/CARD', 'card cards'],
  ['/cards', 'cards'],
  ['/x', ''],
  ['/card ', ''],
  ['card', ''],
])('suggests for %s: %s', (line, names) => {
  expect(
    suggestCommands(line, COMMANDS)
      .map(({ name }) => name)
      .join(' '),
  ).toBe(names);
});
