import { type ApplicationCommandDataResolvable, Client, Events, type Interaction } from 'discord.js';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { onFinished } from './on-finished.ts';

/** An unmodified discord.js client with these commands, until the test or, from `beforeAll`, the file ends. */
export async function startClient(
  discord: EmulatedDiscord,
  commands: readonly ApplicationCommandDataResolvable[],
  handle: (interaction: Interaction) => Promise<unknown>,
): Promise<Client> {
  const client = new Client({ intents: 0, rest: { api: discord.apiUrl } });
  onFinished(() => client.destroy());
  client.on(Events.Error, () => {});
  client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.botToken);
  await ready;
  await client.application?.commands.set(commands);
  return client;
}
