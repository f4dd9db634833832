import { afterEach, beforeEach, expect, it } from 'vitest';

import type { ChatMessage } from '../../../src/sandbox/discord/chat.ts';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';
import { startBot } from './bot.ts';

let discord: EmulatedDiscord;
let stopBot: () => Promise<unknown>;
beforeEach(async () => {
  discord = await startEmulatedDiscord();
  const bot = await startBot(discord, (interaction) => interaction.reply('here'));
  stopBot = bot.stop;
});
afterEach(async () => {
  await stopBot();
  await discord.close();
});

const CARD_COMMAND = { command: 'card', options: { id: 'base1-4' } };

it.each([
  ['a command that is not registered', { command: 'cards' }, '/cards is not registered'],
  ['a server that is not there', { ...CARD_COMMAND, guildId: '1' }, 'no Discord server with the id 1'],
  ['a member who is not there', { ...CARD_COMMAND, memberId: '1' }, 'no member with the id 1'],
  ['an option that does not fit', { command: 'card', options: { id: 'x'.repeat(101) } }, '1 to 100 characters'],
])('refuses to type %s', (_what, typed, words) => {
  expect(() => discord.type(typed)).toThrow(words);
  expect(discord.messages()).toEqual([]);
});

it('sends every snapshot of every message until unsubscribed', async () => {
  const seen: ChatMessage[] = [];
  const unsubscribe = discord.onMessage((message) => seen.push(message));
  const typed = discord.type(CARD_COMMAND);
  await typed.settled();
  unsubscribe();
  await discord.type(CARD_COMMAND).settled();

  expect(seen).toEqual(typed.history);
  expect(seen.map(({ state }) => state)).toEqual(['sent', 'answered']);
  expect(discord.message(typed.id)).toBe(typed.message);
  expect(discord.messages()).toHaveLength(2);
});

it('finds a past snapshot, and rejects with the history when none matches', async () => {
  const typed = discord.type(CARD_COMMAND);
  await typed.settled();

  expect(await typed.until(({ state }) => state === 'sent')).toBe(typed.history[0]);
  await expect(typed.until(({ content }) => content === 'there', 1)).rejects.toThrow(/within 1 ms.*"content":"here"/s);
});

it("lists a name twice when it is registered globally and in the guild, and types the guild's", async () => {
  const [guild] = discord.guilds;
  await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/guilds/${guild?.id}/commands`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'DiscordBot (https://example.test, 1.0)',
      authorization: `Bot ${discord.botToken}`,
    },
    body: JSON.stringify([{ name: 'card', description: 'Without options' }]),
  });

  expect(discord.commandsFor({ guildId: guild?.id ?? '' })).toHaveLength(2);
  expect(discord.commandsFor({ guildId: null })).toHaveLength(1);
  expect(await discord.type({ command: 'card' }).settled()).toMatchObject({ commandLine: '/card' });
});
