import { expect, it } from 'vitest';
import { CommandRegistry } from '../../../sandbox/discord/command-registry.ts';

const GUILD = '1180000000000655361';

function book(): CommandRegistry {
  let last = 0;
  return new CommandRegistry(() => String(++last));
}
const named = (name: string, description = 'x') => ({ name, description });
const numbered = (count: number, prefix = 'c') =>
  Array.from({ length: count }, (_, index) => named(`${prefix}${index}`));

it('keeps the id of a name in every way of registering it', () => {
  const commands = book();
  const { id } = commands.create(null, named('card')).command;
  expect(commands.create(null, named('card', 'new')).command.id).toBe(id);
  expect(commands.replace(null, [named('usage'), named('card')]).at(1)?.id).toBe(id);
  expect(commands.edit(null, id, { description: 'newer' }).id).toBe(id);
});

it('changes the version only with the content', () => {
  const commands = book();
  const { command } = commands.create(null, named('card'));
  expect(commands.replace(null, [{ ...named('card'), type: 1, options: [] }])).toEqual([command]);
  expect(commands.edit(null, command.id, { description: 'new' }).version).not.toBe(command.version);
});

it('replaces all commands of one scope and keeps those of others', () => {
  const commands = book();
  commands.replace(null, [named('card'), named('usage')]);
  commands.replace(GUILD, [named('card')]);
  commands.replace(null, []);
  expect(commands.list(null)).toEqual([]);
  expect(commands.list(GUILD)).toHaveLength(1);
});

it('replaces nothing when one command is invalid', () => {
  const commands = book();
  const before = commands.replace(null, [named('card')]);
  expect(() => commands.replace(null, [named('fine'), named('Not fine')])).toThrow('Invalid Form Body');
  expect(commands.list(null)).toEqual(before);
});

it('refuses a duplicate name, the 101st command and an unknown id', () => {
  const commands = book();
  expect(() => commands.replace(null, [named('card'), named('card')])).toThrow('Invalid Form Body');
  expect(() => commands.replace(null, numbered(101))).toThrow(expect.objectContaining({ code: 30_032 }));
  expect(() => commands.edit(null, '1', {})).toThrow(expect.objectContaining({ code: 10_063 }));
  expect(() => commands.delete(null, '1')).toThrow(expect.objectContaining({ code: 10_063 }));
});

it('refuses to rename a command to another', () => {
  const commands = book();
  const [{ id = '' } = {}] = commands.replace(null, [named('card'), named('usage')]);

  expect(() => commands.edit(null, id, { name: 'usage' })).toThrow('Invalid Form Body');
  expect(commands.edit(null, id, { name: 'card' }).id).toBe(id);
});

it('refuses the 201st new name of a day with 400 and 30034', () => {
  const commands = book();
  commands.replace(null, numbered(100, 'a'));
  commands.replace(null, numbered(100, 'b'));
  commands.replace(null, numbered(100, 'b'));

  expect(() => commands.replace(null, numbered(1, 'c'))).toThrow(
    expect.objectContaining({ status: 400, code: 30_034 }),
  );
  expect(commands.replace(GUILD, numbered(1, 'c'))).toHaveLength(1);
});
