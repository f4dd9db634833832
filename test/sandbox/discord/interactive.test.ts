import {
  type APIMessageTopLevelComponent,
  AttachmentBuilder,
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

const [FOREIGN = '', NO_APPS = ''] = DEFAULT_WORLD.foreignGuilds.map(({ id }) => id);

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
  it('the text so far of an option with autocomplete, and its choices arrive in the language of the member', async () => {
    handle = async (i) => {
      if (!i.isAutocomplete()) return;
      const { name, value } = i.options.getFocused(true);
      await i.respond([{ name: `${name} ${value}`, value: 'a-1', nameLocalizations: { de: `${value} auf Deutsch` } }]);
    };
    const half = { command: 'deck', options: { id: 'dra' }, focused: 'id' };

    expect(await discord.complete(half)).toEqual([{ name: 'id dra', value: 'a-1' }]);
    expect(await discord.complete({ ...half, memberId: ids.bjorn })).toEqual([
      { name: 'dra auf Deutsch', value: 'a-1' },
    ]);
    await expect(discord.complete({ command: 'say', focused: 'id' })).rejects.toThrow('has no autocomplete');
  });

  it('options of every type', async () => {
    tell((i) => {
      const { options } = i as ChatInputCommandInteraction;
      return [options.getString('o3'), options.getInteger('o4'), options.getBoolean('o5'), options.getNumber('o10')];
    });
    const typed = discord.type({ command: 'every', options: { o3: 'text', o4: 4, o5: false, o10: 1.5 } });

    expect(await resultOf(typed)).toEqual(['text', 4, false, 1.5]);
    expect(typed.message.commandLine).toBe('/every o3:text o4:4 o5:false o10:1.5');
  });

  it('the message of a context menu', async () => {
    const messageId = await sent();
    handle = async (i) => {
      if (!i.isMessageContextMenuCommand()) return;
      await i.reply('-');
      const { reference } = await i.fetchReply();
      await i.editReply(JSON.stringify([i.targetMessage.content, i.targetId, reference]));
    };
    const quoted = await discord.type({ command: 'Quote It', target: { messageId } }).until(({ edited }) => edited);
    expect(JSON.parse(quoted.content)).toEqual(['here', messageId, null]); // it is no reply to that message
    expect(discord.menuCommandsFor({}).map(({ name }) => name)).toEqual(['Quote It']);
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
      const { reference } = await i.editReply('more');
      await i.followUp(`and more to ${reference?.messageId}`);
    };
    const click = { messageId, customId: 'more', memberId: ids.bjorn };
    const clicked = await discord.click(click).until(({ followUps }) => followUps?.length === 1);

    expect(clicked).toMatchObject({ content: 'more', ephemeral: true, member: { name: 'Björn' }, commandLine: 'more' });
    expect(clicked.followUps).toMatchObject([{ content: `and more to ${messageId}` }]);
  });

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

  it('opens a form, which is filled in and submitted', async () => {
    const messageId = await sent(row(button('rename')));
    handle = async (i) => {
      if (i.isButton()) {
        const name = { type: 18, label: 'Name', component: { type: 4, custom_id: 'name', style: 1, required: true } };
        const owner = { type: 18, label: 'For', component: { type: 4, custom_id: 'owner', style: 2 } };
        return i.showModal({ customId: 'form', title: 'Rename', components: [name, owner] as never });
      }
      if (!(i.isModalSubmit() && i.isFromMessage())) return;
      const [name, owner] = ['name', 'owner'].map((field) => i.fields.getTextInputValue(field));
      await i.update(`${i.customId}: ${name} for ${owner}`);
    };
    const opened = await discord.click({ messageId, customId: 'rename' }).settled();
    expect(opened.modal?.title).toBe('Rename');
    expect(() => discord.submit({ interactionId: opened.interactionId, values: {} })).toThrow('needs the field "name"');

    const values = { name: 'Drake', owner: 'Björn' };
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

    expect(attachments).toMatchObject([{ filename: 'b.txt', size: 4, description: 'so' }]);
    const [picture, response] = await Promise.all([embeds[0]?.image, attachments[0]].map((it) => fetch(it?.url ?? '')));
    expect([await picture?.text(), await response?.text()]).toEqual(['picture', 'text']);
    expect(response?.headers.get('content-security-policy')).toBe('sandbox');
  });

  it('are kept, removed and added by edits', async () => {
    handle = async (i) => {
      if (!i.isChatInputCommand()) return;
      await i.reply({ files: [file('a.txt', 'a'), file('b.txt', 'b')] });
      const kept = (await i.fetchReply()).attachments.first();
      await i.editReply({ attachments: kept ? [kept] : [], files: [file('c.txt', 'c')] });
      await i.editReply('still');
    };
    const message = await discord.type({ command: 'say' }).until(({ content }) => content === 'still');

    expect(message.attachments.map(({ filename }) => filename)).toEqual(['a.txt', 'c.txt']);
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
