import { Client, REST, Routes } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { cardRequests, startWorld } from '../support/world.ts';

it('the connection to Discord answers a command that was typed while the connection was lost', async () => {
  const world = await startWorld();
  world.discord.gateway.drop();
  const { embeds } = await world.card('base1-4').settled();
  expect(embeds[0]?.title).toBe('Emberwing Drake');
  expect(world.discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
});

it.each([
  ['unknown', { name: 'price', description: 'Gone' }, {}],
  [
    'outdated',
    { name: 'card', description: 'Old', options: [{ type: 3, name: 'name', description: 'Name' }] },
    { name: 'x' },
  ],
])('a command that Discord knows and the bot does not gets a sentence: an %s one', async (_, command, options) => {
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

it('a button and a form of a bot of another version get a sentence', async () => {
  const world = await startWorld();
  const { discord } = world;
  await world.stopBot();
  const button = (name: string) => ({ type: 2, style: 1, label: name, custom_id: `old:${name}` }) as const;
  const field = { type: 18, label: 'Name', component: { type: 4, custom_id: 'name', style: 1 } } as const;
  const former = new Client({ intents: 0, rest: { api: discord.apiUrl } });
  onTestFinished(() => former.destroy());
  const buttons = { type: 1, components: [button('press'), button('form')] } as const;
  former.on('interactionCreate', (interaction) => {
    if (interaction.isChatInputCommand()) void interaction.reply({ components: [buttons] });
    if (interaction.isButton())
      void interaction.showModal({ custom_id: 'old:form', title: 'Form', components: [field] });
  });
  await former.login(discord.botToken);
  await discord.gateway.whenReady();
  const { messageId = '' } = await world.card('base1-4').settled();
  const form = discord.click({ messageId, customId: 'old:form' });
  const { interactionId } = await form.until(({ modal }) => modal !== undefined);
  await former.destroy();
  await world.restartBot();

  const pressed = discord.click({ messageId, customId: 'old:press' });
  const submitted = discord.submit({ interactionId, values: { name: 'x' } });

  for (const typed of [pressed, submitted]) {
    const { content, ephemeral } = await typed.settled();
    expect([content, ephemeral]).toEqual(['This message is too old. Please run the command again.', true]);
  }
});
