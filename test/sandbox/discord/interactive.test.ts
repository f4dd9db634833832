import {
  type APIMessageTopLevelComponent,
  AttachmentBuilder,
  type ChatInputCommandInteraction,
  type Client,
  type Interaction,
  type Message,
  MessageFlags,
  Routes,
} from 'discord.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';
import { DEFAULT_WORLD } from '../../../src/sandbox/discord/world.ts';
import { openDiscord } from '../../support/backends.ts';
import { startClient } from '../../support/discord-client.ts';

const named = (name: string, part: object = {}) => ({ name, description: 'x', ...part });
const ADD = named('add', { type: 1, options: [named('id', { type: 3, required: true, autocomplete: true })] });
const COMMANDS = [
  named('say', { contexts: [0, 1, 2], integration_types: [0, 1] }),
  named('deck', { options: [named('cards', { type: 2, options: [ADD] })] }),
  named('every', { options: [3, 4, 5, 6, 7, 8, 9, 10, 11].map((type) => named(`o${type}`, { type })) }),
  { type: 2, name: 'Look Up' },
  { type: 3, name: 'Quote It' },
];

const [FOREIGN = '', NO_APPS = ''] = DEFAULT_WORLD.foreignGuilds.map(({ id }) => id);

// One client for all tests: each sets the handler for its interactions and starts them itself.
let discord: EmulatedDiscord;
let client: Client;
let handle: (interaction: Interaction) => Promise<unknown>;
/** Of the server, its second role and first channel, and of the members. */
let ids: Record<'guild' | 'role' | 'channel' | 'alice' | 'bjorn', string>;
beforeAll(async () => {
  discord = await openDiscord();
  client = await startClient(discord, COMMANDS, (interaction) => handle(interaction));
  const [{ id: guild } = { id: '' }] = discord.guilds;
  const [alice, bjorn] = discord.members.map(({ id }) => id);
  const [, { id: role } = { id: '' }] = discord.rolesOf(guild);
  const [{ id: channel } = { id: '' }] = discord.channelsOf(guild);
  ids = { guild, role, channel, alice: alice ?? '', bjorn: bjorn ?? '' };
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

const messageOf = (id: string) => discord.messages().find(({ messageId }) => messageId === id);

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
  it('a subcommand of a group with its option', async () => {
    tell((i) => {
      const { options } = i as ChatInputCommandInteraction;
      return [options.getSubcommandGroup(), options.getSubcommand(), options.getString('id')];
    });
    const typed = discord.type({ command: 'deck cards add', options: { id: 'base1-4' } });

    expect(await resultOf(typed)).toEqual(['cards', 'add', 'base1-4']);
    expect(typed.message.commandLine).toBe('/deck cards add id:base1-4');
  });

  it('with its reply the command that it answers, as older libraries read it', async () => {
    const reply = Promise.withResolvers<Message | null | undefined>();
    handle = async (i) => {
      const { resource } = await (i as ChatInputCommandInteraction).reply({ content: 'here', withResponse: true });
      reply.resolve(resource?.message);
    };
    const { id } = discord.type({ command: 'deck cards add', options: { id: 'base1-4' } });

    expect((await reply.promise)?.interaction).toMatchObject({ id, type: 2, commandName: 'deck cards add' });
  });

  it('the text so far of an option with autocomplete, and its choices arrive in the language of the member', async () => {
    handle = async (i) => {
      if (!i.isAutocomplete()) return;
      const { name, value } = i.options.getFocused(true);
      await i.respond([{ name: `${name} ${value}`, value: 'a-1', nameLocalizations: { de: `${value} auf Deutsch` } }]);
    };
    const half = { command: 'deck cards add', options: { id: 'dra' }, focused: 'id' };

    expect(await discord.complete(half)).toEqual([{ name: 'id dra', value: 'a-1' }]);
    expect(await discord.complete({ ...half, memberId: ids.bjorn })).toEqual([
      { name: 'dra auf Deutsch', value: 'a-1' },
    ]);
    await expect(discord.complete({ command: 'say', focused: 'id' })).rejects.toThrow('has no autocomplete');
  });

  it('options of every type', async () => {
    tell(async (i) => {
      const { options } = i as ChatInputCommandInteraction;
      const file = options.getAttachment('o11', true);
      const bytes = await fetch(file.url).then((response) => response.text());
      return [
        options.getString('o3'),
        options.getInteger('o4'),
        options.getBoolean('o5'),
        options.getUser('o6')?.globalName,
        options.getMember('o6') !== null,
        options.getChannel('o7')?.name,
        options.getRole('o8')?.name,
        options.getMentionable('o9') !== null,
        options.getNumber('o10'),
        [file.name, file.contentType, bytes],
      ];
    });
    const file = { filename: 'list.csv', bytes: Buffer.from('a,b') };
    const mentioned = { o6: ids.alice, o7: ids.channel, o8: ids.role, o9: ids.role };
    const options = { o3: 'text', o4: 4, o5: false, ...mentioned, o10: 1.5, o11: file };
    const typed = discord.type({ command: 'every', options });

    expect(await resultOf(typed)).toEqual([
      ...['text', 4, false, 'Alice', true, 'general', 'Moderators', true, 1.5],
      ['list.csv', 'text/csv; charset=utf-8', 'a,b'],
    ]);
    expect(typed.message.commandLine).toContain('o6:@Alice o7:general o8:Moderators');
  });

  it('the member or the message of a context menu', async () => {
    const messageId = await sent();
    tell((i) => (i.isUserContextMenuCommand() ? [i.targetUser.globalName, i.targetMember !== null] : []));
    const looked = await resultOf(discord.type({ command: 'Look Up', target: { userId: ids.bjorn } }));
    expect(looked).toEqual(['Björn', true]);

    tell((i) => (i.isMessageContextMenuCommand() ? [i.targetMessage.content, i.targetId] : []));
    expect(await resultOf(discord.type({ command: 'Quote It', target: { messageId } }))).toEqual(['here', messageId]);
    expect(discord.menuCommandsFor({}).map(({ name }) => name)).toEqual(['Look Up', 'Quote It']);
  });

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

  it('a command with the language and the permissions of its member', async () => {
    tell(({ user, locale, memberPermissions }) => [user.id, locale, memberPermissions?.has('ManageGuild')]);
    const typed = { command: 'say', memberId: ids.bjorn };
    expect(await resultOf(discord.type({ ...typed, manageGuild: true }))).toEqual([ids.bjorn, 'de', true]);
    expect(await resultOf(discord.type(typed))).toEqual([ids.bjorn, 'de', false]);
  });
});

