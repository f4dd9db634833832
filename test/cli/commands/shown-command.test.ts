import { expect, it } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { shownCommand } from '../../../src/cli/commands/report.ts';

it('only slash commands are shown with a slash', () => {
  const slashed = commands.filter(({ data }) => shownCommand(data.name).startsWith('/'));
  expect(slashed).toEqual(commands.filter(({ data }) => (data.type ?? 1) === 1));
  expect(shownCommand('Look up cards')).toBe('Look up cards');
});
