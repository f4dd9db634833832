import { PermissionFlagsBits } from 'discord-api-types/v10';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OptionValue, Whereabouts } from '../../../sandbox/discord/chat.ts';
import { DEFAULT_WORLD } from '../../../sandbox/discord/emulated-discord.ts';
import { embeddedDiscord } from './embedded.ts';

const [GUILD = '', OTHER = ''] = DEFAULT_WORLD.guilds.map(({ id }) => id);
const [FOREIGN = ''] = DEFAULT_WORLD.foreignGuilds.map(({ id }) => id);
const [ALICE = '', BJORN = ''] = DEFAULT_WORLD.members.map(({ id }) => id);

const named = (name: string, part: object = {}) => ({ name, description: 'x', ...part });
const option = (type: number, name: string, part: object = {}) => ({ type, ...named(name, part) });

let bot: Awaited<ReturnType<typeof embeddedDiscord>>;

describe('a command is visible', () => {
  beforeAll(async () => {
    bot = await embeddedDiscord();
    const MANAGE_GUILD = '32';
    await bot.register([
      named('any'),
      named('servers', { contexts: [0] }),
      named('dms', { contexts: [1] }),
      named('managers', { default_member_permissions: MANAGE_GUILD }),
      named('admins', { default_member_permissions: '0' }),
      named('users', { integration_types: [1] }),
      named('no-groups', { integration_types: [1], contexts: [0, 1] }),
      named('both', { integration_types: [0, 1] }),
    ]);
    await bot.register([named('own')], `/guilds/${GUILD}`);
  });

  // In direct messages also commands are shown that fail when they are used; discord-api-docs#6699
  const DIRECT = 'any dms managers admins users no-groups both';
  it.each<[string, Whereabouts, string]>([
    ['in a server', { guildId: GUILD }, 'any servers both own'],
    ['in a server, to a manager', { guildId: GUILD, manageGuild: true }, 'any servers managers both own'],
    ['in another server', { guildId: OTHER }, 'any servers both'],
    ['in direct messages', { guildId: null }, DIRECT],
    ['in direct messages of one who shares no server', { guildId: null, installedFor: 'user' }, DIRECT],
    ['in a group', { context: 2 }, 'users both'],
    ['to one who alone has installed the app', { installedFor: 'user' }, 'users no-groups both own'],
    ['to one who has it, too', { installedFor: 'both' }, 'any servers users no-groups both own'],
    ['in a foreign server', { guildId: FOREIGN }, 'users no-groups both'],
    ['in a foreign server, to one who has not installed it', { guildId: FOREIGN, installedFor: 'guild' }, ''],
  ])('%s', (_where, at, expected) => {
    expect(
      bot.discord
        .commandsFor(at)
        .map(({ name }) => name)
        .join(' '),
    ).toBe(expected);
  });

  it('but fails in direct messages of a member who shares no server with the bot', () => {
    expect(() => bot.discord.type({ command: 'any', guildId: null, installedFor: 'user' })).toThrow(
      'Unknown Integration',
    );
  });
});

it.each<[string, Whereabouts, object, string | undefined, string]>([
  ['a server', {}, { 0: GUILD }, 'de', 'AttachFiles UseExternalEmojis SendMessages'],
  ['a server, for a user', { installedFor: 'user' }, { 1: ALICE }, 'de', 'AttachFiles UseExternalEmojis SendMessages'],
  ['a foreign server', { guildId: FOREIGN }, { 1: ALICE }, 'en-US', 'AttachFiles UseExternalEmojis SendMessages'],
  ['direct messages', { guildId: null }, { 0: '0' }, undefined, 'AttachFiles UseExternalEmojis'],
  ['a group', { context: 2 }, { 1: ALICE }, undefined, 'AttachFiles'],
])(
  'the bot is told of a command in %s whose it is, its language and what the bot may do',
  async (_, at, owners, locale, may) => {
    const { discord, register, told } = await embeddedDiscord({
      guilds: [{ id: GUILD, name: 'Sammler', locale: 'de' }],
    });
    await register([named('say', { contexts: [0, 1, 2], integration_types: [0, 1] })]);
    discord.type({ command: 'say', ...at });
    const [{ context, authorizing_integration_owners, guild_locale, app_permissions = '0' } = {}] = told;
    const flags = ['AttachFiles', 'UseExternalEmojis', 'SendMessages'] as const;
    const has = flags.filter((each) => (BigInt(app_permissions) & PermissionFlagsBits[each]) !== 0n);
    expect([context, authorizing_integration_owners, guild_locale, has.join(' ')]).toEqual([
      at.context ?? (at.guildId === null ? 1 : 0),
      owners,
      locale,
      may,
    ]);
  },
);

