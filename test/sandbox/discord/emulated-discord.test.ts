import { Routes } from 'discord.js';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../sandbox/discord/chat.ts';
import { openDiscord } from '../../support/backends.ts';
import { startClient } from '../../support/discord-client.ts';

const ID = { type: 3, name: 'id', description: 'Card id', required: true };
const CARD = { name: 'card', description: 'Show one card', options: [ID] };
const CARD_COMMAND = { command: 'card', options: { id: 'base1-4' } };

/** An emulated Discord and a client that answers `/card`. */
async function start() {
  const discord = await openDiscord();
  const client = await startClient(discord, [CARD], async (i) => i.isChatInputCommand() && i.reply('here'));
  return { discord, client };
}

it.each([
  ['a command that is not registered', { command: 'cards' }, '/cards is not registered'],
  ['a server that is not there', { ...CARD_COMMAND, guildId: '1' }, 'no Discord server with the id 1'],
  ['a member who is not there', { ...CARD_COMMAND, memberId: '1' }, 'no member with the id 1'],
  ['an option that does not fit', { command: 'card', options: { id: '' } }, 'needs the option "id"'],
])('refuses to type %s', async (_what, typed, words) => {
  const { discord } = await start();
  expect(() => discord.type(typed)).toThrow(words);
  expect(discord.messages()).toEqual([]);
});

it('sends every snapshot of every message until unsubscribed', async () => {
  const { discord } = await start();
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
  const { discord } = await start();
  const typed = discord.type(CARD_COMMAND);
  await typed.settled();
  expect(await typed.until(({ state }) => state === 'sent')).toBe(typed.history[0]);
  await expect(typed.until(({ content }) => content === 'there', 1)).rejects.toThrow(/within 1 ms.*"content":"here"/s);
});

it("lists a name twice when it is registered globally and in the guild, and types the guild's", async () => {
  const { discord, client } = await start();
  const guildId = discord.guilds[0]?.id ?? '';
  await client.application?.commands.set([{ name: 'card', description: 'Without options' }], guildId);
  expect(discord.commandsFor({ guildId })).toHaveLength(2);
  expect(discord.commandsFor({ guildId: null })).toHaveLength(1);
  expect(await discord.type({ command: 'card' }).settled()).toMatchObject({ commandLine: '/card' });
});

it('refuses commands for a guild that the bot is not in, and commands once the bot has closed its session', async () => {
  const { discord, client } = await start();
  const route = Routes.applicationGuildCommands(discord.applicationId, '1180000000000000999');
  await expect(client.rest.put(route, { body: [] })).rejects.toMatchObject({ code: 50_001, status: 403 });
  await client.destroy();
  await expect.poll(() => discord.gateway.sessions).toBe(0);
  expect(() => discord.type(CARD_COMMAND)).toThrow('No bot is connected');
});
