import { type ChatInputCommandInteraction, Client, Events } from 'discord.js';

import type { EmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';

export const CARD = {
  name: 'card',
  description: 'Show one card',
  options: [
    { type: 3, name: 'id', description: 'Card id', required: true, min_length: 1, max_length: 100 },
    { type: 5, name: 'prices', description: 'With prices' },
  ],
};

/** An unmodified discord.js client with `/card`, which calls `answer`. Its failures are collected, not thrown. */
export async function startBot(
  discord: EmulatedDiscord,
  answer: (interaction: ChatInputCommandInteraction) => Promise<unknown>,
  options: { intents?: number; shards?: number } = {},
) {
  const client = new Client({
    intents: options.intents ?? 0,
    rest: { api: discord.apiUrl },
    ...(options.shards !== undefined && { shardCount: options.shards }),
  });
  const failures: unknown[] = [];
  const failed = Promise.withResolvers<unknown>();
  client.on(Events.InteractionCreate, (interaction) => {
    answer(interaction as ChatInputCommandInteraction).catch((error: unknown) => {
      failures.push(error);
      failed.resolve(error);
    });
  });
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.botToken);
  await ready;
  await client.application?.commands.set([CARD]);
  return { client, failures, firstFailure: failed.promise, stop: () => client.destroy() };
}
