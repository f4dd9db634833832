import { PermissionFlagsBits } from 'discord-api-types/v10';
import { beforeEach, expect, it } from 'vitest';
import type { OptionValue, Whereabouts } from '../../../sandbox/discord/chat.ts';
import { DEFAULT_WORLD } from '../../../sandbox/discord/emulated-discord.ts';
import { table } from '../../table.ts';
import { button, embeddedDiscord, row } from './embedded.ts';

const [GUILD = '', OTHER = ''] = DEFAULT_WORLD.guilds.map(({ id }) => id);
const [FOREIGN = ''] = DEFAULT_WORLD.foreignGuilds.map(({ id }) => id);
const [ALICE = '', BJORN = ''] = DEFAULT_WORLD.members.map(({ id }) => id);

const named = (name: string, part: object = {}) => ({ name, description: 'x', ...part });
const option = (type: number, name: string, part: object = {}) => ({ type, ...named(name, part) });
const ID = option(3, 'id', { required: true, autocomplete: true, min_length: 1, max_length: 5 });
const OPTIONS = [ID, option(5, 'prices'), option(4, 'count', { min_value: 1, max_value: 3 }), option(3, 'game')];
const MANAGE_GUILD = '32';

let bot: Awaited<ReturnType<typeof embeddedDiscord>>;
beforeEach(async () => {
  bot = await embeddedDiscord({
    guilds: DEFAULT_WORLD.guilds.map((guild) => (guild.id === GUILD ? { ...guild, locale: 'de' } : guild)),
  });
  await bot.register([
    named('any', { options: OPTIONS }),
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
])('of commands are visible %s', (_, at, expected) => {
  const shown = bot.discord.commandsFor(at).map(({ name }) => name);
  expect(shown.join(' ')).toBe(expected);
});

it('a command fails in direct messages of a member who shares no server with the bot', () => {
  const typed = { command: 'any', guildId: null, installedFor: 'user' } as const;
  expect(() => bot.discord.type({ ...typed, options: { id: 'a' } })).toThrow('Unknown Integration');
});

const EVERYTHING = 'AttachFiles UseExternalEmojis SendMessages';

it.each<[string, Whereabouts, object, locale: string | undefined, may: string]>([
  ['a server', {}, { 0: GUILD }, 'de', EVERYTHING],
  ['a server, for a user', { installedFor: 'user' }, { 1: ALICE }, 'de', EVERYTHING],
  ['a foreign server', { guildId: FOREIGN }, { 1: ALICE }, 'en-US', EVERYTHING],
  ['direct messages', { guildId: null }, { 0: '0' }, undefined, 'AttachFiles UseExternalEmojis'],
  ['a group', { context: 2 }, { 1: ALICE }, undefined, 'AttachFiles'],
])('the bot is told of a command in %s whose it is, its language and what the bot may do', (...given) => {
  const [, at, authorizing_integration_owners, guild_locale, may] = given;
  bot.discord.type({ command: 'both', ...at });
  const context = at.context ?? (at.guildId === null ? 1 : 0);
  const {
    context: place,
    authorizing_integration_owners: owners,
    guild_locale: language,
    app_permissions = '0',
  } = bot.told[0] ?? {};
  expect([place, owners, language]).toEqual([context, authorizing_integration_owners, guild_locale]);
  const flags = ['AttachFiles', 'UseExternalEmojis', 'SendMessages'] as const;
  expect(flags.filter((each) => BigInt(app_permissions) & PermissionFlagsBits[each]).join(' ')).toBe(may);
});

it.each(table`
  no option that is required | {"options":{}} | needs the option "id"
  nothing into one that is required | {"options":{"id":""}} | needs the option "id"
  an option that is not declared | {"options":{"id":"a","colour":"red"}} | has no option "colour"
  text that is too long | {"options":{"id":"abcdef"}} | must have 1 to 5 characters
  a number for text | {"options":{"id":7}} | must be text
  text for yes or no | {"options":{"id":"a","prices":"yes"}} | must be true or false
  half a thing | {"options":{"id":"a","count":1.5}} | must be a whole number
  too few | {"options":{"id":"a","count":0}} | must be at least 1
  too many | {"options":{"id":"a","count":4}} | must be at most 3
  a command that is not registered | {"command":"cards"} | /cards is not registered
  in a server that is not there | {"guildId":"1"} | no Discord server with the id 1
  as a member who is not there | {"memberId":"1"} | no member with the id 1
`)('nobody types %s', (_, typed = '', expected) => {
  const given = { command: 'any', options: { id: 'a' }, ...JSON.parse(typed) };
  expect(() => bot.discord.type(given)).toThrow(expected);
  expect([bot.told, bot.discord.messages()]).toEqual([[], []]);
});

it('an option that is being typed is sent as it is, beside the others', async () => {
  const typed = (options: Record<string, OptionValue>, focused = 'id') =>
    bot.discord.complete({ command: 'any', options, focused });
  void typed({ id: 'too long', count: 7 });
  void typed({});
  expect(bot.told.map(({ data }) => data.options)).toEqual([
    [
      { name: 'id', type: 3, value: 'too long', focused: true },
      { name: 'count', type: 4, value: 7 },
    ],
    [{ name: 'id', type: 3, value: '', focused: true }],
  ]);
  await expect(typed({}, 'game')).rejects.toThrow('The option "game" of /any has no autocomplete.');
});

/** Sends a bot message with these components. @returns its id */
async function sent(...components: object[]): Promise<string> {
  const typed = bot.discord.type({ command: 'both' });
  await bot.answer('reply', { components: [row(...components)] });
  return typed.message.messageId ?? '';
}

it('a click in a menu contains what was chosen', async () => {
  const options = ['a', 'b'].map((value) => ({ label: value, value }));
  const messageId = await sent({ type: 3, custom_id: 'menu', options, max_values: 2 });
  const choose = (values: string[]) => bot.discord.choose({ messageId, customId: 'menu', values });
  choose(['a', 'b']);
  expect(bot.told.at(-1)?.data).toMatchObject({ custom_id: 'menu', component_type: 3, values: ['a', 'b'] });
  expect(() => choose(['c'])).toThrow('does not offer "c"');
  expect(() => choose([])).toThrow('different values');
});

it('a click that no member could make is refused with a sentence', async () => {
  const messageId = await sent(button('on'), button('off', { disabled: true }));
  const { discord } = bot;
  const pressed = discord.click({ messageId, customId: 'on' });
  await bot.answer('reply', { components: [row(button('on'))], flags: 64 });
  const privateId = pressed.message.messageId ?? '';
  expect(() => discord.click({ messageId, customId: 'off' })).toThrow('The component "off" is disabled.');
  expect(() => discord.click({ messageId: '1', customId: 'on' })).toThrow('There is no message of the bot');
  expect(() => discord.click({ messageId: privateId, customId: 'on', memberId: BJORN })).toThrow('Only its reader');
});

const registered = async (...commands: object[]) => (await bot.register(commands)).body;

it('a registered command keeps the id of its name, and changes its version only with the content', async () => {
  const [card] = await registered(named('card'));
  expect((await registered(named('usage'), named('card', { type: 1, options: [] }))).at(1)).toEqual(card);
  const [changed] = await registered(named('card', { description: 'new' }));
  expect(changed.id).toBe(card.id);
  expect(changed.version).not.toBe(card.version);
});

it('registered commands stay when one of the next is invalid, or a name occurs twice', async () => {
  const shown = async () => (await bot.call('GET', `/applications/${bot.discord.applicationId}/commands`)).body;
  const before = await shown();
  expect((await bot.register([named('fine'), named('Not fine')])).code).toBe(50_035);
  expect((await bot.register([named('card'), named('card')])).code).toBe(50_035);
  expect(await shown()).toEqual(before);
});
