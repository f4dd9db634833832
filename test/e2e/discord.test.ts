import { REST, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { cardRequests, startWorld } from '../support/world.ts';

describe('the connection to Discord', () => {
  it('answers a command that was typed while the connection was lost', async () => {
    const world = await startWorld();
    world.discord.gateway.drop();

    const { embeds } = await world.card('base1-4').settled();

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(world.discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
  });
});

describe('a command that Discord knows and the bot does not', () => {
  it.each([
    ['unknown', { name: 'price', description: 'Gone' }, {}],
    [
      'outdated',
      { name: 'card', description: 'Old', options: [{ type: 3, name: 'name', description: 'Name' }] },
      { name: 'x' },
    ],
  ])('gets a sentence: an %s one', async (_, command, options) => {
    const world = await startWorld();
    const { apiUrl, botToken, applicationId } = world.discord;
    const rest = new REST({ api: apiUrl }).setToken(botToken);
    await rest.put(Routes.applicationCommands(applicationId), { body: [command] });

    const { content, ephemeral } = await world.discord.type({ command: command.name, options }).settled();

    expect(content).toMatch(/^This command has changed\./);
    expect(ephemeral).toBe(true);
    expect(cardRequests(world)).toEqual([]);
    expect(await world.commandLines(1)).toMatchObject([{ command: command.name }]);
  });
});
