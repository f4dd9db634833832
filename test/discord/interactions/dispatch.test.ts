import { ApplicationCommandType, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Command, Reply, Services } from '../../../commands/command.ts';
import { dispatch } from '../../../src/discord/interactions/dispatch.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/reply-journal.ts';
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
  component: ({ argument, values, askedBy, manageMessages }) =>
    answer({ ran: 'component', argument, values, askedBy, manageMessages }),
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
  it.each([
    [
      { kind: 'slash', name: 'card', options: { getString: () => 'base1-4', data: [] } },
      { ran: 'slash', id: 'base1-4', text: '' },
    ],
    [
      { kind: 'message', name: 'Look up cards', targetMessage: { content: 'hi' } },
      { ran: 'message', text: 'hi' },
    ],
    [
      { kind: 'button', name: 'card:next:2' },
      { ran: 'component', argument: 'next:2', values: [], manageMessages: false },
    ],
    [
      {
        kind: 'select',
        name: 'card:set',
        values: ['a'],
        message: { interactionMetadata: { user: { id: 'bob' } } },
        memberPermissions: new PermissionsBitField('ManageMessages'),
      },
      { ran: 'component', argument: 'set', values: ['a'], askedBy: 'bob', manageMessages: true },
    ],
  ] as const)('to the handler that a command has for it: %j', async (facts, ran) => {
    const dispatched = dispatch(COMMANDS, interaction(facts));
    const response = await dispatched.run?.(SERVICES);
    expect(response).toMatchObject({ message: { content: JSON.stringify(ran) } });
    expect(dispatched.invocation.command).toBe(facts.name.split(':')[0]);
  });

  it('to the suggestions of a command while an option is typed, which are of use for two seconds', async () => {
    const options = { getFocused: () => ({ name: 'id', value: 'bas' }) };
    const { suggest } = dispatch(COMMANDS, interaction({ kind: 'autocomplete', name: 'card', options }));
    expect(await suggest?.(SERVICES)).toEqual([{ name: 'id bas', value: 2_000 }]);
  });

  it.each([
    [{ kind: 'slash', name: 'older' }, 'command'],
    [{ kind: 'slash', name: 'Look up cards' }, 'command'],
    [{ kind: 'message', name: 'card' }, 'command'],
    [{ kind: 'user', name: 'Look up cards' }, 'command'],
    [{ kind: 'autocomplete', name: 'usage' }, 'autocomplete'],
    [{ kind: 'button', name: 'usage:next' }, 'component'],
    [{ kind: 'button', name: 'older' }, 'component'],
    [{ kind: 'modal', name: 'card:form' }, 'component'],
  ] as const)('to no handler when no command has one for it: %j', (facts, kind) => {
    const dispatched = dispatch(COMMANDS, interaction(facts));
    expect(dispatched).toMatchObject({ kind, invocation: { command: facts.name.split(':')[0] } });
    expect([dispatched.run, dispatched.suggest]).toEqual([undefined, undefined]);
  });

  it('with who did what where, and until when a reply can be edited', () => {
    const { invocation } = dispatch(COMMANDS, interaction({ kind: 'slash', name: 'usage' }));
    const who = { command: 'usage', memberId: 'alice', guildId: 'guild', locale: 'en-US' };
    expect(invocation).toMatchObject({ ...who, interactionId: '11', applicationId: '1000', token: 'token' });
    expect(invocation.deadlineMs - invocation.receivedAtMs).toBe(REPLY_DEADLINE_MS);
  });

  it('in English when the interaction has no locale', () => {
    const odd = interaction({ kind: 'slash', name: 'usage', locale: undefined as never });
    expect(dispatch(COMMANDS, odd).invocation.locale).toBe('en-US');
  });

  it.each([
    ['with the permission to manage it', {}, 'guild', true],
    ['in direct messages without a guild and its permissions', { guildId: null, memberPermissions: null }, null, false],
  ])('%s', async (_, where, guildId, manageGuild) => {
    const ask: Command['ask'] = (use) => answer({ guildId: use.guildId ?? null, manageGuild: use.manageGuild });
    const { run } = dispatch([{ ...USAGE, ask }], interaction({ kind: 'slash', name: 'usage', ...where }));
    expect(await run?.(SERVICES)).toMatchObject({ message: { content: JSON.stringify({ guildId, manageGuild }) } });
  });
});
