import { expect, it } from 'vitest';
import { CommandRegistry } from '../../../sandbox/discord/command-registry.ts';

function book(): CommandRegistry {
  let last = 0;
  return new CommandRegistry(() => String(++last));
}
const named = (name: string, description = 'x') => ({ name, description });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => named(`c${index}`));

it('keeps the id of a name, and changes the version only with the content', () => {
  const commands = book();
  const [card] = commands.replace(null, [named('card')]);
  expect(commands.replace(null, [named('usage'), { ...named('card'), type: 1, options: [] }]).at(1)).toEqual(card);
  const [changed] = commands.replace(null, [named('card', 'new')]);
  expect(changed?.id).toBe(card?.id);
  expect(changed?.version).not.toBe(card?.version);
});

it('replaces nothing when one command is invalid', () => {
  const commands = book();
  const before = commands.replace(null, [named('card')]);
  expect(() => commands.replace(null, [named('fine'), named('Not fine')])).toThrow('Invalid Form Body');
  expect(commands.list(null)).toEqual(before);
});

it('refuses a duplicate name and the 101st command', () => {
  const commands = book();
  expect(() => commands.replace(null, [named('card'), named('card')])).toThrow('Invalid Form Body');
  expect(() => commands.replace(null, numbered(101))).toThrow(expect.objectContaining({ code: 30_032 }));
});
