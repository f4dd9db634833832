import { type ApplicationCommandDataResolvable, Client, Events, type Interaction } from 'discord.js';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { type EmulatedDiscordOptions, startEmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';
import { startPageServer } from '../../src/sandbox/page-server.ts';
import { type PageVisit, visitPage } from './page-visit.ts';

/** Opens the page with a bot of these commands, until the test ends. */
export async function openBot(
  page: Page,
  commands: ApplicationCommandDataResolvable[],
  handle: (interaction: Interaction) => Promise<unknown>,
  options: EmulatedDiscordOptions = {},
): Promise<PageVisit> {
  const discord = await startEmulatedDiscord(options);
  onTestFinished(() => discord.close());
  const client = new Client({ intents: 0, rest: { api: discord.apiUrl } });
  onTestFinished(() => client.destroy());
  client.on(Events.Error, () => {});
  client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.botToken);
  await ready;
  await client.application?.commands.set(commands);

  const server = await startPageServer({ port: 0, discord, cardService: createCardService() });
  onTestFinished(() => server.close());
  return await visitPage(page, server.url);
}
