import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { EmulatedDiscordOptions } from '../../sandbox/discord/emulated-discord.ts';
import { startPageServer } from '../../sandbox/page-server.ts';
import { openDiscord } from './backends.ts';
import { startClient } from './discord-client.ts';
import { type PageVisit, visitPage } from './page-visit.ts';

type ClientParameters = Parameters<typeof startClient>;

/** Opens the page with a bot of these commands, until the test ends. */
export async function openBot(
  page: Page,
  commands: ClientParameters[1],
  handle: ClientParameters[2],
  options: EmulatedDiscordOptions = {},
): Promise<PageVisit> {
  const discord = await openDiscord(options);
  await startClient(discord, commands, handle);
  const server = await startPageServer({ port: 0, discord, cardService: new EmbeddedCardService() });
  onTestFinished(() => server.close());
  return await visitPage(page, server.url);
}
