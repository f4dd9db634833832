import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

it('a private lookup is suggested to the member who made it alone', async () => {
  const world = await startWorld();
  const [guildId = '', elsewhere = ''] = world.discord.guilds.map(({ id }) => id);
  const [alice = '', bob = ''] = world.discord.members.map(({ id }) => id);
  const lookUp = (command: string, options: Record<string, string | boolean>, at = guildId) =>
    world.discord.type({ command, options, memberId: alice, guildId: at }).settled();
  const suggested = async (memberId: string) => {
    const typed = { command: 'card', options: { id: '' }, focused: 'id', memberId, guildId };
    return (await world.discord.complete(typed)).map(({ value }) => value);
  };
  await lookUp('card', { id: 'base1-4', private: true });
  await lookUp('card', { id: 'base1-4', private: true }); // kept now
  await lookUp('card', { id: 'base1-1', private: true }, elsewhere);
  await lookUp('cards', { ids: 'base1-1', private: true });
  await expect.poll(() => suggested(alice)).toEqual(['base1-1', 'base1-4']);
  expect(await suggested(bob)).toEqual([]);

  await lookUp('cards', { ids: 'base1-1' });
  await expect.poll(() => suggested(bob)).toEqual(['base1-1']);
});
