import {
  type APIMessageTopLevelComponent,
  type ChatInputCommandInteraction,
  type Interaction,
  MessageFlags,
} from 'discord.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { DEFAULT_WORLD } from '../../../sandbox/discord/world.ts';
import { openDiscord } from '../../support/backends.ts';
import { startClient } from '../../support/discord-client.ts';

const named = (name: string, part: object = {}) => ({ name, description: 'x', ...part });
const COMMANDS = [
  named('say', { contexts: [0, 1, 2], integration_types: [0, 1] }),
  named('deck', { options: [named('id', { type: 3, required: true, autocomplete: true })] }),
  named('every', { options: [3, 4, 5, 10].map((type) => named(`o${type}`, { type })) }),
  { type: 3, name: 'Quote It' },
];

const [FOREIGN = '', _NO_APPS = ''] = DEFAULT_WORLD.foreignGuilds.map(({ id }) => id);

// One client for all tests: each sets the handler for its interactions and starts them itself.
let discord: EmulatedDiscord;
let handle: (interaction: Interaction) => Promise<unknown>;
/** Of the server and of members. */
let ids: Record<'guild' | 'alice' | 'bjorn', string>;
beforeAll(async () => {
  discord = await openDiscord();
  await startClient(discord, COMMANDS, (interaction) => handle(interaction));
  const [{ id: guild } = { id: '' }] = discord.guilds;
  const [alice, bjorn] = discord.members.map(({ id }) => id);
  ids = { guild, alice: alice ?? '', bjorn: bjorn ?? '' };
});

/** Answers with the handler's result as JSON, or with its failure. */
function tell(read: (interaction: Interaction) => unknown): void {
  handle = async (interaction) => {
    if (!interaction.isRepliable()) return;
    const result = await Promise.resolve(interaction).then(read).catch(String);
    await interaction.reply({ content: JSON.stringify(result), flags: MessageFlags.Ephemeral });
  };
}

async function resultOf(typed: ReturnType<EmulatedDiscord['type']>): Promise<unknown> {
  return JSON.parse((await typed.settled()).content);
}

const row = (...components: object[]) => ({ type: 1, components }) as APIMessageTopLevelComponent;
const button = (custom_id: string, part: object = {}) => ({ type: 2, style: 1, label: custom_id, custom_id, ...part });

/** Sends a bot message with these components. Returns its id. */
async function sent(...components: APIMessageTopLevelComponent[]): Promise<string> {
  handle = (interaction) => (interaction as ChatInputCommandInteraction).reply({ content: 'here', components });
  const { messageId } = await discord.type({ command: 'say' }).settled();
  if (messageId === undefined) throw new Error('The bot sent no message.');
  return messageId;
}

describe('an unmodified discord.js client receives', () => {
  it.each([
    ['a Discord server', {}, { context: 0, owners: ['guild', null], guild: true }],
    ['direct messages', { guildId: null }, { context: 1, owners: ['0', null], guild: false }],
    ['a group', { context: 2 as const }, { context: 2, owners: [null, 'alice'], guild: false }],
    ['a foreign server', { guildId: FOREIGN }, { context: 0, owners: [null, 'alice'], guild: true }],
    ['a server, for a user', { installedFor: 'user' as const }, { context: 0, owners: [null, 'alice'], guild: true }],
  ])('a command in %s', async (_where, at, expected) => {
    const nameOf = (id: string | null) => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id;
    tell(({ context, guildId, authorizingIntegrationOwners: { guildId: guildOwner, userId } }) => ({
      ...{ context, guild: guildId !== null, owners: [nameOf(guildOwner), nameOf(userId)] },
    }));
    expect(await resultOf(discord.type({ command: 'say', ...at }))).toEqual(expected);
  });
});