describe('nobody types', () => {
  beforeAll(async () => {
    bot = await embeddedDiscord();
    const id = option(3, 'id', { required: true, autocomplete: true, min_length: 1, max_length: 5 });
    const count = option(4, 'count', { min_value: 1, max_value: 3 });
    await bot.register([named('card', { options: [id, option(5, 'prices'), count, option(3, 'game')] })]);
  });

  it.each<[string, Record<string, OptionValue>, string]>([
    ['no option that is required', {}, 'needs the option "id"'],
    ['nothing into one that is required', { id: '' }, 'needs the option "id"'],
    ['an option that is not declared', { id: 'a', colour: 'red' }, 'has no option "colour"'],
    ['text that is too long', { id: 'abcdef' }, 'must have 1 to 5 characters'],
    ['a number for text', { id: 7 }, 'must be text'],
    ['text for yes or no', { id: 'a', prices: 'yes' }, 'must be true or false'],
    ['half a thing', { id: 'a', count: 1.5 }, 'must be a whole number'],
    ['too few', { id: 'a', count: 0 }, 'must be at least 1'],
    ['too many', { id: 'a', count: 4 }, 'must be at most 3'],
  ])('%s', (_what, options, expected) => {
    expect(() => bot.discord.type({ command: 'card', options })).toThrow(expected);
    expect([bot.told, bot.discord.messages()]).toEqual([[], []]);
  });

  it.each<[string, object, string]>([
    ['a command that is not registered', { command: 'cards' }, '/cards is not registered'],
    ['in a server that is not there', { guildId: '1' }, 'no Discord server with the id 1'],
    ['as a member who is not there', { memberId: '1' }, 'no member with the id 1'],
  ])('%s', (_what, typed, expected) => {
    expect(() => bot.discord.type({ command: 'card', options: { id: 'a' }, ...typed })).toThrow(expected);
  });
});

it('an option that is being typed is sent as it is, beside the others', async () => {
  const { discord, register, told } = await embeddedDiscord();
  const options = [option(3, 'id', { max_length: 5, autocomplete: true }), option(4, 'count'), option(3, 'game')];
  await register([named('card', { options })]);
  const typed = (values: Record<string, OptionValue>, focused = 'id') =>
    discord.complete({ command: 'card', options: values, focused });
  void typed({ id: 'too long', count: 7 });
  void typed({});
  expect(told.map(({ data }) => data.options)).toEqual([
    [
      { name: 'id', type: 3, value: 'too long', focused: true },
      { name: 'count', type: 4, value: 7 },
    ],
    [{ name: 'id', type: 3, value: '', focused: true }],
  ]);
  await expect(typed({}, 'game')).rejects.toThrow('The option "game" of /card has no autocomplete.');
});

describe('a click', () => {
  const row = (...components: object[]) => ({ content: 'here', components: [{ type: 1, components }] });
  const button = (custom_id: string, part: object = {}) => ({
    type: 2,
    style: 1,
    label: custom_id,
    custom_id,
    ...part,
  });

  /** Sends a bot message with these components. */
  async function sent(message: object) {
    const here = await embeddedDiscord();
    await here.register([named('say')]);
    const typed = here.discord.type({ command: 'say' });
    await here.answer('reply', message);
    return { ...here, messageId: typed.message.messageId ?? '' };
  }

  it('in a menu contains what was chosen', async () => {
    const options = ['a', 'b'].map((value) => ({ label: value, value }));
    const { discord, told, messageId } = await sent(row({ type: 3, custom_id: 'menu', options, max_values: 2 }));
    const choose = (values: string[]) => discord.choose({ messageId, customId: 'menu', values });
    choose(['a', 'b']);
    expect(told.at(-1)?.data).toMatchObject({ custom_id: 'menu', component_type: 3, values: ['a', 'b'] });
    expect(() => choose(['c'])).toThrow('does not offer "c"');
    expect(() => choose([])).toThrow('different values');
  });

  it('that no member could make is refused with a sentence', async () => {
    const { discord, answer, messageId } = await sent(row(button('on'), button('off', { disabled: true })));
    const pressed = discord.click({ messageId, customId: 'on' });
    await answer('reply', { ...row(button('on')), flags: 64 });
    const privateId = pressed.message.messageId ?? '';

    expect(() => discord.click({ messageId, customId: 'off' })).toThrow('The component "off" is disabled.');
    expect(() => discord.click({ messageId: '1', customId: 'on' })).toThrow('There is no message of the bot');
    expect(() => discord.click({ messageId: privateId, customId: 'on', memberId: BJORN })).toThrow('Only its reader');
  });
});

describe('registered commands', () => {
  beforeAll(async () => {
    bot = await embeddedDiscord();
  });
  const registered = async (...commands: object[]) => (await bot.register(commands)).body;
  const shown = async () => (await bot.call('GET', `/applications/${bot.discord.applicationId}/commands`)).body;

  it('keep the id of a name, and change the version only with the content', async () => {
    const [card] = await registered(named('card'));
    expect((await registered(named('usage'), named('card', { type: 1, options: [] }))).at(1)).toEqual(card);
    const [changed] = await registered(named('card', { description: 'new' }));
    expect(changed.id).toBe(card.id);
    expect(changed.version).not.toBe(card.version);
  });

  it('stay when one of the next is invalid, or a name occurs twice', async () => {
    await registered(named('card'));
    const before = await shown();
    expect((await bot.register([named('fine'), named('Not fine')])).code).toBe(50_035);
    expect((await bot.register([named('card'), named('card')])).code).toBe(50_035);
    expect(await shown()).toEqual(before);
  });
});
