import { ApplicationCommandType, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Command, Reply, Services } from '../../../commands/command.ts';
import { dispatch } from '../../../src/discord/interactions/dispatch.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/reply-ports.ts';
import { interaction } from './interactions.ts';

const SERVICES = {} as Services;

/** Commands that answer with what they were given. */
const answer = (given: object): Promise<Reply> =>
  Promise.resolve({ isPrivate: false, source: 'bot', message: { content: JSON.stringify(given) } });
const CARD: Command = {
  data: { name: 'card', description: 'Show a card' },
  ask: ({ options, text }) => answer({ ran: 'slash', id: options.getString('id'), text }),
  autocomplete: async ({ option, typed, suggestByMs, receivedAtMs }) => [
    { name: `${option} ${typed}`, value: suggestByMs - receivedAtMs },
  ],
  component: ({ argument, values, repliedTo, manageMessages }) =>
    answer({ ran: 'component', argument, values, repliedTo, manageMessages }),
  submit: ({ argument, fields }) => answer({ ran: 'form', argument, text: fields.getTextInputValue('above') }),
  cardOf: (argument) => argument,
};
const USAGE: Command = {
  data: { name: 'usage', description: 'Show the quota' },
  ask: () => answer({ ran: 'usage' }),
};
const MENU: Command = {
  data: { name: 'Look up cards', type: ApplicationCommandType.Message },
  ask: ({ text }) => answer({ ran: 'message', text }),
};
const COMMANDS = [CARD, USAGE, MENU];

describe('an interaction is dispatched by its kind', () => {
  const options = { getString: () => 'base1-4', data: [] };
  const memberPermissions = new PermissionsBitField('ManageMessages');
  const chosen = {
    values: ['a'],
    message: { interactionMetadata: { id: '7', user: { id: 'bob' } } },
    memberPermissions,
  };
  const component = (argument: string, more: object) => ({ ran: 'component', argument, ...more });
  it.each([
    ['slash', 'card', { options }, { ran: 'slash', id: 'base1-4', text: '' }],
    ['message', 'Look up cards', { targetMessage: { content: 'hi' } }, { ran: 'message', text: 'hi' }],
    ['button', 'card:next:2', {}, component('next:2', { values: [], manageMessages: false })],
    [
      'select',
      'card:set',
      chosen,
      component('set', { values: ['a'], repliedTo: { interactionId: '7', memberId: 'bob' }, manageMessages: true }),
    ],
    [
      'modal',
      'card:form:a',
      { fields: { getTextInputValue: String } },
      { ran: 'form', argument: 'form:a', text: 'above' },
    ],
  ] as const)('to the handler that a command has for it: %s %s', async (kind, name, more, ran) => {
    const dispatched = dispatch(COMMANDS, interaction(kind, name, more));
    const response = await dispatched.run?.(SERVICES);
    expect(response).toMatchObject({ message: { content: JSON.stringify(ran) } });
    expect(dispatched.invocation.command).toBe(name.split(':')[0]);
  });

  it('to the suggestions of a command while an option is typed, which are of use for two seconds', async () => {
    const options = { getFocused: () => ({ name: 'id', value: 'bas' }) };
    const { suggest } = dispatch(COMMANDS, interaction('autocomplete', 'card', { options }));
    expect(await suggest?.(SERVICES)).toEqual([{ name: 'id bas', value: 2_000 }]);
  });

  it.each([
    ['slash', 'older', 'command'],
    ['slash', 'Look up cards', 'command'],
    ['message', 'card', 'command'],
    ['user', 'Look up cards', 'command'],
    ['autocomplete', 'usage', 'autocomplete'],
    ['button', 'usage:next', 'component'],
    ['button', 'older', 'component'],
    ['modal', 'usage:form', 'component'],
  ] as const)('to no handler when no command has one for it: %s %s', (of, name, kind) => {
    const dispatched = dispatch(COMMANDS, interaction(of, name));
    expect(dispatched).toMatchObject({ kind, invocation: { command: name.split(':')[0] } });
    expect([dispatched.run, dispatched.suggest]).toEqual([undefined, undefined]);
  });

  it('with who did what where, and until when a reply can be edited', () => {
    const { invocation } = dispatch(COMMANDS, interaction('slash', 'usage'));
    expect(invocation.requester).toEqual({ memberId: 'alice', guildId: 'guild', isInstalled: true }); // and no token
    const who = { command: 'usage', locale: 'en-US' };
    expect(invocation).toMatchObject({
      ...who,
      interactionId: '11',
      webhook: { applicationId: '1000', token: 'token' },
    });
    expect(invocation.deadlineMs - invocation.receivedAtMs).toBe(REPLY_DEADLINE_MS);
    expect(REPLY_DEADLINE_MS).toBeLessThan(15 * 60_000); // Discord takes its token no longer
  });

  const EXTERNAL_APPS = { memberPermissions: new PermissionsBitField('UseExternalApps') };
  const DIRECT = { guildId: null, channelId: 'dm', memberPermissions: null };
  it.each<[string, object, { isInstalled: boolean; canReplyPublicly: boolean; channelId?: string }]>([
    ['in a server', {}, { isInstalled: true, canReplyPublicly: true }],
    [
      'in a server whose members may not Use External Apps',
      { memberPermissions: new PermissionsBitField() },
      { isInstalled: true, canReplyPublicly: true },
    ],
    [
      'in direct messages with the bot',
      { ...DIRECT, authorizingIntegrationOwners: { guildId: '0' } },
      { isInstalled: true, canReplyPublicly: true, channelId: 'dm' },
    ],
    [
      'in a foreign server with Use External Apps',
      { ...EXTERNAL_APPS, authorizingIntegrationOwners: { guildId: null } },
      { isInstalled: false, canReplyPublicly: true },
    ],
    [
      'in a foreign server without',
      { authorizingIntegrationOwners: { guildId: null } },
      { isInstalled: false, canReplyPublicly: false },
    ],
    [
      'in a group',
      { ...DIRECT, authorizingIntegrationOwners: { guildId: null } },
      { isInstalled: false, canReplyPublicly: true, channelId: 'dm' },
    ],
  ])('with whose install counts, and who can see replies: %s', (_, where, expected) => {
    const { requester, canReplyPublicly } = dispatch(COMMANDS, interaction('button', 'card:show:', where)).invocation;
    const { isInstalled, channelId } = requester;
    expect({ isInstalled, canReplyPublicly, channelId }).toEqual({ channelId: undefined, ...expected });
  });

  it.each([
    ['no locale', undefined, null, { locale: 'en-US', guildLocale: undefined }],
    ['locales that are no texts', 7, 7, { locale: '7', guildLocale: '7' }],
  ])('in English when the interaction has %s', (_, locale, guildLocale, expected) => {
    const odd = interaction('slash', 'usage', { locale, guildLocale });
    expect(dispatch(COMMANDS, odd).invocation).toMatchObject(expected);
  });

  it.each([
    ['with the permission to manage it', {}, 'guild', true],
    ['in direct messages without a guild and its permissions', { guildId: null, memberPermissions: null }, null, false],
  ])('%s', async (_, where, guildId, manageGuild) => {
    const ask: Command['ask'] = (use) =>
      answer({ guildId: use.requester.guildId ?? null, manageGuild: use.manageGuild });
    const { run } = dispatch([{ ...USAGE, ask }], interaction('slash', 'usage', where));
    expect(await run?.(SERVICES)).toMatchObject({ message: { content: JSON.stringify({ guildId, manageGuild }) } });
  });
});