it.each([
  ['a command that is not registered', { command: 'cards' }, '/cards is not registered'],
  ['a server that is not there', { command: 'say', guildId: '1' }, 'no Discord server with the id 1'],
  ['a member who is not there', { command: 'say', memberId: '1' }, 'no member with the id 1'],
  ['an option that does not fit', { command: 'deck', options: { id: '' } }, 'needs the option "id"'],
])('nobody types %s', (_what, typed, words) => {
  const before = discord.messages().length;
  expect(() => discord.type(typed)).toThrow(words);
  expect(discord.messages()).toHaveLength(before);
});

describe('a click', () => {
  it('in a menu contains what was chosen', async () => {
    const options = ['a', 'b'].map((value) => ({ label: value, value }));
    const messageId = await sent(row({ type: 3, custom_id: 'menu', options, max_values: 2 }));
    tell((i) => (i.isStringSelectMenu() ? i.values : []));
    const choose = (values: string[]) => discord.choose({ messageId, customId: 'menu', values });

    expect(await resultOf(choose(['a', 'b']))).toEqual(['a', 'b']);
    expect(() => choose(['c'])).toThrow('does not offer "c"');
    expect(() => choose([])).toThrow('different values');
  });

  it('that no member could make is refused with a sentence', async () => {
    const messageId = await sent(row(button('on'), button('off', { disabled: true })));
    handle = async (i) => {
      if (i.isButton()) await i.reply({ content: 'x', components: [row(button('on'))], flags: MessageFlags.Ephemeral });
    };
    const { messageId: privateId = '' } = await discord.click({ messageId, customId: 'on' }).settled();

    expect(() => discord.click({ messageId, customId: 'off' })).toThrow('The component "off" is disabled.');
    expect(() => discord.click({ messageId: '1', customId: 'on' })).toThrow('There is no message of the bot');
    expect(() => discord.click({ messageId: privateId, customId: 'on', memberId: ids.bjorn })).toThrow(
      'Only its reader',
    );
  });
});

it('tells the bot what it may do at a place, and the language of a server', async () => {
  const guilds = [{ id: ids.guild, name: 'Sammler', locale: 'de' }];
  const german = await openDiscord({ guilds });
  const told: unknown[] = [];
  await startClient(german, COMMANDS, async (i) => {
    if (!i.isChatInputCommand()) return;
    const has = (name: 'AttachFiles' | 'UseExternalEmojis' | 'SendMessages') => i.appPermissions.has(name);
    told.push([i.guildLocale, has('AttachFiles'), has('UseExternalEmojis'), has('SendMessages')]);
    await i.reply('here');
  });
  const places = [{}, { guildId: null }, { guildId: FOREIGN }, { context: 2 as const }];
  for (const at of places) await german.type({ command: 'say', ...at }).settled();

  expect(told).toEqual([
    ['de', true, true, true],
    [null, true, true, false],
    ['en-US', true, true, true],
    [null, true, false, false],
  ]);
});

it('an edit may leave no message empty, and there is none of a message that is deleted', async () => {
  const codes: unknown[] = [];
  handle = async (i) => {
    if (!i.isChatInputCommand()) return;
    const edited = (content: string) => i.editReply(content).then(String, ({ code }) => codes.push(code));
    await i.reply('here');
    await edited('');
    await i.deleteReply();
    await edited('x');
  };
  discord.type({ command: 'say' });
  await expect.poll(() => codes).toEqual([50_006, 10_008]);
});

it('a command for servers fails in direct messages of a member who shares no server with the bot', () => {
  const typed = { command: 'deck', options: { id: 'a' }, guildId: null, installedFor: 'user' as const };
  expect(() => discord.type(typed)).toThrow('Unknown Integration');
});

it('an app that only a user has installed sends five follow-ups, and no sixth', async () => {
  handle = async (i) => {
    if (!i.isChatInputCommand()) return;
    await i.reply('0');
    for (const content of ['1', '2', '3', '4', '5']) await i.followUp(content);
    await i.editReply(await i.followUp('6').then(String, ({ code }) => String(code)));
  };

  expect(await discord.type({ command: 'say', context: 2 }).until(({ edited }) => edited)).toMatchObject({
    content: '40094',
  });
});