describe('a click', () => {
  it('changes the message, at once or later', async () => {
    const messageId = await sent(row(button('next'), button('later')));
    handle = async (i) => {
      if (!i.isButton()) return;
      if (i.customId === 'next') return i.update({ content: `${i.message.content}, then there` });
      await i.deferUpdate();
      await i.editReply({ content: 'at last', components: [] });
    };
    const source = () => messageOf(messageId);

    const next = await discord.click({ messageId, customId: 'next' }).settled();
    expect(source()).toMatchObject({ content: 'here, then there', edited: true });
    expect(next).toMatchObject({ trigger: 'component', updatesSource: true, sourceMessageId: messageId, content: '' });

    discord.click({ messageId, customId: 'later' });
    await expect.poll(source).toMatchObject({ content: 'at last', components: [] });
    expect(() => discord.click({ messageId, customId: 'later' })).toThrow('has no component "later"');
  });

  it('can be answered with a new message, deferred or not, and with follow-ups', async () => {
    const messageId = await sent(row(button('more')));
    handle = async (i) => {
      if (!i.isButton()) return;
      await i.deferReply({ flags: MessageFlags.Ephemeral });
      await i.editReply('more');
      await i.followUp('and more');
    };
    const click = { messageId, customId: 'more', memberId: ids.bjorn };
    const clicked = await discord.click(click).until(({ followUps }) => followUps?.length === 1);

    expect(clicked).toMatchObject({ content: 'more', ephemeral: true, member: { name: 'Björn' }, commandLine: 'more' });
    expect(clicked.followUps).toMatchObject([{ content: 'and more' }]);
  });

  const texts = ['a', 'b'].map((value) => ({ label: value, value }));
  it.each([
    ['a menu of texts', { type: 3, options: texts, max_values: 2 }, () => ['a', 'b'], [false, false, false]],
    ['a menu of members', { type: 5 }, () => [ids.bjorn], [1, false, false]],
    ['a menu of roles', { type: 6 }, () => [ids.role], [false, 1, false]],
    ['a menu of members and roles', { type: 7 }, () => [ids.bjorn], [1, 0, false]],
    ['a menu of channels', { type: 8 }, () => [ids.channel], [false, false, 1]],
  ])('in %s contains what was chosen', async (_what, menu, values, counts) => {
    const messageId = await sent(row({ ...menu, custom_id: 'menu' }));
    tell((i) => {
      if (!i.isAnySelectMenu()) return [];
      return [i.values, 'users' in i && i.users.size, 'roles' in i && i.roles.size, 'channels' in i && i.channels.size];
    });
    const choose = (chosen: string[]) => discord.choose({ messageId, customId: 'menu', values: chosen });

    expect(await resultOf(choose(values()))).toEqual([values(), ...counts]);
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

  it('opens a form, which is filled in and submitted', async () => {
    const messageId = await sent(row(button('rename')));
    handle = async (i) => {
      if (i.isButton()) {
        const field = { type: 4, custom_id: 'name', style: 1, label: 'Name', required: true };
        const owner = { type: 18, label: 'For', component: { type: 5, custom_id: 'owner' } };
        return i.showModal({ customId: 'form', title: 'Rename', components: [row(field), owner] as never });
      }
      if (!(i.isModalSubmit() && i.isFromMessage())) return;
      const owner = i.fields.getSelectedUsers('owner')?.first()?.globalName;
      await i.update(`${i.customId}: ${i.fields.getTextInputValue('name')} for ${owner}`);
    };
    const opened = await discord.click({ messageId, customId: 'rename' }).settled();
    expect(opened.modal?.title).toBe('Rename');
    expect(() => discord.submit({ interactionId: opened.interactionId, values: {} })).toThrow('needs the field "name"');

    const values = { name: 'Drake', owner: [ids.bjorn] };
    await discord.submit({ interactionId: opened.interactionId, values }).settled();
    expect(messageOf(messageId)?.content).toBe('form: Drake for Björn');
  });
});

describe('files', () => {
  const file = (name: string, text: string) => new AttachmentBuilder(Buffer.from(text), { name, description: 'so' });

  it('are stored, shown, served, and returned', async () => {
    handle = async (i) => {
      if (!i.isChatInputCommand()) return;
      const embeds = [{ title: 'x', image: { url: 'attachment://a.png' } }];
      await i.reply({ files: [file('a.png', 'picture'), file('b.txt', 'text')], embeds });
    };
    const { attachments, embeds } = await discord.type({ command: 'say' }).settled();

    expect(attachments).toMatchObject([
      { filename: 'b.txt', size: 4, description: 'so', content_type: 'text/plain; charset=utf-8' },
    ]);
    const [picture, response] = await Promise.all([embeds[0]?.image, attachments[0]].map((it) => fetch(it?.url ?? '')));
    expect([await picture?.text(), await response?.text()]).toEqual(['picture', 'text']);
    expect(response?.headers.get('content-security-policy')).toBe('sandbox');
  });

  it('are kept, removed and added by edits', async () => {
    handle = async (i) => {
      if (!i.isChatInputCommand()) return;
      const response = await i.reply({ files: [file('a.txt', 'a'), file('b.txt', 'b')], withResponse: true });
      const kept = response.resource?.message?.attachments.first();
      await i.editReply({ attachments: kept ? [kept] : [], files: [file('c.txt', 'c')] });
      await i.editReply('still');
    };
    const message = await discord.type({ command: 'say' }).until(({ content }) => content === 'still');

    expect(message.attachments.map(({ filename }) => filename)).toEqual(['a.txt', 'c.txt']);
  });

  it('and a button are in a message of components V2, and a poll in another', async () => {
    handle = async (i) => {
      if (i.isButton()) return i.update({ components: [{ type: 10, content: 'bought' }] as never });
      if (!i.isChatInputCommand()) return;
      const section = { type: 9, components: [{ type: 10, content: 'Drake' }], accessory: button('buy') };
      const gallery = { type: 12, items: [{ media: { url: 'attachment://a.png' } }] };
      const components = [
        { type: 17, components: [section, gallery] },
        { type: 13, file: { url: 'attachment://b.txt' } },
      ];
      const files = [file('a.png', 'picture'), file('b.txt', 'text')];
      await i.reply({ components: components as never, files, flags: MessageFlags.IsComponentsV2 });
      // As discord.js sends a poll; its own class cannot parse the answer in a channel that is not cached.
      const answers = [
        { poll_media: { text: 'a', emoji: null } },
        { poll_media: { text: 'b', emoji: { name: '🐉' } } },
      ];
      const body = { poll: { question: { text: 'Which?' }, answers, duration: 1, allow_multiselect: false } };
      await client.rest.post(Routes.webhook(i.applicationId, i.token), { body, auth: false });
    };
    const typed = discord.type({ command: 'say' });
    const shown = await typed.until((each) => each.followUps?.length === 1);

    const url = JSON.stringify(shown.components).match(/http[^"]*a\.png/)?.[0] ?? '';
    expect(await fetch(url).then((answer) => answer.text())).toBe('picture');
    const poll = { question: { text: 'Which?' }, answers: [{ answer_id: 1 }, { answer_id: 2 }] };
    expect(shown).toMatchObject({ attachments: [], followUps: [{ poll }] });
    await discord.click({ messageId: shown.messageId ?? '', customId: 'buy' }).settled();
    expect(typed.message.components).toMatchObject([{ type: 10, content: 'bought' }]);
  });
});

it.each([
  ['public in a foreign server', { guildId: FOREIGN }, { ephemeral: false }],
  ['private in one without Use External Apps', { guildId: NO_APPS }, { ephemeral: true }],
  ['public in a group', { context: 2 as const }, { ephemeral: false }],
])('public messages are %s', async (_where, at, shown) => {
  handle = async (i) => {
    if (i.isChatInputCommand()) await i.reply({ content: 'here', components: [row(button('more'))] as never });
    if (i.isButton()) await i.deferReply();
    if (i.isRepliable()) await i.followUp('more');
  };
  const reply = await discord.type({ command: 'say', ...at }).until(({ followUps }) => followUps?.length === 1);
  expect(reply).toMatchObject({ ...shown, followUps: [shown] });
  const clicked = discord.click({ messageId: reply.messageId ?? '', customId: 'more' });
  expect(await clicked.settled()).toMatchObject({ ...shown, content: 'more' });
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

it('a command for servers fails in direct messages of a member who shares no server with the bot', () => {
  const typed = { command: 'deck cards add', options: { id: 'a' }, guildId: null, installedFor: 'user' as const };
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
